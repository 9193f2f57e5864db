// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/writer_end.h"

#include <stdio.h>

#include "lib/capture/session/account.h"
#include "lib/capture/session/report.h"
#include "lib/stream/unit.h"

/* Adds members to an object, from their text. */
static void add_members(json_t *object, const char *text)
{
	json_t *members = json_loads(text, 0, NULL);

	json_object_update(object, members);
	json_decref(members);
}

static json_t *make_trailer(const struct mp_writer *w, const struct mp_account *a,
			    const struct mp_cut_end *end)
{
	json_t *trailer = mp_writer_files_trailer(&w->files, a, w->window.until_ns);

	mp_budget_json(w->setup.formatter->tasks->budget, trailer);
	add_members(trailer, end->trailer);
	add_members(trailer, end->common);
	return trailer;
}

/* Writes the last losses and the trailer, unless another writer has. */
static void end_events(struct mp_writer *w, const struct mp_account *a,
		       const struct mp_cut_end *end)
{
	if (w->state.progress.ended)
		return;
	w->counts.all.track_lost += end->dropped;
	mp_account_write_rest(a, &w->events, w->losses);
	w->state.progress.ended = true;
	if (w->output.silent)
		return;
	mp_writer_put_json(&w->output, make_trailer(w, a, end));
	mp_writer_flush(&w->state);
}

/* Writes the sections of aggregates; returns whether something is missing there. */
static bool write_aggregates(struct mp_writer_sections *w, const json_t *header,
			     const struct mp_cut_end *end, struct mp_unwind_stats *unwound,
			     bool verbose)
{
	json_t *common = json_loads(end->common, 0, NULL);
	struct mp_aggregator_losses losses;

	mp_writer_write_sections(w, header, common, unwound);
	mp_aggregator_losses(w->aggregator, &w->end, &losses);
	json_decref(common);
	mp_say_count(
		losses.count,
		"occurrence was not aggregated: a table was full or interrupts were nested too deep",
		"occurrences were not aggregated: a table was full or interrupts were nested too deep");
	if (verbose)
		mp_say("aggregation: %zu stacks of processes, %zu distinct ones after symbolization; "
		       "%llu were sent again",
		       losses.stacks, losses.texts, (unsigned long long)losses.unsent);
	mp_say_count(losses.unknown, "occurrence has no stack: its stack did not arrive in time",
		     "occurrences have no stack: their stacks did not arrive in time");
	return losses.count || losses.unknown;
}

/* Prints the messages; returns whether something was lost, or may be wrong. */
static bool report(const struct mp_writer *w, const struct mp_account *a)
{
	const struct mp_cut_plan *plan = w->setup.plan;
	const struct mp_writer_totals *all = &w->counts.all;
	const struct mp_budget *budget = w->setup.formatter->tasks->budget;
	char files[40] = "";

	if (plan->rotate_bytes || plan->rotate_ns)
		snprintf(files, sizeof(files), ", in %llu file%s",
			 (unsigned long long)w->files.earlier.files + 1,
			 mp_plural(w->files.earlier.files + 1));
	mp_report_losses(all, a, &plan->events);
	mp_report_broken(&w->merge);
	if (!plan->quiet)
		mp_report_parts(w->setup.formatter);
	if (!plan->quiet && (plan->verbose || plan->watched))
		mp_say("%llu event%s, %llu lost%s", (unsigned long long)all->written,
		       mp_plural(all->written), (unsigned long long)all->lost, files);
	mp_budget_report(budget);
	if (plan->verbose) {
		mp_report_cpus(a, plan);
		mp_report_lookups(w->setup.formatter);
	}
	return all->lost || all->late || all->track_lost || all->throttled || w->merge.broken ||
	       a->surplus || mp_budget_is_lossy(budget);
}

bool mp_writer_end(struct mp_writer *w, const struct mp_cut_end *end)
{
	const struct mp_cut_plan *plan = w->setup.plan;
	struct mp_account account;
	bool lossy;

	mp_account_init(&account, plan, &w->counts, end->counts);
	end_events(w, &account, end);
	lossy = w->aggregator && write_aggregates(&w->sections, w->files.header, end,
						  &w->setup.formatter->unwound, plan->verbose);
	if (w->output.live)
		mp_live_show(w->output.live, w->counts.all.written, w->counts.all.lost, true);
	mp_out_close(w->output.out);
	lossy |= report(w, &account);
	mp_account_release(&account);
	return lossy;
}
