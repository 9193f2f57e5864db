// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/aggregate/totals.h"

#include <string.h>

void mp_agg_totals_init(struct mp_agg_totals *t, const struct mp_cut_events *events,
			const struct mp_agg_texts *texts)
{
	*t = (struct mp_agg_totals){ .events = events, .texts = texts };
	mp_map_init(&t->early, sizeof(struct mp_agg_total));
	mp_map_init(&t->lines, sizeof(struct mp_agg_total));
}

void mp_agg_totals_release(struct mp_agg_totals *t)
{
	mp_map_release(&t->early);
	mp_map_release(&t->lines);
}

static void add_to(struct mp_map *map, struct mp_str key, const struct mp_agg_total *more)
{
	struct mp_agg_total *total = mp_map_value(mp_map_put(map, &key, 1, NULL));

	total->weight += more->weight;
	total->count += more->count;
}

/*
 * Finds the waker or the age at the end of a line; false if the waker's stack has not been
 * received.
 */
static bool find_other(struct mp_agg_totals *t, const struct mp_agg_key *key,
		       struct mp_agg_line_key *line)
{
	struct mp_agg_text_known waker;
	bool has_waker;

	line->held = t->events->aggs[key->aggregate].held;
	line->other = (uint32_t)key->other;
	if (line->held || !key->other)
		return true;
	has_waker = mp_agg_texts_find(t->texts, key->other, &waker);
	line->other = has_waker ? waker.text + 1 : MP_AGG_TEXT_UNKNOWN;
	return has_waker;
}

/*
 * Adds a total to the line of its stack. With `at_last`, even if the stack was not received.
 * Returns false if the total has to wait.
 */
static bool add(struct mp_agg_totals *t, const struct mp_agg_key *key,
		const struct mp_agg_total *more, bool at_last)
{
	struct mp_agg_text_known stack;
	bool known = mp_agg_texts_find(t->texts, key->id, &stack), complete;
	struct mp_agg_line_key line;

	memset(&line, 0, sizeof(line)); /* clears the padding, which is part of the key */
	line.aggregate = (uint32_t)key->aggregate;
	line.text = known ? stack.text : MP_AGG_TEXT_UNKNOWN;
	complete = find_other(t, key, &line) && known;
	if (!complete && !at_last)
		return false;
	t->unknown += complete ? 0 : more->count;
	if (known && t->events->aggs[key->aggregate].user)
		t->unwound.ends[MP_METHOD_BPF][stack.end] += more->count;
	add_to(&t->lines, (struct mp_str){ (const char *)&line, sizeof(line) }, more);
	return true;
}

void mp_agg_totals_add(struct mp_agg_totals *t, const struct mp_agg_key *key,
		       const struct mp_agg_total *more)
{
	if (!add(t, key, more, false))
		add_to(&t->early, (struct mp_str){ (const char *)key, sizeof(*key) }, more);
}

void mp_agg_totals_settle(struct mp_agg_totals *t, bool at_last)
{
	struct mp_map early = t->early;
	struct mp_map_entry *e;

	mp_map_init(&t->early, sizeof(struct mp_agg_total));
	mp_map_each (&early, e) {
		const struct mp_agg_total *total = mp_map_value(e);
		const struct mp_agg_key *key = (const void *)e->key.p;

		if (!add(t, key, total, at_last))
			add_to(&t->early, e->key, total);
	}
	mp_map_release(&early);
}

void mp_agg_totals_lines(const struct mp_agg_totals *t, size_t aggregate,
			 struct mp_agg_lines *lines)
{
	struct mp_map_entry *e;

	mp_map_each (&t->lines, e) {
		const struct mp_agg_line_key *key = (const void *)e->key.p;
		const struct mp_agg_total *total = mp_map_value(e);

		if (key->aggregate == aggregate && total->weight)
			mp_agg_lines_add(lines, t->texts, key, total);
	}
}
