/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the messages that end a recording. Includes account, bpfstack, control, grace, writer. */
#ifndef MP_CAPTURE_SESSION_REPORT_H
#define MP_CAPTURE_SESSION_REPORT_H

#include "lib/capture/bpf/bpfstack.h"
#include "lib/capture/ring/grace.h"
#include "lib/capture/session/account.h"
#include "lib/capture/session/control.h"
#include "lib/capture/session/writer.h"

/* Always reports losses. Unless the plan is quiet, also stacks and, on a terminal, totals. */
void mp_report_losses(const struct mp_writer *w, const struct mp_account *a);

/* Prints the account of each CPU, and how much was looked up. */
void mp_report_details(const struct mp_writer *w, const struct mp_account *a);

/*
 * Prints why the recording ended, and what the kernel side did. `stacks` NULL: BPF takes no stacks.
 */
void mp_report_kernel_side(const struct mp_control *control, struct mp_grace *grace,
			   const struct mp_bpf_stacks *stacks);

#endif
