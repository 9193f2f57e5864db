// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/aggregate/totals.h"

#include <string.h>

void mp_agg_totals_init(struct mp_agg_totals *t, const struct mp_cut_events *events,
			const struct mp_agg_texts *texts, struct mp_agg_ledger *ledger)
{
	*t = (struct mp_agg_totals){ .events = events, .texts = texts, .ledger = ledger };
	mp_map_init(&t->early, sizeof(struct mp_agg_sum));
	mp_map_init(&t->lines, sizeof(struct mp_agg_sum));
	t->saved.number = 1;
}

void mp_agg_totals_release(struct mp_agg_totals *t)
{
	mp_map_release(&t->early);
	mp_map_release(&t->lines);
}

_Static_assert(sizeof(struct mp_agg_line_key) <= MP_AGG_LEDGER_KEY, "it fits into the ledger");

static struct mp_agg_sum *find_sum(struct mp_map *map, struct mp_str key)
{
	return mp_map_value(mp_map_put(map, &key, 1, NULL));
}

static void add_to_sum(struct mp_agg_sum *sum, const struct mp_agg_total *more)
{
	sum->total.weight += more->weight;
	sum->total.count += more->count;
}

/* Adds to a line, or to a total that waits. */
static void add_to(struct mp_agg_totals *t, uint32_t aggregate, bool waits, struct mp_str key,
		   const struct mp_agg_total *more)
{
	struct mp_agg_sum *sum = find_sum(waits ? &t->early : &t->lines, key);
	struct mp_agg_ledger_key in_ledger = { .aggregate = aggregate, .waits = waits };

	memcpy(in_ledger.bytes, key.p, key.len);
	add_to_sum(sum, more);
	mp_agg_ledger_add(t->ledger, &sum->slot, &in_ledger, more);
}

static void add_to_line(struct mp_agg_totals *t, const struct mp_agg_line_key *line,
			const struct mp_agg_total *more)
{
	add_to(t, line->aggregate, false, (struct mp_str){ (const char *)line, sizeof(*line) },
	       more);
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
	t->saved.unknown += complete ? 0 : more->count;
	if (known && t->events->aggs[key->aggregate].user)
		t->saved.unwound.ends[MP_METHOD_BPF][stack.end] += more->count;
	add_to_line(t, &line, more);
	return true;
}

void mp_agg_totals_add(struct mp_agg_totals *t, const struct mp_agg_key *key,
		       const struct mp_agg_total *more)
{
	if (!add(t, key, more, false))
		add_to(t, (uint32_t)key->aggregate, true,
		       (struct mp_str){ (const char *)key, sizeof(*key) }, more);
}

void mp_agg_totals_settle(struct mp_agg_totals *t, bool at_last)
{
	struct mp_map early = t->early;
	struct mp_map_entry *e;

	mp_map_init(&t->early, sizeof(struct mp_agg_sum));
	mp_map_each (&early, e) {
		const struct mp_agg_sum *sum = mp_map_value(e);
		const struct mp_agg_key *key = (const void *)e->key.p;

		if (add(t, key, &sum->total, at_last))
			mp_agg_ledger_remove(t->ledger, sum->slot, (uint32_t)key->aggregate,
					     &sum->total);
		else
			*find_sum(&t->early, e->key) = *sum;
	}
	mp_map_release(&early);
}

void mp_agg_totals_lines(const struct mp_agg_totals *t, size_t aggregate,
			 struct mp_agg_lines *lines)
{
	struct mp_map_entry *e;

	mp_map_each (&t->lines, e) {
		const struct mp_agg_line_key *key = (const void *)e->key.p;
		const struct mp_agg_sum *sum = mp_map_value(e);

		if (key->aggregate == aggregate && sum->total.weight)
			mp_agg_lines_add(lines, t->texts, key, &sum->total);
	}
}

/* --- after another writer --------------------------------------------------------------------- */

void mp_agg_totals_saved(struct mp_agg_totals *t)
{
	mp_agg_ledger_saved(t->ledger, t->saved.number++);
}

/* Adds to the line of stacks that are not known. */
static void add_unknown(struct mp_agg_totals *t, uint32_t aggregate,
			const struct mp_agg_total *more)
{
	struct mp_agg_line_key line;

	memset(&line, 0, sizeof(line));
	line.aggregate = aggregate;
	line.text = MP_AGG_TEXT_UNKNOWN;
	t->saved.unknown += more->count;
	add_to_line(t, &line, more);
}

/* Whether the texts of a line did fit into the ledger. */
static bool is_known(const struct mp_agg_totals *t, const struct mp_agg_line_key *line)
{
	if (line->text != MP_AGG_TEXT_UNKNOWN && line->text >= t->texts->n_texts)
		return false;
	return line->held || !line->other || line->other == MP_AGG_TEXT_UNKNOWN ||
	       line->other <= t->texts->n_texts;
}

/* An mp_agg_ledger_total_fn. */
static void restore(void *arg, uint32_t slot, const struct mp_agg_ledger_key *key,
		    const struct mp_agg_total *total)
{
	struct mp_agg_totals *t = arg;
	struct mp_agg_line_key line;
	struct mp_agg_key early;
	struct mp_agg_sum *sum = NULL;

	if (key->aggregate >= t->events->n_aggs)
		return;
	memcpy(&line, key->bytes, sizeof(line));
	memcpy(&early, key->bytes, sizeof(early));
	if (slot && key->waits && early.aggregate == key->aggregate)
		sum = find_sum(&t->early, (struct mp_str){ (const char *)&early, sizeof(early) });
	else if (slot && !key->waits && line.aggregate == key->aggregate && is_known(t, &line))
		sum = find_sum(&t->lines, (struct mp_str){ (const char *)&line, sizeof(line) });
	if (sum && !sum->slot) {
		sum->slot = slot;
		add_to_sum(sum, total);
		return;
	}
	if (slot)
		mp_agg_ledger_remove(t->ledger, slot, key->aggregate, total);
	add_unknown(t, key->aggregate, total);
}

void mp_agg_totals_restore(struct mp_agg_totals *t, bool has_state)
{
	uint64_t number = has_state ? t->saved.number : 0;

	mp_agg_ledger_restore(t->ledger, number, restore, t);
	t->saved.number = number + 1;
}
