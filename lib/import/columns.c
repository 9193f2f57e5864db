// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/columns.h"

enum { FEW = 16 }; /* fewer lines of a type may all be from one odd thread */

/* How many lines of a type match each shape. */
struct prior {
	uint32_t lines[MP_PERF_SHAPES];
	unsigned best;
};

void mp_import_columns_init(struct mp_import_columns *c)
{
	*c = (struct mp_import_columns){ .best = { MP_PERF_NO_SHAPE, MP_PERF_NO_SHAPE } };
	mp_map_init(&c->types, sizeof(struct prior));
}

void mp_import_columns_release(struct mp_import_columns *c)
{
	mp_map_release(&c->types);
}

bool mp_import_is_tracepoint(struct mp_str type)
{
	const char *colon = memchr(type.p, ':', type.len);
	size_t i;

	if (!colon || memchr(type.p, '/', type.len))
		return false;
	for (i = colon + 1 - type.p; i < type.len; i++)
		if (!strchr("ukhpPGHSDWIeb", type.p[i]))
			return true;
	return false;
}

/* The blanks before an event may also pad a TID after a PID, so the two are measured together. */
static size_t width_with_tid(const struct mp_perf_cut *cut)
{
	return cut->event_width + cut->head.tid.len;
}

/* --- learning --------------------------------------------------------------------------------- */

typedef bool next_cut(struct mp_str line, size_t *at, struct mp_perf_cut *cut);

/* Whether a line has a reading in which perf padded the name to its column. */
static bool may_be_padded(struct mp_str line)
{
	static next_cut *const cuts[] = { mp_import_timed_cut, mp_import_event_cut,
					  mp_import_plain_cut };
	struct mp_perf_cut cut;
	size_t at, i, shape;

	for (i = 0; i < MP_ARRAY_SIZE(cuts) && *line.p == ' '; i++)
		for (at = 0; cuts[i](line, &at, &cut);)
			for (shape = 0; shape < MP_PERF_SHAPES; shape++)
				if (mp_import_match(&cut, shape) &&
				    mp_import_comm_padded(&cut.head))
					return true;
	return false;
}

/*
 * Counts the shapes that a cut matches; false if it matches none. With `padded`, blanks before a
 * name are the padding of its column. widest: the event's column so far, in any shape, and with the
 * TID in those with a PID.
 */
static bool count_shapes(struct mp_import_columns *c, struct mp_perf_cut *cut, bool padded,
			 size_t widest[2])
{
	struct mp_str type = cut->head.type.p ? cut->head.type : MP_STR("");
	struct prior *prior = NULL;
	unsigned i;

	for (i = 0; i < MP_PERF_SHAPES; i++) {
		if (!mp_import_match(cut, i))
			continue;
		if (padded && cut->head.comm.len && *cut->head.comm.p == ' ')
			continue;
		if (!prior)
			prior = mp_map_value(mp_map_put(&c->types, &type, 1, NULL));
		prior->lines[i]++;
		c->lines[i]++;
		widest[false] = MP_MAX(widest[false], cut->event_width);
		if (cut->head.pid.p)
			widest[true] = MP_MAX(widest[true], width_with_tid(cut));
	}
	return prior != NULL;
}

void mp_import_columns_learn(struct mp_import_columns *c, struct mp_str line)
{
	size_t at, widest[2] = { 0, 0 }, unused[2] = { 0, 0 };
	bool timed = false, event = false, plain = false, padded = may_be_padded(line);
	unsigned i;
	struct mp_perf_cut cut;

	for (at = 0; mp_import_timed_cut(line, &at, &cut);)
		timed |= count_shapes(c, &cut, padded, unused);
	for (at = 0; mp_import_event_cut(line, &at, &cut);)
		event |= count_shapes(c, &cut, padded, widest);
	for (at = 0; mp_import_plain_cut(line, &at, &cut);)
		plain |= count_shapes(c, &cut, padded, unused);
	c->heads += timed || event || plain;
	c->with_time += timed;
	c->without_time += event || plain;
	c->with_event += event;
	c->plain += plain;
	for (i = 0; i < 2 && !timed; i++)
		if (widest[i] && (!c->event_width[i] || widest[i] < c->event_width[i]))
			c->event_width[i] = widest[i];
}

static bool nearly_all(uint64_t some, uint64_t all)
{
	return some >= all - all / 16;
}

/*
 * The shape with the most columns among those that nearly all lines match. A shape that few lines
 * match probably took a name or a text for columns.
 */
static unsigned best_shape(const struct mp_import_columns *c, const uint32_t *lines)
{
	unsigned i, first = c->timed ? 0 : MP_PERF_TIMED,
		    last = c->untimed ? MP_PERF_SHAPES : MP_PERF_TIMED;
	uint32_t most = 0;

	for (i = first; i < last; i++)
		most = MP_MAX(most, lines[i]);
	for (i = first; i < last; i++)
		if (lines[i] && nearly_all(lines[i], most))
			return c->lines[i] >= c->heads / 16 ? i : MP_PERF_NO_SHAPE;
	return MP_PERF_NO_SHAPE;
}

/*
 * The best shape of some lines. If they are few, the common shape is preferred if it explains all
 * of them.
 */
static unsigned likely_shape(const struct mp_import_columns *c, const uint32_t *lines,
			     unsigned common)
{
	unsigned best = best_shape(c, lines);

	if (best < MP_PERF_NO_SHAPE && common < MP_PERF_NO_SHAPE && lines[best] < FEW &&
	    lines[common] >= lines[best])
		return common;
	return best;
}

void mp_import_columns_learned(struct mp_import_columns *c)
{
	uint32_t all[MP_PERF_SHAPES] = { 0 }, lines[2][MP_PERF_SHAPES] = { { 0 } };
	const struct mp_map_entry *e;
	struct prior *prior;
	unsigned i, common;

	c->timed = nearly_all(c->with_time, c->heads) || !nearly_all(c->without_time, c->heads);
	c->untimed = !nearly_all(c->with_time, c->heads);
	c->events = nearly_all(c->with_event, c->without_time) ||
		    !nearly_all(c->plain, c->without_time);
	mp_map_each (&c->types, e) {
		prior = mp_map_value(e);
		for (i = 0; i < MP_PERF_SHAPES; i++) {
			lines[mp_import_is_tracepoint(e->key)][i] += prior->lines[i];
			all[i] += prior->lines[i];
		}
	}
	common = best_shape(c, all);
	c->best[false] = likely_shape(c, lines[false], common);
	c->best[true] = likely_shape(c, lines[true], common);
	mp_map_each (&c->types, e) {
		prior = mp_map_value(e);
		common = c->best[mp_import_is_tracepoint(e->key)];
		prior->best = likely_shape(c, prior->lines, common);
	}
}

/* --- reading ---------------------------------------------------------------------------------- */

static unsigned expected(struct mp_import_columns *c, struct mp_str type)
{
	const struct mp_map_entry **e = &c->recent[type.len % MP_ARRAY_SIZE(c->recent)];

	if (!type.p)
		type = MP_STR("");
	if (!*e || !mp_str_eq((*e)->key, type))
		*e = mp_map_find(&c->types, &type, 1);
	return *e ? ((const struct prior *)mp_map_value(*e))->best
		  : c->best[mp_import_is_tracepoint(type)];
}

/*
 * Reads a line with a time. If several places look like a time, takes the last one, since what
 * follows a time is wider than a name. Returns the shape if it is the expected one.
 */
static unsigned read_timed(struct mp_import_columns *c, struct mp_str line, struct mp_perf_head *h,
			   bool *any)
{
	unsigned found = MP_PERF_NO_SHAPE, want;
	struct mp_perf_cut cut;
	size_t at = 0;

	*any = false;
	while (mp_import_timed_cut(line, &at, &cut)) {
		want = expected(c, cut.head.type);
		if (want < MP_PERF_TIMED && mp_import_match(&cut, want))
			found = want;
		else if (found < MP_PERF_NO_SHAPE || !c->timed || !mp_import_match_any(&cut))
			continue;
		*h = cut.head;
		*any = true;
	}
	return found;
}

enum fit { NARROW, WIDE, EXACT };

/* How the event's column of a reading fits the width that was learned. */
static enum fit fit_of(const struct mp_import_columns *c, const struct mp_perf_cut *cut)
{
	size_t width = cut->event_width, with_tid = cut->head.pid.p ? width_with_tid(cut) : 0;

	if (width == c->event_width[false] || (with_tid && with_tid == c->event_width[true]))
		return EXACT;
	if (width > c->event_width[false] || with_tid > c->event_width[true])
		return WIDE;
	return NARROW;
}

/*
 * Reads a line without a time. If several places look like an event, takes the first one that is as
 * wide as the event's column.
 */
static unsigned read_untimed(struct mp_import_columns *c, struct mp_str line,
			     struct mp_perf_head *h)
{
	next_cut *next = c->events ? mp_import_event_cut : mp_import_plain_cut;
	unsigned found = MP_PERF_NO_SHAPE, want;
	struct mp_perf_cut cut = { .event_width = 0 };
	enum fit fit;
	size_t at = 0;

	while (next(line, &at, &cut)) {
		want = expected(c, cut.head.type);
		if (want == MP_PERF_NO_SHAPE || !mp_import_match(&cut, want))
			continue;
		fit = c->events ? fit_of(c, &cut) : EXACT;
		if (fit == NARROW || (found < MP_PERF_NO_SHAPE && fit != EXACT))
			continue;
		found = want;
		*h = cut.head;
		if (fit == EXACT)
			break;
	}
	return found;
}

bool mp_import_columns_read(struct mp_import_columns *c, struct mp_str line, struct mp_perf_head *h)
{
	unsigned timed, untimed;
	struct mp_perf_head other;
	bool any;

	timed = read_timed(c, line, h, &any);
	if (!c->untimed)
		return any;
	untimed = read_untimed(c, line, &other);
	if (untimed == MP_PERF_NO_SHAPE)
		return any;
	if (timed == MP_PERF_NO_SHAPE || c->lines[untimed] > c->lines[timed])
		*h = other;
	return true;
}
