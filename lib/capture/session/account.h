/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The balance at the end: each event that fired, according to the kernel's counters, was delivered,
 * excluded or lost. Includes cut_plan, writer_events.
 */
#ifndef MP_CAPTURE_SESSION_ACCOUNT_H
#define MP_CAPTURE_SESSION_ACCOUNT_H

#include "lib/capture/host/cut_plan.h"
#include "lib/capture/session/writer_events.h"

struct mp_cpu_account {
	/*
	 * The number of events, according to their counters, if each occurrence is recorded;
	 * otherwise (samples, and events that count more than 1 each time) the number of samples.
	 */
	uint64_t fired;
	uint64_t written, excluded; /* of all events: lines written, and samples excluded */
	uint64_t lost;		    /* of all events, including the unexplained losses */
};

struct mp_account {
	struct mp_cpu_account *cpus;	/* indexed by ring */
	const struct mp_counts *counts; /* indexed by ring and event; borrowed */
	uint64_t fired, lost;
	/*
	 * Events that fired, by the counter, but were neither delivered nor counted as lost: some
	 * kernels silently drop events of interrupts that wake an idle CPU. They are lost, too.
	 */
	uint64_t unexplained;
	uint64_t *unexplained_of; /* indexed by event */
	/* events that were delivered but did not fire: 0, or the account is wrong */
	uint64_t surplus;
};

/*
 * Computes the account. To be called after everything has been written. `counts`: the counters of
 * the kernel and of the sources, by ring and event.
 */
void mp_account_init(struct mp_account *a, const struct mp_cut_plan *plan,
		     const struct mp_writer_counts *written, const struct mp_counts *counts);
void mp_account_release(struct mp_account *a);

/*
 * As mp_account_init(), while the recording runs: events fired if they were delivered or excluded, or
 * are known to be lost.
 */
void mp_account_known(struct mp_account *a, const struct mp_cut_plan *plan,
		      const struct mp_writer_counts *written);

/* Writes lines for the losses that were not reported yet; `losses` may be NULL. */
void mp_account_write_rest(const struct mp_account *a, struct mp_writer_events *w,
			   struct mp_losses *losses);

/* Adds "fired", "excluded", "late" and "cpus" to a trailer. */
void mp_account_json(const struct mp_account *a, const struct mp_cut_plan *plan,
		     const struct mp_writer_totals *all, json_t *trailer);

#endif
