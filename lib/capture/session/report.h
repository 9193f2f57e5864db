/* SPDX-License-Identifier: GPL-2.0-only */
/* What is said of a recording on stderr when it has ended. Includes account, grace, writer. */
#ifndef MP_CAPTURE_SESSION_REPORT_H
#define MP_CAPTURE_SESSION_REPORT_H

#include "lib/capture/bpf/bpfstack.h"
#include "lib/capture/ring/grace.h"
#include "lib/capture/session/account.h"
#include "lib/capture/session/writer.h"

/* Losses always; stacks and totals unless `quiet`, and the latter only for people. */
void mp_report_losses(const struct mp_writer *w, const struct mp_account *a, bool quiet,
		      bool verbose);

/* The account of each CPU, and what was looked up. */
void mp_report_details(const struct mp_writer *w, const struct mp_account *a,
		       struct mp_grace *grace, const struct mp_bpf_stacks *stacks);

#endif
