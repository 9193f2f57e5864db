// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/writer_end.h"

#include "lib/capture/session/account.h"
#include "lib/capture/session/report.h"

/* Adds members to an object, from their text. */
static void add_members(json_t *object, const char *text)
{
	json_t *members = json_loads(text, 0, NULL);

	json_object_update(object, members);
	json_decref(members);
}

static void write_trailer(struct mp_writer *w, const struct mp_account *a,
			  const struct mp_cut_end *end)
{
	json_t *trailer = mp_ctl_trailer(MP_EVENT, w->written, w->lost);
	uint64_t truncated = w->formatter->stacks->truncated;

	json_object_set_new(trailer, "bytes", json_integer((json_int_t)w->bytes));
	json_object_set_new(trailer, "time", json_integer((json_int_t)w->until_ns));
	mp_account_json(a, w, trailer);
	if (truncated)
		json_object_set_new(trailer, "truncated", json_integer((json_int_t)truncated));
	if (w->formatter->pointers)
		json_object_set_new(trailer, "pointers",
				    json_integer((json_int_t)w->formatter->pointers));
	mp_budget_json(w->budget, trailer);
	mp_unwind_stats_json(&w->formatter->unwound, trailer);
	add_members(trailer, end->trailer);
	add_members(trailer, end->common);
	mp_writer_put_json(w, trailer);
}

/*
 * Writes a line of a section, unless another writer has: if this one dies as well, the next one
 * continues with the line that follows.
 */
static void put_line(void *arg, struct mp_str line)
{
	struct mp_writer *w = arg;
	bool is_written = !w->live && w->section_lines < w->sections_from;

	if (w->readable && line.p[0] == '{')
		return;
	w->section_lines++;
	if (w->live)
		mp_live_add(w->live, line);
	else if (!is_written)
		mp_writer_put(w, line);
	if (line.p[0] == '{' && !is_written) /* a header: the modules of its section follow it */
		mp_writer_put_modules(w);
	if (w->out->len >= MP_READ_SIZE)
		mp_writer_flush(w);
}

/* Writes the sections of aggregates; returns whether something is missing there. */
static bool write_aggregates(struct mp_writer *w, const struct mp_cut_end *end)
{
	json_t *common = json_loads(end->common, 0, NULL);
	struct mp_agg_output sections = { w->header, common, put_line, w };
	struct mp_aggregator_losses losses;

	w->section_lines = 0;
	mp_aggregator_write(w->aggregator, &w->aggregates, &sections, &w->formatter->unwound);
	mp_aggregator_losses(w->aggregator, &w->aggregates, &losses);
	json_decref(common);
	mp_say_count(losses.count, "occurrence was not aggregated: a table was full",
		     "occurrences were not aggregated: a table was full");
	if (w->plan->verbose)
		mp_say("aggregation: %zu stacks of processes, %zu distinct ones after symbolization; "
		       "%llu were sent again",
		       losses.stacks, losses.texts, (unsigned long long)losses.unsent);
	mp_say_count(losses.unknown, "occurrence has no stack: its stack did not arrive in time",
		     "occurrences have no stack: their stacks did not arrive in time");
	return losses.count || losses.unknown;
}

bool mp_writer_end(struct mp_writer *w, const struct mp_cut_end *end)
{
	struct mp_account account;
	bool lossy;

	mp_account_init(&account, w, end->counts);
	if (!w->ended) {
		w->track_lost += end->dropped;
		mp_account_write_rest(&account, w);
		w->ended = 1;
		if (!w->plan->events.silent)
			write_trailer(w, &account, end);
	}
	lossy = w->aggregator && write_aggregates(w, end);
	if (w->live)
		mp_live_show(w->live, w->written, w->lost, true);
	mp_out_close(w->out);
	mp_report_losses(w, &account);
	mp_budget_report(w->budget);
	if (w->plan->verbose)
		mp_report_details(w, &account);
	lossy |= w->lost || w->late || w->track_lost || w->throttled || w->merge.broken ||
		 account.surplus || mp_budget_is_lossy(w->budget);
	mp_account_release(&account);
	return lossy;
}
