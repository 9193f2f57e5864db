// SPDX-License-Identifier: GPL-2.0-only
#include "lib/timeline/timeline.h"

#include <math.h>
#include <stdlib.h>

#include "lib/core/natural.h"

enum {
	SINGLES = 100000,  /* spans that are drawn one by one */
	CELLS = 120000,	   /* cells of the levels */
	VALUES = 100000,   /* cells of the counters */
	ARROWS = 50000,	   /* arrows between pairs of events */
	CATEGORIES = 4096, /* more labels become one */
	LOSSES = 1000,
	VALUE_MAX = 256,   /* a longer value is omitted */
	FIELDS_MAX = 4096, /* bytes of the fields of a single; further ones are omitted */
};

struct type {
	const struct mp_arrow_rule *rule;
	struct mp_field counter; /* name.p == NULL: its events are not counters */
};

static void add_level(void *arg, const struct mp_single *one)
{
	struct mp_timeline *t = arg;

	mp_levels_span(&t->levels, one->row, one->category, one->begin_ns, one->dur_ns);
}

void mp_timeline_init(struct mp_timeline *t)
{
	memset(t, 0, sizeof(*t));
	mp_map_init(&t->row_map, sizeof(struct mp_timeline_row));
	mp_map_init(&t->series_map, sizeof(struct mp_timeline_series));
	mp_map_init(&t->stacks, sizeof(uint32_t));
	mp_map_init(&t->type_map, sizeof(struct type));
	mp_map_init(&t->category_map, sizeof(uint32_t));
	mp_singles_init(&t->singles, SINGLES, add_level, t);
	mp_levels_init(&t->levels, CELLS);
	mp_levels_init(&t->counters, VALUES);
	t->begin_ns = UINT64_MAX;
}

/* The index of a field in `wanted`, to which it is added unless it is there. */
static size_t want(struct mp_timeline *t, const struct mp_field *f)
{
	size_t i;

	for (i = 0; i < t->wanted.n; i++)
		if (mp_str_eq(t->wanted.v[i].name, f->name))
			return i;
	t->wanted.v = mp_grow(t->wanted.v, &t->wanted.cap, i + 1, sizeof(*f));
	t->wanted.v[t->wanted.n++] = *f;
	return i;
}

void mp_timeline_begin(struct mp_timeline *t)
{
	static const struct mp_field dur = MP_FIELD_OF(KEY, "dur"),
				     state = MP_FIELD_OF(KEY, "state");
	size_t i;

	for (i = 0; i < t->rows.n; i++)
		t->row_at[i] = want(t, &t->rows.v[i]);
	t->state_at = want(t, &state);
	t->colour_at = t->colour.name.p ? want(t, &t->colour) : t->state_at;
	t->dur_at = want(t, &dur);
}

void mp_timeline_release(struct mp_timeline *t)
{
	mp_map_release(&t->row_map);
	mp_map_release(&t->series_map);
	mp_map_release(&t->stacks);
	mp_map_release(&t->type_map);
	mp_map_release(&t->category_map);
	mp_arrow_pairs_release(&t->pairs);
	mp_singles_release(&t->singles);
	mp_levels_release(&t->levels);
	mp_levels_release(&t->counters);
	free(t->by_row);
	free(t->categories);
	free(t->loose);
	free(t->losses);
	free(t->wanted.v);
}

/* --- names ------------------------------------------------------------------------------------ */

static struct type *type_of(struct mp_timeline *t, struct mp_str name)
{
	struct type *type;
	bool fresh;

	if (t->last_type && mp_str_eq(t->last_type->key, name))
		return mp_map_value(t->last_type);
	t->last_type = mp_map_put(&t->type_map, &name, 1, &fresh);
	type = mp_map_value(t->last_type);
	if (fresh) {
		type->rule = t->arrows ? mp_arrow_rule(name) : NULL;
		type->counter = t->counter.name.p ? t->counter : mp_field_counter(name);
	}
	return type;
}

static struct mp_timeline_row *row_of(struct mp_timeline *t, const struct mp_str *values)
{
	struct mp_timeline_row *row;
	struct mp_map_entry *e;
	bool fresh;

	e = mp_map_put(&t->row_map, values, t->rows.n, &fresh);
	row = mp_map_value(e);
	if (fresh)
		row->number = t->row_map.n - 1;
	return row;
}

static uint32_t category_of(struct mp_timeline *t, struct mp_str type, struct mp_str label)
{
	struct mp_str parts[] = { type, label };
	size_t n = label.p ? 2 : 1, len;
	struct mp_map_entry *e;
	uint32_t *number;
	bool fresh;

	if (t->n_categories >= CATEGORIES && !mp_map_find(&t->category_map, parts, n)) {
		parts[0] = MP_STR("(others)");
		n = 1;
	}
	e = mp_map_put(&t->category_map, parts, n, &fresh);
	number = mp_map_value(e);
	if (fresh) {
		t->categories = mp_grow(t->categories, &t->categories_cap, t->n_categories + 1,
					sizeof(*t->categories));
		len = parts[0].len;
		parts[0] = (struct mp_str){ e->key.p, len };
		parts[1] = n == 2 ? (struct mp_str){ e->key.p + len + 1, e->key.len - len - 1 }
				  : (struct mp_str){ NULL, 0 };
		t->categories[t->n_categories] =
			(struct mp_timeline_category){ parts[0], parts[1] };
		*number = t->n_categories++;
	}
	return *number;
}

static uint32_t number_in(struct mp_map *map, const struct mp_str *parts, size_t n)
{
	uint32_t *number;
	bool fresh;

	number = mp_map_value(mp_map_put(map, parts, n, &fresh));
	if (fresh)
		*number = map->n - 1;
	return *number;
}

/* --- events ----------------------------------------------------------------------------------- */

static void note_times(struct mp_timeline *t, uint64_t begin_ns, uint64_t end_ns)
{
	t->begin_ns = MP_MIN(t->begin_ns, begin_ns);
	t->end_ns = MP_MAX(t->end_ns, end_ns);
	t->events++;
}

/* The fields of an event without its duration and its stack; NULL: there are none. */
static char *copy_fields(const struct mp_rec *rec, struct mp_str stack, uint32_t *len)
{
	struct mp_str rest = rec->body, key, value;
	char text[FIELDS_MAX + 2], *p = text;

	while (mp_rec_next_field(&rest, &key, &value)) {
		if (mp_str_eq(key, MP_STR("dur")) || (stack.p && value.p == stack.p))
			continue;
		if (value.len > VALUE_MAX)
			value = MP_STR("\xe2\x80\xa6");
		if (p - text + key.len + value.len > FIELDS_MAX)
			break;
		memcpy(p, key.p, key.len);
		p += key.len;
		*p++ = '=';
		memcpy(p, value.p, value.len);
		p += value.len;
		*p++ = '\t';
	}
	*len = p > text ? p - text - 1 : 0;
	return *len ? mp_memdup(text, *len) : NULL;
}

/* Whether this state ends with what its waker did, which is the begin of the wait that follows. */
static bool is_before_wakeup(const struct mp_rec *rec, struct mp_str state)
{
	return state.p && mp_str_eq(rec->type, MP_STR("sched:span")) &&
	       !mp_str_eq(state, MP_STR("wait"));
}

static void fill_single(struct mp_timeline *t, const struct mp_rec *rec, const struct type *type,
			struct mp_str state, struct mp_single *one)
{
	struct mp_arrow_end end;
	struct mp_str stack;

	if (!mp_rec_stack(rec, &stack))
		stack.p = NULL;
	one->stack = stack.p ? number_in(&t->stacks, &stack, 1) + 1 : 0;
	one->fields = copy_fields(rec, stack, &one->fields_len);
	if (!t->arrows || is_before_wakeup(rec, state) ||
	    !mp_arrow_read(type->rule, rec, &t->rows, one->begin_ns, &end))
		return;
	one->arrow_row = row_of(t, end.row)->number;
	one->arrow_ns = end.time_ns;
	one->leads = end.leads;
}

static void add_pair(struct mp_timeline *t, const struct type *type, const struct mp_rec *rec,
		     uint32_t row)
{
	const struct mp_arrow_begun *begun;

	if (!type->rule || !(begun = mp_arrow_pair(&t->pairs, type->rule, rec, row)))
		return;
	if (t->n_arrows == ARROWS) {
		t->arrows_beyond++;
		return;
	}
	t->loose = mp_grow(t->loose, &t->arrows_cap, t->n_arrows + 1, sizeof(*t->loose));
	t->loose[t->n_arrows++] =
		(struct mp_timeline_arrow){ begun->time_ns, rec->time_ns, begun->row, row, 0 };
}

static bool in_window(struct mp_timeline *t, uint64_t begin_ns, uint64_t end_ns)
{
	if (!t->windowed)
		return true;
	if (!t->window.placed && mp_window_place(&t->window, end_ns) < 0)
		mp_die("the header does not say what time of day its clock has: give --from and "
		       "--to as times since the start, or as @NS");
	t->early += end_ns < t->window.begin_ns;
	t->late += begin_ns >= t->window.end_ns;
	return end_ns >= t->window.begin_ns && begin_ns < t->window.end_ns;
}

static int add_value(struct mp_timeline *t, const struct mp_rec *rec, const struct type *type,
		     const struct mp_str *row, const char **why)
{
	struct mp_str parts[MP_ARROW_FIELDS_MAX + 1];
	struct mp_timeline_series *series;
	bool fresh;
	double v;

	*why = "bad value of the counter";
	if (mp_rec_number(rec, &type->counter, &v) < 1 || fabs(v) >= (double)INT64_MAX)
		return -1;
	if (!in_window(t, rec->time_ns, rec->time_ns))
		return 0;
	memcpy(parts, row, t->rows.n * sizeof(*parts));
	parts[t->rows.n] = rec->type;
	series = mp_map_value(mp_map_put(&t->series_map, parts, t->rows.n + 1, &fresh));
	if (fresh)
		*series =
			(struct mp_timeline_series){ t->series_map.n - 1, row_of(t, row)->number };
	mp_levels_value(&t->counters, series->number, rec->time_ns, llround(v));
	note_times(t, rec->time_ns, rec->time_ns);
	return 0;
}

static bool is_counter(const struct mp_timeline *t, const struct mp_rec *rec,
		       const struct type *type)
{
	struct mp_str value;

	return type->counter.name.p &&
	       (!t->counter.name.p || mp_rec_get(rec, &type->counter, &value));
}

/* Adds a span or an instant to a row. */
static void add_event(struct mp_timeline *t, const struct mp_rec *rec, const struct type *type,
		      struct mp_timeline_row *row, const struct mp_str *values,
		      struct mp_single *one)
{
	struct mp_str state = values[t->state_at];

	one->row = row->number;
	one->category = category_of(t, rec->type, values[t->colour_at]);
	one->marked = t->mark && mp_expr_match(t->mark, rec);
	if (one->instant || !state.p || mp_str_eq(state, MP_STR("run")))
		row->weight += one->instant ? 1 : one->dur_ns;
	add_pair(t, type, rec, row->number);
	note_times(t, one->begin_ns, rec->time_ns);
	if (!mp_singles_wants(&t->singles, one)) {
		add_level(t, one);
		return;
	}
	fill_single(t, rec, type, state, one);
	mp_singles_add(&t->singles, one);
}

int mp_timeline_add(struct mp_timeline *t, const struct mp_rec *rec, const char **why)
{
	struct mp_str values[MP_ARROW_FIELDS_MAX + 3], row[MP_ARROW_FIELDS_MAX];
	const struct type *type = type_of(t, rec->type);
	struct mp_single one = { .begin_ns = rec->time_ns, .arrow_row = MP_SINGLE_NO_ROW };
	size_t i;

	mp_rec_names(rec, &t->wanted, values);
	for (i = 0; i < t->rows.n; i++) {
		row[i] = values[t->row_at[i]];
		if (!row[i].p) {
			t->no_row++;
			return 0;
		}
	}
	if (is_counter(t, rec, type))
		return add_value(t, rec, type, row, why);
	one.instant = !values[t->dur_at].p;
	*why = "bad dur";
	if (!one.instant &&
	    (mp_num_u64(values[t->dur_at], &one.dur_ns) < 0 || one.dur_ns > rec->time_ns))
		return -1;
	one.begin_ns -= one.dur_ns;
	if (in_window(t, one.begin_ns, rec->time_ns))
		add_event(t, rec, type, row_of(t, row), values, &one);
	return 0;
}

void mp_timeline_header(struct mp_timeline *t, const struct mp_ctl *header)
{
	if (t->windowed)
		mp_window_header(&t->window, header);
}

void mp_timeline_lost(struct mp_timeline *t, const struct mp_ctl *loss)
{
	struct mp_ctl part = *loss;
	struct mp_timeline_loss *last;

	if (t->windowed && !mp_window_restrict(&t->window, &part))
		return;
	if (t->n_losses == LOSSES) {
		last = &t->losses[LOSSES - 1];
		last->from_ns = MP_MIN(last->from_ns, part.from_ns);
		last->time_ns = MP_MAX(last->time_ns, part.time_ns);
		last->n = mp_count_sum(last->n, part.lost);
		return;
	}
	t->losses = mp_grow(t->losses, &t->losses_cap, t->n_losses + 1, sizeof(*t->losses));
	t->losses[t->n_losses++] =
		(struct mp_timeline_loss){ part.from_ns, part.time_ns, part.lost };
}

/* --- the end ---------------------------------------------------------------------------------- */

static int compare_names(const struct mp_map_entry *a, const struct mp_map_entry *b)
{
	return mp_natural_cmp(a->key, b->key);
}

static int compare_natural(const void *a, const void *b)
{
	return compare_names(*(struct mp_map_entry *const *)a, *(struct mp_map_entry *const *)b);
}

static int compare_weights(const void *a, const void *b)
{
	struct mp_map_entry *const *x = a, *const *y = b;
	const struct mp_timeline_row *v = mp_map_value(*x), *w = mp_map_value(*y);

	if (v->weight != w->weight)
		return v->weight > w->weight ? -1 : 1;
	return compare_names(*x, *y);
}

/* The arrows of singles join those of pairs. */
static void take_arrows(struct mp_timeline *t)
{
	size_t i;

	for (i = 0; i < t->singles.n; i++) {
		const struct mp_single *s = &t->singles.v[i];
		struct mp_timeline_arrow a = { s->arrow_ns, s->begin_ns, s->arrow_row, s->row,
					       i + 1 };

		if (s->arrow_row == MP_SINGLE_NO_ROW)
			continue;
		if (s->leads)
			a = (struct mp_timeline_arrow){ s->begin_ns + s->dur_ns, s->arrow_ns,
							s->row, s->arrow_row, i + 1 };
		t->loose = mp_grow(t->loose, &t->arrows_cap, t->n_arrows + 1, sizeof(a));
		t->loose[t->n_arrows++] = a;
	}
}

/* Calls a function for the number of each row that something refers to. */
static void each_row(struct mp_timeline *t, void (*call)(struct mp_timeline *t, uint32_t *row))
{
	struct mp_map_entry *e;
	size_t i;

	for (i = 0; i < t->singles.n; i++) {
		call(t, &t->singles.v[i].row);
		call(t, &t->singles.v[i].arrow_row);
	}
	for (i = 0; i < t->singles.n_marked; i++) {
		call(t, &t->singles.marked[i].row);
		call(t, &t->singles.marked[i].arrow_row);
	}
	for (i = 0; i < t->levels.n; i++)
		call(t, &t->levels.cells[i].row);
	for (i = 0; i < t->n_arrows; i++) {
		call(t, &t->loose[i].from_row);
		call(t, &t->loose[i].to_row);
	}
	mp_map_each (&t->series_map, e)
		call(t, &((struct mp_timeline_series *)mp_map_value(e))->row);
}

static void use_row(struct mp_timeline *t, uint32_t *row)
{
	if (*row != MP_SINGLE_NO_ROW)
		t->row_of[*row]->used = true;
}

static void renumber(struct mp_timeline *t, uint32_t *row)
{
	if (*row != MP_SINGLE_NO_ROW)
		*row = t->row_of[*row]->number;
}

/* Numbers the rows that are used, in their order. */
static void order_rows(struct mp_timeline *t)
{
	struct mp_map_entry *e;
	size_t i;

	t->by_row = mp_alloc((t->row_map.n + 1) * sizeof(struct mp_map_entry *));
	mp_map_each (&t->row_map, e)
		if (((struct mp_timeline_row *)mp_map_value(e))->used)
			t->by_row[t->n_rows++] = e;
	if (t->order == MP_TIMELINE_NATURAL)
		qsort(t->by_row, t->n_rows, sizeof(*t->by_row), compare_natural);
	if (t->order == MP_TIMELINE_WEIGHT)
		qsort(t->by_row, t->n_rows, sizeof(*t->by_row), compare_weights);
	for (i = 0; i < t->n_rows; i++)
		((struct mp_timeline_row *)mp_map_value(t->by_row[i]))->number = i;
}

static int compare_arrows(const void *a, const void *b)
{
	const struct mp_timeline_arrow *x = a, *y = b;

	if (x->from_ns != y->from_ns)
		return x->from_ns < y->from_ns ? -1 : 1;
	if (x->to_ns != y->to_ns)
		return x->to_ns < y->to_ns ? -1 : 1;
	if (x->from_row != y->from_row)
		return x->from_row < y->from_row ? -1 : 1;
	return x->to_row < y->to_row ? -1 : x->to_row > y->to_row;
}

void mp_timeline_finish(struct mp_timeline *t)
{
	struct mp_map_entry *e;
	size_t i = 0;

	mp_singles_trim(&t->singles);
	t->row_of = mp_alloc((t->row_map.n + 1) * sizeof(struct mp_timeline_row *));
	mp_map_each (&t->row_map, e)
		t->row_of[i++] = mp_map_value(e);
	each_row(t, use_row);
	order_rows(t);
	each_row(t, renumber);
	free(t->row_of);
	mp_singles_finish(&t->singles);
	mp_levels_finish(&t->levels);
	mp_levels_finish(&t->counters);
	take_arrows(t);
	for (i = 0; i < t->n_arrows; i++) {
		const struct mp_timeline_arrow *a = &t->loose[i];

		t->begin_ns = MP_MIN(t->begin_ns, MP_MIN(a->from_ns, a->to_ns));
		t->end_ns = MP_MAX(t->end_ns, MP_MAX(a->from_ns, a->to_ns));
	}
	if (t->n_arrows)
		qsort(t->loose, t->n_arrows, sizeof(*t->loose), compare_arrows);
}
