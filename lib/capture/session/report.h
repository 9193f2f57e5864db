/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prints the messages that end a recording. Includes account, bpfstack, control, format, grace,
 * merge.
 */
#ifndef MP_CAPTURE_SESSION_REPORT_H
#define MP_CAPTURE_SESSION_REPORT_H

#include "lib/capture/bpf/bpfstack.h"
#include "lib/capture/format/format.h"
#include "lib/capture/ring/grace.h"
#include "lib/capture/session/account.h"
#include "lib/capture/session/control.h"
#include "lib/capture/session/merge.h"

/* Report what was lost or may be wrong, and records that could not be parsed. */
void mp_report_losses(const struct mp_writer_totals *all, const struct mp_account *a,
		      const struct mp_cut_events *events);
void mp_report_broken(const struct mp_merge *merge);

/* Reports what events lack, although none of them was lost: callers, texts. */
void mp_report_parts(const struct mp_formatter *f);

/* Print the account of each CPU, and how much was looked up. */
void mp_report_cpus(const struct mp_account *a, const struct mp_cut_plan *plan);
void mp_report_lookups(const struct mp_formatter *f);

/*
 * Prints why the recording ended, and what the kernel side did. `stacks` NULL: BPF takes no stacks.
 */
void mp_report_kernel_side(const struct mp_control *control, struct mp_grace *grace,
			   const struct mp_bpf_stacks *stacks);

#endif
