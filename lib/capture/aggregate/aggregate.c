// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/aggregate/aggregate.h"

#include <stdlib.h>

#include "lib/capture/aggregate/totals.h"

struct mp_aggregator {
	const struct mp_cut_events *events;
	struct mp_agg_ledger *ledger;
	struct mp_agg_totals totals;
	struct mp_agg_texts texts;
};

struct mp_aggregator *mp_aggregator_new(const struct mp_cut_events *events, void *memory)
{
	struct mp_aggregator *a = mp_zalloc(sizeof(*a));

	a->events = events;
	a->ledger = mp_agg_ledger_new(memory);
	mp_agg_texts_init(&a->texts, a->ledger);
	mp_agg_totals_init(&a->totals, events, &a->texts, a->ledger);
	return a;
}

void mp_aggregator_free(struct mp_aggregator *a)
{
	if (!a)
		return;
	mp_agg_totals_release(&a->totals);
	mp_agg_texts_release(&a->texts);
	mp_agg_ledger_free(a->ledger);
	free(a);
}

void *mp_aggregator_state(struct mp_aggregator *a, size_t *size)
{
	*size = sizeof(a->totals.saved);
	return a ? &a->totals.saved : NULL;
}

void mp_aggregator_saved(struct mp_aggregator *a)
{
	mp_agg_totals_saved(&a->totals);
}

void mp_aggregator_restore(struct mp_aggregator *a, bool has_state, struct mp_buf *modules)
{
	mp_agg_texts_restore(&a->texts, modules);
	mp_agg_totals_restore(&a->totals, has_state);
}

bool mp_aggregator_stack(struct mp_aggregator *a, const struct mp_agg_stack *stack,
			 const struct mp_agg_symbols *symbols)
{
	const struct mp_buf *modules = &symbols->formatter->stacks->symbols->modules;
	size_t before = modules->len;
	struct mp_task *task;

	if (stack->size != sizeof(*stack) || stack->n_kernel > MP_AGG_KERNEL ||
	    stack->n_user > MP_BPF_FRAMES)
		return false;
	task = mp_tasks_get(symbols->tasks, stack->pid, stack->tid);
	if (stack->end == MP_BPF_NO_TABLES || stack->end == MP_BPF_COPIED)
		mp_walk_tables_update(symbols->formatter->tables, task->process, stack->time_ns);
	mp_agg_texts_put(&a->texts, stack, task->process, symbols, a->events->agg_frames);
	if (modules->len > before)
		mp_agg_ledger_put(a->ledger, MP_AGG_LEDGER_MODULE,
				  mp_str_skip(mp_buf_view(modules), before));
	return true;
}

void mp_aggregator_add(void *aggregator, const struct mp_cut_total *totals, size_t n)
{
	struct mp_aggregator *a = aggregator;
	size_t i;

	for (i = 0; i < n; i++)
		if (totals[i].key.aggregate < a->events->n_aggs)
			mp_agg_totals_add(&a->totals, &totals[i].key, &totals[i].total);
}

void mp_aggregator_settle(struct mp_aggregator *a)
{
	mp_agg_totals_settle(&a->totals, false);
}

static json_t *make_header(const json_t *like, const struct mp_cut_agg *agg)
{
	json_t *header = json_deep_copy(like);

	json_object_set_new(header, "datatype", json_string("stack"));
	json_object_del(header, "events");
	json_object_set_new(header, "sum", mp_ctl_string(mp_str(agg->name)));
	json_object_set_new(header, "weight", json_string(agg->weight));
	if (agg->unit)
		json_object_set_new(header, "units", json_pack("{s:s}", agg->weight, agg->unit));
	return header;
}

static json_t *make_trailer(const struct mp_cut_aggregate_end *end, size_t number,
			    const struct mp_agg_lines *lines)
{
	const struct mp_agg_total *dropped = &end->dropped[number];
	json_t *trailer = mp_ctl_trailer(MP_STACK, lines->map.n, dropped->count);

	json_object_set_new(trailer, "time", json_integer((json_int_t)end->stopped_ns));
	json_object_set_new(trailer, "added", json_integer((json_int_t)lines->added));
	if (dropped->weight)
		json_object_set_new(trailer, "lost-weight",
				    json_integer((json_int_t)dropped->weight));
	return trailer;
}

static void put_json(json_t *object, const struct mp_agg_output *output)
{
	struct mp_buf line = { NULL, 0, 0 };

	mp_ctl_add(&line, object);
	output->put(output->arg, mp_buf_view(&line));
	mp_buf_release(&line);
}

static void add_ends(struct mp_unwind_stats *to, const struct mp_unwind_stats *from)
{
	size_t i;

	for (i = 0; i < MP_UNWIND_ENDS; i++)
		to->ends[MP_METHOD_BPF][i] += from->ends[MP_METHOD_BPF][i];
}

void mp_aggregator_write(struct mp_aggregator *a, const struct mp_cut_aggregate_end *end,
			 const struct mp_agg_output *output, struct mp_unwind_stats *unwound)
{
	json_t *trailer;
	size_t i;

	mp_agg_totals_settle(&a->totals, true);
	for (i = 0; i < a->events->n_aggs; i++) {
		struct mp_agg_lines lines;

		mp_agg_lines_init(&lines);
		mp_agg_totals_lines(&a->totals, i, &lines);
		put_json(make_header(output->header, &a->events->aggs[i]), output);
		mp_agg_lines_write(&lines, output->put, output->arg);
		trailer = make_trailer(end, i, &lines);
		json_object_update(trailer, (json_t *)output->trailer);
		put_json(trailer, output);
		mp_agg_lines_release(&lines);
	}
	add_ends(unwound, &a->totals.saved.unwound);
}

void mp_aggregator_losses(const struct mp_aggregator *a, const struct mp_cut_aggregate_end *end,
			  struct mp_aggregator_losses *losses)
{
	size_t i;

	*losses = (struct mp_aggregator_losses){
		.unsent = end->unsent,
		.unknown = a->totals.saved.unknown,
		.stacks = a->texts.known.n,
		.texts = a->texts.n_texts,
	};
	for (i = 0; i < a->events->n_aggs; i++)
		losses->count += end->dropped[i].count;
}
