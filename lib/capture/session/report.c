// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/report.h"

#include "lib/stream/unit.h"

enum { LISTED_MAX = 3 }; /* maximum number of types in a message */

static void report_full(uint64_t n)
{
	if (n)
		mp_say("%llu %s lost: the ring buffers were full (try larger ones with -m 16M, "
		       "fewer events with a filter or --fields, or --realtime)",
		       (unsigned long long)n, n == 1 ? "event was" : "events were");
}

/*
 * Prints "880 events were lost: the kernel dropped them without counting them (sched:sched_waking
 * 880)".
 */
static void report_unexplained(const struct mp_account *a, const struct mp_cut_events *events)
{
	struct mp_buf types = { NULL, 0, 0 };
	size_t i, listed = 0;

	for (i = 0; i < events->n; i++) {
		if (!a->unexplained_of[i])
			continue;
		if (listed++ < LISTED_MAX)
			mp_buf_printf(&types, "%s%s %llu", types.len ? ", " : "", events->v[i].type,
				      (unsigned long long)a->unexplained_of[i]);
	}
	if (listed > LISTED_MAX)
		mp_buf_printf(&types, " and %zu more", listed - LISTED_MAX);
	if (a->unexplained)
		mp_say("%llu %s lost: the kernel dropped %s without counting %s (%.*s)",
		       (unsigned long long)a->unexplained,
		       a->unexplained == 1 ? "event was" : "events were",
		       a->unexplained == 1 ? "it" : "them", a->unexplained == 1 ? "it" : "them",
		       MP_STR_ARGS(mp_buf_view(&types)));
	mp_buf_release(&types);
}

void mp_report_parts(const struct mp_formatter *f)
{
	mp_unwind_stats_report(&f->unwound);
	mp_say_count(f->pointers,
		     "text of a system call was not in memory: its field is the pointer",
		     "texts of system calls were not in memory: their fields are the pointers");
}

void mp_report_losses(const struct mp_writer_totals *all, const struct mp_account *a,
		      const struct mp_cut_events *events)
{
	report_full(all->lost - MP_MIN(all->lost, a->unexplained));
	report_unexplained(a, events);
	mp_say_count(all->late, "event came after a watermark that promised none",
		     "events came after a watermark that promised none");
	mp_say_count(all->track_lost, "record of a task was lost: names and symbols may be wrong",
		     "records of tasks were lost: names and symbols may be wrong");
	mp_say_count(
		all->throttled,
		"gap in sampling: the kernel throttled it (kernel.perf_event_max_sample_rate)",
		"gaps in sampling: the kernel throttled it (kernel.perf_event_max_sample_rate)");
	mp_say_count(a->surplus, "event was delivered that did not fire",
		     "events were delivered that did not fire");
}

void mp_report_broken(const struct mp_merge *merge)
{
	mp_say_count(merge->broken, "record could not be parsed", "records could not be parsed");
	if (merge->broken)
		mp_say("the last of them was in the stream of the %s", merge->broken_owner);
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

void mp_report_kernel_side(const struct mp_control *control, struct mp_grace *grace,
			   const struct mp_bpf_stacks *stacks)
{
	mp_say("the recording was ended by %s", mp_control_reason(control));
	tell_tables(stacks);
	mp_say_count(mp_grace_guesses(grace),
		     "watermark was estimated: the kernel's grace periods took too long",
		     "watermarks were estimated: the kernel's grace periods took too long");
}

void mp_report_cpus(const struct mp_account *a, const struct mp_cut_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->n_rings; i++)
		mp_say("CPU %d: fired %llu, delivered %llu, excluded %llu, lost %llu",
		       plan->cpus[i], (unsigned long long)a->cpus[i].fired,
		       (unsigned long long)a->cpus[i].written,
		       (unsigned long long)a->cpus[i].excluded,
		       (unsigned long long)a->cpus[i].lost);
}

void mp_report_lookups(const struct mp_formatter *f)
{
	const struct mp_unwinder *unwinder = f->unwinder;
	const struct mp_chain_texts *st = f->stacks;
	const struct mp_symbols *symbols = st->symbols;

	mp_say("%llu stacks, %llu symbolized, %llu truncated at the limit; %llu frames looked up, "
	       "%llu without a name",
	       (unsigned long long)st->looked_up, (unsigned long long)st->missed,
	       (unsigned long long)st->truncated, (unsigned long long)symbols->frames,
	       (unsigned long long)symbols->unknown);
	mp_say("%llu frames unwound, %llu of them looked up in call frame information of %llu "
	       "files, %zu KiB",
	       (unsigned long long)unwinder->looked_up, (unsigned long long)unwinder->missed,
	       (unsigned long long)symbols->dsos.cfi_loads, symbols->dsos.cfi_bytes >> 10);
}
