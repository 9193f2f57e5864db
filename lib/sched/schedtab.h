/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spans of the scheduler added up: a table of the CPUs and tasks of one host. Includes sched, hist,
 * io.
 */
#ifndef MP_SCHED_SCHEDTAB_H
#define MP_SCHED_SCHEDTAB_H

#include "lib/stats/loghist.h"
#include "lib/core/io.h"
#include "lib/sched/sched.h"

/* Lengths of whole spans; while its task lives in a histogram, then as figures. */
struct mp_sched_lengths {
	uint64_t n, sum_ns, max_ns, p99_ns;
	struct mp_loghist hist;
};

struct mp_sched_row {
	int32_t tid, pid;
	char *comm; /* escaped as in the stream; NULL: not known */
	uint64_t runs, voluntary, involuntary, migrations;
	uint64_t ns[MP_SCHED_STATES];
	struct mp_sched_lengths wait, sleep;
};

struct mp_sched_table {
	struct mp_sched_row **rows;
	size_t n_rows, cap_rows;
	struct mp_sched_row *cpus; /* of them runs, ns */
	size_t n_cpus, cap_cpus;
	struct mp_sched_row total; /* of the tasks */
	uint64_t length_ns;	   /* of the captures */
};

/* Zeroed memory is a valid empty one. */
void mp_sched_table_release(struct mp_sched_table *t);

void mp_sched_table_span(struct mp_sched_table *t, const struct mp_sched_span *span);

/* The task is over: its figures are settled. `migrated`: the kernel told of migrations. */
void mp_sched_table_gone(struct mp_sched_table *t, struct mp_sched_task *task, bool migrated);

/*
 * Sorts and writes it, for people or as TAB-separated values. `host` may be empty; `first`: the
 * line of titles comes in front of the values.
 */
void mp_sched_table_text(struct mp_sched_table *t, struct mp_str host, struct mp_out *out);
void mp_sched_table_tsv(struct mp_sched_table *t, struct mp_str host, bool first,
			struct mp_out *out);

#endif
