// SPDX-License-Identifier: GPL-2.0-only
#include "lib/heatmap/grid.h"

#include <math.h>
#include <stdlib.h>

#include "lib/core/map.h"

enum {
	LEAST_DECIMAL = -1000,
	/* bits of a line's number, so that the beginning of the line is an exact double */
	DECIMAL_BITS = 52,
};

static size_t cells_size(const struct mp_grid *g)
{
	return (g->x.max + 1) * (g->y.max + 1) * sizeof(uint64_t);
}

static void set_level(struct mp_lines *l, int level)
{
	l->level = level;
	if (l->kind != MP_DECIMAL)
		return;
	l->scale = ldexp(1, -level);
	l->limit = ldexp(1, MP_MIN(level + DECIMAL_BITS + 1, 1023));
}

static void lines_init(struct mp_lines *l, enum mp_lines_kind kind, size_t max)
{
	*l = (struct mp_lines){ .kind = kind, .max = max, .whole = true };
	set_level(l, kind == MP_DECIMAL ? LEAST_DECIMAL : 0);
	l->used = mp_zalloc((max + 1) * sizeof(*l->used));
	l->line = mp_zalloc((max + 1) * sizeof(*l->line));
	l->name = mp_zalloc((max + 1) * sizeof(*l->name));
	l->free = mp_zalloc((max + 1) * sizeof(*l->free));
	mp_intmap_init(&l->slots);
}

static void lines_release(struct mp_lines *l)
{
	size_t i;

	for (i = 0; i <= l->max; i++)
		free((void *)l->name[i].p);
	free(l->used);
	free(l->line);
	free(l->name);
	free(l->free);
	mp_intmap_release(&l->slots);
}

void mp_grid_init(struct mp_grid *g, enum mp_lines_kind x, enum mp_lines_kind y)
{
	*g = (struct mp_grid){ .n_planes = 0 };
	lines_init(&g->x, x, MP_GRID_COLUMNS);
	lines_init(&g->y, y, MP_GRID_ROWS);
	mp_grid_select_plane(g, 0);
	g->lost = mp_zalloc((MP_GRID_COLUMNS + 1) * sizeof(*g->lost));
	g->lost_from = mp_zalloc((MP_GRID_COLUMNS + 1) * sizeof(*g->lost_from));
}

static void release_planes(struct mp_grid *g)
{
	size_t i;

	for (i = 0; i < g->n_planes; i++) {
		mp_big_free(g->planes[i].cells, cells_size(g));
		free(g->planes[i].touched);
	}
	free(g->planes);
	g->planes = NULL;
	g->n_planes = 0;
}

void mp_grid_release(struct mp_grid *g)
{
	lines_release(&g->x);
	lines_release(&g->y);
	release_planes(g);
	free(g->lost);
	free(g->lost_from);
}

void mp_grid_few_lines(struct mp_grid *g)
{
	release_planes(g);
	g->x.max = MP_GRID_FEW_COLUMNS;
	g->y.max = MP_GRID_FEW_ROWS;
	mp_grid_select_plane(g, 0);
}

void mp_grid_select_plane(struct mp_grid *g, size_t i)
{
	if (i >= g->n_planes) {
		g->planes = mp_realloc(g->planes, (i + 1) * sizeof(*g->planes));
		for (; g->n_planes <= i; g->n_planes++)
			g->planes[g->n_planes] = (struct mp_plane){
				mp_big_alloc(cells_size(g)),
				g->y.max + 1,
				mp_zalloc((g->x.max + 1) * sizeof(bool)),
			};
	}
	g->plane = &g->planes[i];
}

/* --- from values to lines and back ------------------------------------------------------------ */

/*
 * Numbers doubles by their bits: the exponent is above the mantissa, so the upper bits say which
 * power of two the value is above, and in which part of the range up to the next one. Negative ones
 * are rounded away from zero, so that a line's beginning is its least value.
 */
static inline int64_t value_line(double v, int level)
{
	double size = fabs(v);
	uint64_t bits;

	memcpy(&bits, &size, sizeof(bits));
	if (v < 0)
		return -(int64_t)((bits + ((1ull << level) - 1)) >> level);
	return (int64_t)(bits >> level);
}

int64_t mp_grid_line_of(const struct mp_lines *l, const struct mp_grid_coord *p, int level)
{
	if (l->kind == MP_WHOLE)
		return p->whole >> level;
	if (l->kind == MP_DECIMAL)
		return (int64_t)floor(ldexp(p->real, -level));
	return value_line(p->real, level);
}

int64_t mp_grid_line_begin_whole(const struct mp_lines *l, int64_t line)
{
	if (line > INT64_MAX >> l->level)
		return INT64_MAX;
	return (int64_t)((uint64_t)line << l->level);
}

double mp_grid_line_begin(const struct mp_lines *l, int64_t line)
{
	static const int64_t infinite = 0x7ffll << 52;
	uint64_t bits;
	double v;

	if (l->kind == MP_WHOLE)
		return ldexp((double)line, l->level);
	if (l->kind == MP_DECIMAL)
		return ldexp((double)line, l->level);
	bits = (uint64_t)llabs(line) << l->level;
	bits = MP_MIN(bits, (uint64_t)infinite - 1); /* the greatest double */
	memcpy(&v, &bits, sizeof(v));
	return line < 0 ? -v : v;
}

/* --- slots ------------------------------------------------------------------------------------ */

/* Takes a free slot for a line; `key` is that of its entry in l->slots. */
static unsigned new_slot(struct mp_lines *l, int64_t line, uint64_t key)
{
	unsigned slot = l->n_free ? l->free[--l->n_free] : l->top++;

	l->used[slot] = true;
	l->line[slot] = line;
	mp_intmap_add(&l->slots, key, slot + 1);
	l->n++;
	return slot;
}

static void drop_slot(struct mp_lines *l, unsigned slot)
{
	l->used[slot] = false;
	free((void *)l->name[slot].p);
	l->name[slot] = (struct mp_str){ NULL, 0 };
	l->free[l->n_free++] = slot;
	l->n--;
}

static inline uint64_t sum(struct mp_grid *g, uint64_t a, uint64_t b)
{
	if (a + b <= INT64_MAX) /* neither addend is above it */
		return a + b;
	g->overflow = true;
	return INT64_MAX;
}

struct move {
	unsigned from, to;
};

/* Moves the sums of a column to another one, of the same plane or not. */
static void move_column(struct mp_grid *g, struct mp_plane *a, unsigned from, struct mp_plane *b,
			unsigned to)
{
	uint64_t *source = mp_plane_cell(a, from, 0), *target = mp_plane_cell(b, to, 0);
	size_t row;

	if (!a->touched[from])
		return;
	for (row = 0; row <= g->y.max; row++)
		target[row] = sum(g, target[row], source[row]);
	memset(source, 0, (g->y.max + 1) * sizeof(*source));
	b->touched[to] = true;
	a->touched[from] = false;
}

static void move_losses(struct mp_grid *g, unsigned from, unsigned to)
{
	if (g->lost[from] && (!g->lost[to] || g->lost_from[from] < g->lost_from[to]))
		g->lost_from[to] = g->lost_from[from];
	g->lost[to] = sum(g, g->lost[to], g->lost[from]);
	g->lost[from] = 0;
}

/* Goes column by column, so that a column stays in the cache. */
static void move_rows(struct mp_grid *g, struct mp_plane *p, const struct move *moves, size_t n)
{
	size_t column, i;

	for (column = 0; n && column <= g->x.max; column++) {
		uint64_t *cells = mp_plane_cell(p, column, 0);

		if (!p->touched[column])
			continue;
		for (i = 0; i < n; i++) {
			cells[moves[i].to] = sum(g, cells[moves[i].to], cells[moves[i].from]);
			cells[moves[i].from] = 0;
		}
	}
}

static void move_lines(struct mp_grid *g, struct mp_lines *l, const struct move *moves, size_t n)
{
	struct mp_plane *p;
	size_t i;

	for (p = g->planes; p < g->planes + g->n_planes; p++) {
		if (l == &g->y)
			move_rows(g, p, moves, n);
		for (i = 0; l == &g->x && i < n; i++)
			move_column(g, p, moves[i].from, p, moves[i].to);
	}
	for (i = 0; l == &g->x && i < n; i++)
		move_losses(g, moves[i].from, moves[i].to);
}

void mp_grid_merge_plane(struct mp_grid *g, size_t from)
{
	size_t column;

	for (column = 0; column <= g->x.max; column++)
		move_column(g, &g->planes[from], column, &g->planes[0], column);
}

/* Merges each 2^by neighbouring lines. */
static void coarsen(struct mp_grid *g, struct mp_lines *l, int by)
{
	struct move moves[MP_MAX(MP_GRID_COLUMNS, MP_GRID_ROWS)];
	size_t n = 0, i;

	set_level(l, l->level + by);
	by = MP_MIN(by, 63);
	mp_intmap_clear(&l->slots);
	l->has_last = false;
	for (i = 0; i < l->top; i++) {
		uint64_t same;

		if (!l->used[i])
			continue;
		l->line[i] >>= by;
		same = mp_intmap_get(&l->slots, (uint64_t)l->line[i]);
		if (same) {
			moves[n++] = (struct move){ i, same - 1 };
			drop_slot(l, i);
		} else {
			mp_intmap_add(&l->slots, (uint64_t)l->line[i], i + 1);
		}
	}
	move_lines(g, l, moves, n);
}

static unsigned make_slot(struct mp_grid *g, struct mp_lines *l, int64_t line)
{
	int level = l->level;
	uint64_t slot;

	while (!(slot = mp_intmap_get(&l->slots, (uint64_t)line)) && l->n == l->max) {
		coarsen(g, l, 1);
		line >>= l->level - level;
		level = l->level;
	}
	l->last_slot = slot ? slot - 1 : new_slot(l, line, (uint64_t)line);
	l->last_line = line;
	l->has_last = true;
	return l->last_slot;
}

/* The slot of a line at the axis's level. The level rises if there is no room for a new line. */
static inline unsigned slot_of(struct mp_grid *g, struct mp_lines *l, int64_t line)
{
	uint64_t slot;

	if (l->last_line == line && l->has_last)
		return l->last_slot;
	slot = mp_intmap_get(&l->slots, (uint64_t)line);
	if (!slot)
		return make_slot(g, l, line);
	l->last_line = line;
	l->last_slot = slot - 1;
	l->has_last = true;
	return l->last_slot;
}

/* --- names ------------------------------------------------------------------------------------ */

/* The order in which names are kept; as it decides the output, it has no seed. */
static int64_t rank_of(struct mp_str name)
{
	return (int64_t)mp_hash(name.p, name.len, 0);
}

static bool is_after(const struct mp_lines *l, int64_t rank, struct mp_str name, unsigned slot)
{
	if (rank != l->line[slot])
		return (uint64_t)rank > (uint64_t)l->line[slot];
	return mp_str_cmp(name, l->name[slot]) > 0;
}

static void find_greatest(struct mp_lines *l)
{
	unsigned i;

	l->greatest = 0; /* all slots are in use */
	for (i = 1; i < l->top; i++)
		if (is_after(l, l->line[i], l->name[i], l->greatest))
			l->greatest = i;
}

/* The entry of a name in l->slots, or a free entry; `hash` is the hash of the name. */
static struct mp_intmap_entry *find_name(const struct mp_lines *l, struct mp_str name,
					 uint64_t hash)
{
	struct mp_intmap_entry *e = mp_intmap_find(&l->slots, hash);

	while (e->value && !mp_str_eq(l->name[e->value - 1], name))
		e = mp_intmap_next(&l->slots, e);
	return e;
}

static uint64_t hash_of(struct mp_str name)
{
	return mp_hash(name.p, name.len, mp_hash_seed());
}

/* Evicts the name that comes last in the order of hashes: moves its sums to "other". */
static void evict(struct mp_grid *g, struct mp_lines *l)
{
	struct move move = { l->greatest, l->max };
	struct mp_str name = l->name[move.from];

	mp_intmap_remove(&l->slots, find_name(l, name, hash_of(name)));
	drop_slot(l, move.from);
	move_lines(g, l, &move, 1);
	l->has_last = false;
}

/*
 * Makes a slot for a name. If it comes after all names that are kept, its slot is that of "other".
 */
static unsigned new_name(struct mp_grid *g, struct mp_lines *l, struct mp_str name, uint64_t hash)
{
	int64_t rank = rank_of(name);
	unsigned slot;

	if (l->n == l->max) {
		if (is_after(l, rank, name, l->greatest))
			return l->max;
		evict(g, l);
	}
	slot = new_slot(l, rank, hash);
	l->name[slot] = (struct mp_str){ mp_strndup(name.p, name.len), name.len };
	if (l->n == l->max)
		find_greatest(l);
	return slot;
}

unsigned mp_grid_name_slot(struct mp_grid *g, struct mp_lines *l, const struct mp_str *name)
{
	struct mp_intmap_entry *e;
	struct mp_str key;
	uint64_t hash;

	if (!name)
		return l->max;
	key = (struct mp_str){ name->p, MP_MIN(name->len, (size_t)MP_GRID_NAME_MAX) };
	if (l->has_last && mp_str_eq(l->name[l->last_slot], key))
		return l->last_slot;
	hash = hash_of(key);
	e = find_name(l, key, hash);
	l->last_slot = e->value ? e->value - 1 : new_name(g, l, key, hash);
	l->has_last = l->last_slot != l->max;
	return l->last_slot;
}

/* --- adding ----------------------------------------------------------------------------------- */

static inline void note_real(struct mp_lines *l, double v)
{
	if (!l->any || v < l->low)
		l->low = v;
	if (!l->any || v > l->high)
		l->high = v;
	if (l->whole && fabs(v) < 0x1p62 && (double)(int64_t)v != v)
		l->whole = false;
	l->any = true;
}

static void note_whole(struct mp_lines *l, int64_t v)
{
	if (!l->any || v < l->first)
		l->first = v;
	if (!l->any || v > l->last)
		l->last = v;
	l->any = true;
}

/* As floor(), but inline, which is faster. */
static inline int64_t whole_below(double v)
{
	int64_t whole = (int64_t)v;

	return whole - (v < (double)whole);
}

static inline unsigned decimal_slot(struct mp_grid *g, struct mp_lines *l, double v)
{
	if (fabs(v) >= l->limit)
		coarsen(g, l, MP_MAX(ilogb(v) - DECIMAL_BITS - l->level, 0));
	note_real(l, v);
	return slot_of(g, l, whole_below(v * l->scale));
}

static inline unsigned value_slot(struct mp_grid *g, struct mp_lines *l, double v)
{
	note_real(l, v);
	return slot_of(g, l, value_line(v, l->level));
}

static unsigned place_slot(struct mp_grid *g, struct mp_lines *l, const struct mp_grid_coord *p)
{
	switch (l->kind) {
	case MP_NAMES:
		return mp_grid_name_slot(g, l, &p->name);
	case MP_WHOLE:
		note_whole(l, p->whole);
		break;
	case MP_DECIMAL:
		return decimal_slot(g, l, p->real);
	case MP_VALUE:
		return value_slot(g, l, p->real);
	}
	return slot_of(g, l, p->whole >> l->level);
}

void mp_grid_put(struct mp_grid *g, unsigned column, unsigned row, uint64_t weight)
{
	uint64_t *cell = mp_grid_cell(g, column, row);

	g->plane->touched[column] = true;
	*cell = sum(g, *cell, weight);
}

void mp_grid_add(struct mp_grid *g, const struct mp_grid_coord *x, const struct mp_grid_coord *y,
		 uint64_t weight)
{
	unsigned column = place_slot(g, &g->x, x);

	mp_grid_put(g, column, place_slot(g, &g->y, y), weight);
	g->records++;
}

void mp_grid_add_point(struct mp_grid *g, double x, double y)
{
	unsigned column = decimal_slot(g, &g->x, x);

	mp_grid_put(g, column, value_slot(g, &g->y, y), 1);
	g->records++;
}

/* Makes the columns from one line to another; false if that made the level rise. */
static bool make_columns(struct mp_grid *g, int64_t from, int64_t to)
{
	int level = g->x.level;
	int64_t line;

	if ((uint64_t)to - (uint64_t)from >= g->x.max) {
		coarsen(g, &g->x, 1);
		return false;
	}
	for (line = from; line <= to; line++) {
		slot_of(g, &g->x, line);
		if (g->x.level != level)
			return false;
	}
	return true;
}

void mp_grid_spread(struct mp_grid *g, int64_t from, int64_t to, const struct mp_grid_coord *y)
{
	int64_t last = MP_MAX(from, to - 1), first_line, last_line, line;
	unsigned row = place_slot(g, &g->y, y);

	note_whole(&g->x, from);
	note_whole(&g->x, last);
	do {
		first_line = from >> g->x.level;
		last_line = last >> g->x.level;
	} while (!make_columns(g, first_line, last_line));
	for (line = first_line; line <= last_line; line++) {
		int64_t begin = mp_grid_line_begin_whole(&g->x, line);
		int64_t end = line == last_line ? to : mp_grid_line_begin_whole(&g->x, line + 1);

		mp_grid_put(g, slot_of(g, &g->x, line), row, end - MP_MAX(begin, from));
	}
	g->records++;
}

void mp_grid_lost(struct mp_grid *g, uint64_t n, bool timed, int64_t from, int64_t at)
{
	unsigned column;

	if (!timed || g->x.kind != MP_WHOLE || n == 0) {
		g->lost_elsewhere = sum(g, g->lost_elsewhere, n);
		return;
	}
	column = place_slot(g, &g->x, &(struct mp_grid_coord){ .whole = at });
	mp_grid_put_lost(g, column, n, from);
}

void mp_grid_put_lost(struct mp_grid *g, unsigned column, uint64_t n, int64_t from)
{
	if (!g->lost[column] || from < g->lost_from[column])
		g->lost_from[column] = from;
	g->lost[column] = sum(g, g->lost[column], n);
}

int mp_grid_set_level(struct mp_grid *g, struct mp_lines *l, int level)
{
	int least = l->kind == MP_DECIMAL ? LEAST_DECIMAL : 0;
	int most = l->kind == MP_DECIMAL ? 1024 : 62;

	if (level < least || level > most)
		return -1;
	if (level > l->level)
		coarsen(g, l, level - l->level);
	return 0;
}

unsigned mp_grid_line_slot(struct mp_grid *g, struct mp_lines *l, int64_t line, int level)
{
	return slot_of(g, l, line >> MP_MIN(l->level - level, 63));
}
