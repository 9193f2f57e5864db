// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/flametext.h"

#include <stdlib.h>

/*
 * Frames farther from the root than ROWS are not printed. Lines are drawn for SIBLINGS_MAX levels
 * of siblings; the lines of deeper ones say how many levels there are.
 */
enum { ROWS = 1000, SIBLINGS_MAX = 24, NAME_MIN = 16 };

/* Columns of numbers: those of one weight; of two, and their parts. */
enum {
	NUMBERS = 20,
	SIDE_COLUMN = 9,
	RATIO_COLUMN = 8,
	SIDES = 2 * SIDE_COLUMN + RATIO_COLUMN + 4
};

/* What a line says of a frame. */
struct amounts {
	int64_t total, self;
	int64_t side[MP_FLAME_SIDES]; /* weights that are compared, if there are sides */
};

/* Siblings of which some are not yet printed. */
struct level {
	uint32_t *v; /* those above the minimum, heaviest first */
	size_t n, next;
	size_t depth;	 /* of the siblings; 1: children of the root */
	uint64_t joined; /* number of those below it; 0 if their sum is also below it */
	struct amounts joined_total;
};

struct text {
	struct mp_buf *to;
	const struct mp_flame *f;
	const struct mp_flametext *style;
	struct level *levels;
	size_t n_levels, cap;
	struct mp_buf name;
};

static bool later_byte(char c)
{
	return (c & 0xc0) == 0x80;
}

/* Cuts a text after, or before, `n` characters. */
static size_t bytes_of(struct mp_str s, size_t n, bool from_end)
{
	size_t i;

	for (i = 0; i < s.len; i++) {
		char c = from_end ? s.p[s.len - 1 - i] : s.p[i];

		if (from_end && n == 0)
			break;
		if (!later_byte(c) && n-- == 0)
			break;
	}
	return i;
}

static size_t characters(struct mp_str s)
{
	size_t n = 0, i;

	for (i = 0; i < s.len; i++)
		n += !later_byte(s.p[i]);
	return n;
}

/* Writes a name in at most `width` characters, with "..." for its middle if it has more. */
static void put_name(struct text *t, struct mp_str raw, size_t width)
{
	size_t head, tail;
	struct mp_str s;

	t->name.len = 0;
	mp_esc_terminal(&t->name, raw);
	s = mp_buf_view(&t->name);
	if (characters(s) <= width) {
		mp_buf_str(t->to, s);
		return;
	}
	head = bytes_of(s, (width - 3) * 3 / 5, false);
	tail = bytes_of(s, width - 3 - (width - 3) * 3 / 5, true);
	mp_buf_add(t->to, s.p, head);
	mp_buf_str(t->to, MP_STR("..."));
	mp_buf_add(t->to, s.p + s.len - tail, tail);
}

static struct amounts amounts_of(const struct text *t, uint32_t node)
{
	const struct mp_tree_node *v = &t->f->tree->nodes[node];
	const struct mp_flame_sides *s = t->f->sides;
	struct amounts a = { v->total, v->self, { 0 } };
	unsigned i;

	for (i = 0; s && i < MP_FLAME_SIDES; i++)
		a.side[i] = s->own ? s->side[i].self[node] : s->side[i].total[node];
	return a;
}

/* Writes a text in a column of its own. */
static void put_column(struct text *t, size_t width)
{
	mp_buf_printf(t->to, "%*.*s", (int)width, MP_STR_ARGS(mp_buf_view(&t->name)));
}

/* Writes the numbers of both sides. Returns how many columns are used. */
static size_t put_sides(struct text *t, const struct amounts *a)
{
	const int64_t *v = a->side;
	bool same = mp_flame_sides_equal(t->f->sides, v[0], v[1]);
	bool chance = !same && mp_flame_sides_step(t->f->sides, v[0], v[1]) == 0;
	unsigned i;

	for (i = 0; i < MP_FLAME_SIDES; i++) {
		t->name.len = 0;
		mp_flame_put_value(&t->name, t->f, i, v[i]);
		put_column(t, i ? SIDE_COLUMN + 1 : SIDE_COLUMN);
	}
	t->name.len = 0;
	mp_flame_put_ratio(&t->name, t->f, v[0], v[1]);
	put_column(t, RATIO_COLUMN);
	mp_buf_str(t->to, chance ? MP_STR(" ~ ") : MP_STR("   "));
	return SIDES;
}

static size_t put_numbers(struct text *t, const struct amounts *a)
{
	if (t->f->sides)
		return put_sides(t, a);
	mp_buf_printf(t->to, "%6.2f %% %6.2f %%  ", mp_flame_percent(t->f, a->total),
		      mp_flame_percent(t->f, a->self));
	return NUMBERS;
}

/*
 * Writes the numbers and the lines of siblings at the start of a line. `first` is set if this is
 * the first line of a sibling. Returns how many columns are used.
 */
static size_t put_start(struct text *t, const struct amounts *a, bool first)
{
	size_t n = MP_MIN(t->n_levels, (size_t)SIBLINGS_MAX), used = put_numbers(t, a), i;

	for (i = 0; i < n; i++) {
		const struct level *l = &t->levels[i];
		bool more = l->next < l->n || l->joined;

		if (first && i == t->n_levels - 1)
			mp_buf_str(t->to, more ? MP_STR("|-") : MP_STR("`-"));
		else
			mp_buf_str(t->to, more ? MP_STR("| ") : MP_STR("  "));
	}
	if (t->n_levels <= SIBLINGS_MAX)
		return used + 2 * n;
	mp_buf_printf(t->to, "[%zu] ", t->n_levels);
	return used + 2 * n + 8;
}

static void put_node(struct text *t, uint32_t node, bool first)
{
	struct mp_frame frame = mp_tree_frame(t->f->tree, node);
	struct amounts a = amounts_of(t, node);
	size_t used = put_start(t, &a, first);
	size_t width = t->style->columns > used ? t->style->columns - used : 0;

	if (frame.mark != MP_MARK_NONE)
		width -= MP_MIN(width, (size_t)4);
	put_name(t, mp_flame_shown(frame.name), MP_MAX(width, (size_t)NAME_MIN));
	if (frame.mark != MP_MARK_NONE)
		mp_buf_printf(t->to, "_[%c]", frame.mark);
	mp_buf_byte(t->to, '\n');
}

/* The line for a node that is too far from the root, and for what is in it. */
static void put_far(struct text *t, uint32_t node, bool first)
{
	struct amounts a = amounts_of(t, node);

	a.self = 0;
	put_start(t, &a, first);
	mp_buf_printf(t->to, "(frames farther from the root)\n");
}

static void put_joined(struct text *t, struct level *l)
{
	uint64_t n = l->joined;

	l->joined = 0;
	put_start(t, &l->joined_total, true);
	mp_buf_printf(t->to, "(%llu %s%s below %g %%)\n", (unsigned long long)n,
		      l->n ? "more frame" : "frame", mp_plural(n), t->style->min_percent);
}

static int by_weight(const void *a, const void *b, void *tree)
{
	const struct mp_tree_node *nodes = ((const struct mp_tree *)tree)->nodes;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (nodes[x].total != nodes[y].total)
		return nodes[x].total > nodes[y].total ? -1 : 1;
	return nodes[x].name < nodes[y].name ? -1 : 1;
}

static void add_amounts(struct amounts *sum, struct amounts a)
{
	unsigned i;

	sum->total += a.total;
	for (i = 0; i < MP_FLAME_SIDES; i++)
		sum->side[i] += a.side[i];
}

/* The children of a node as a level. */
static struct level children_of(struct text *t, uint32_t node)
{
	const struct mp_tree_node *nodes = t->f->tree->nodes;
	struct level l = { .n = 0 };
	size_t cap = 0;
	uint32_t i;

	for (i = nodes[node].child; i; i = nodes[i].next) {
		if (mp_flame_percent(t->f, nodes[i].total) < t->style->min_percent) {
			l.joined++;
			add_amounts(&l.joined_total, amounts_of(t, i));
			continue;
		}
		l.v = mp_grow(l.v, &cap, l.n + 1, sizeof(*l.v));
		l.v[l.n++] = i;
	}
	if (mp_flame_percent(t->f, l.joined_total.total) < t->style->min_percent)
		l.joined = 0;
	if (l.n > 1)
		qsort_r(l.v, l.n, sizeof(*l.v), by_weight, (void *)t->f->tree);
	return l;
}

/*
 * Prints a node and, in lines below it, its only child, that one's only child and so on, and opens
 * a level for the first ones that are several.
 */
static void put_chain(struct text *t, uint32_t node, size_t depth, bool first)
{
	struct level l;

	for (;; first = false, depth++) {
		if (depth > ROWS) {
			put_far(t, node, first);
			return;
		}
		if (node)
			put_node(t, node, first);
		l = children_of(t, node);
		l.depth = depth + 1;
		if (l.n != 1 || l.joined)
			break;
		node = l.v[0];
		free(l.v);
	}
	if (l.n + l.joined == 0)
		return;
	t->levels = mp_grow(t->levels, &t->cap, t->n_levels + 1, sizeof(*t->levels));
	t->levels[t->n_levels++] = l;
}

static void put_tree(struct text *t)
{
	mp_buf_str(t->to, t->f->sides ? MP_STR("   before     after   ratio   frame\n")
				      : MP_STR("   total     self  frame\n"));
	put_chain(t, 0, 0, false);
	while (t->n_levels) {
		struct level *l = &t->levels[t->n_levels - 1];

		if (l->next < l->n) {
			put_chain(t, l->v[l->next++], l->depth, true);
			continue;
		}
		if (l->joined)
			put_joined(t, l);
		free(l->v);
		t->n_levels--;
	}
}

void mp_flametext(struct mp_buf *to, const struct mp_flame *f, const struct mp_flametext *style)
{
	struct text t = { .to = to, .f = f, .style = style };

	mp_esc_terminal(to, f->title);
	mp_buf_byte(to, '\n');
	if (f->tree->nodes[0].total == 0) {
		mp_esc_terminal(to, f->nothing);
		mp_buf_byte(to, '\n');
		return;
	}
	mp_esc_terminal(to, f->subtitle);
	mp_buf_str(to, MP_STR("\n\n"));
	put_tree(&t);
	mp_buf_release(&t.name);
	free(t.levels);
}
