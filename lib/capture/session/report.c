// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/report.h"

#include <unistd.h>

#include "lib/stream/unit.h"

void mp_report_losses(const struct mp_writer *w, const struct mp_account *a, bool quiet,
		      bool verbose)
{
	if (w->lost > a->unexplained)
		mp_say("%llu %s lost: the ring buffers were full (try larger ones with -m 16M, "
		       "fewer events with a filter or --fields, or --realtime)",
		       (unsigned long long)w->lost, w->lost == 1 ? "event was" : "events were");
	else
		mp_say_count(w->lost, "event was lost", "events were lost");
	mp_say_count(w->late, "event came after a watermark that promised none",
		     "events came after a watermark that promised none");
	mp_say_count(w->track_lost, "record of a task was lost: names and symbols may be wrong",
		     "records of tasks were lost: names and symbols may be wrong");
	mp_say_count(w->throttled,
		     "time the kernel throttled sampling (kernel.perf_event_max_sample_rate)",
		     "times the kernel throttled sampling (kernel.perf_event_max_sample_rate)");
	mp_say_count(w->broken, "record could not be parsed", "records could not be parsed");
	if (w->broken)
		mp_say("the last of them was in the stream of the %s", w->broken_owner);
	mp_say_count(a->unexplained, "of them the kernel dropped without counting it",
		     "of them the kernel dropped without counting them");
	if (!quiet)
		mp_unwind_stats_report(&w->formatter->unwound);
	mp_say_count(a->surplus, "event was delivered that did not fire",
		     "events were delivered that did not fire");
	if (quiet || (!verbose && !isatty(STDERR_FILENO)))
		return;
	mp_say("%llu event%s, %llu lost", (unsigned long long)w->written, mp_plural(w->written),
	       (unsigned long long)w->lost);
}

static void tell_tables(const struct mp_bpf_stacks *stacks)
{
	struct mp_bpf_stacks_counts c;

	if (!stacks)
		return;
	mp_bpf_stacks_counts(stacks, &c);
	mp_say("tables for BPF: %llu rows, of %llu files for %llu address spaces so far; rebuilt "
	       "%llu times; %llu stacks did not fit",
	       (unsigned long long)c.rows, (unsigned long long)c.files,
	       (unsigned long long)c.spaces, (unsigned long long)c.rebuilds,
	       (unsigned long long)c.dropped);
	if (c.runs)
		mp_say("BPF took %llu ns in %llu runs, %llu ns each", (unsigned long long)c.run_ns,
		       (unsigned long long)c.runs, (unsigned long long)(c.run_ns / c.runs));
}

void mp_report_details(const struct mp_writer *w, const struct mp_account *a,
		       struct mp_grace *grace, const struct mp_bpf_stacks *stacks)
{
	const struct mp_unwinder *unwinder = w->formatter->unwinder;
	const struct mp_chain_texts *st = w->formatter->stacks;
	const struct mp_symbols *symbols = st->symbols;
	size_t i;

	for (i = 0; i < w->rings->n; i++)
		mp_say("CPU %d: fired %llu, delivered %llu, excluded %llu, lost %llu",
		       w->rings->v[i].cpu, (unsigned long long)a->cpus[i].fired,
		       (unsigned long long)a->cpus[i].written,
		       (unsigned long long)a->cpus[i].excluded,
		       (unsigned long long)a->cpus[i].lost);
	mp_say("%llu stacks, %llu symbolized, %llu truncated at the limit; %llu frames looked up, "
	       "%llu without a name",
	       (unsigned long long)st->looked_up, (unsigned long long)st->missed,
	       (unsigned long long)st->truncated, (unsigned long long)symbols->frames,
	       (unsigned long long)symbols->unknown);
	mp_say("%llu frames unwound, %llu of them looked up in call frame information of %llu "
	       "files, %zu KiB",
	       (unsigned long long)unwinder->looked_up, (unsigned long long)unwinder->missed,
	       (unsigned long long)symbols->dsos.cfi_loads, symbols->dsos.cfi_bytes >> 10);
	tell_tables(stacks);
	mp_say_count(mp_grace_guesses(grace),
		     "watermark was estimated: the kernel's grace periods took too long",
		     "watermarks were estimated: the kernel's grace periods took too long");
}
