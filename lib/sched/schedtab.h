/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of the CPUs and tasks of one host, which adds their spans up. Includes sched, loghist,
 * io.
 */
#ifndef MP_SCHED_SCHEDTAB_H
#define MP_SCHED_SCHEDTAB_H

#include "lib/core/io.h"
#include "lib/sched/sched.h"
#include "lib/stats/loghist.h"

/* Lengths of complete spans: a histogram until the task ends, then only these figures. */
struct mp_sched_lengths {
	uint64_t n, sum_ns, max_ns, p99_ns;
	struct mp_loghist hist;
};

struct mp_sched_row {
	const struct mp_sched_task *task; /* while it lives; borrowed */
	int32_t tid, pid;
	char *comm; /* name of the task, escaped as in the stream; NULL: unknown */
	uint64_t runs, voluntary, involuntary, migrations;
	uint64_t ns[MP_SCHED_STATES];
	struct mp_sched_lengths wait, sleep;
};

struct mp_sched_table {
	struct mp_sched_row **rows;
	size_t n_rows, cap_rows;
	struct mp_sched_row *cpus; /* rows of CPUs, which use only `runs` and `ns` */
	size_t n_cpus, cap_cpus;
	struct mp_sched_row total; /* sums over all tasks */
	uint64_t length_ns;	   /* total length of the captures */
	bool filtered; /* a zero may mean unknown, since the events that it counts had a filter */
};

/* The figure by which tasks are sorted, the greatest first; equal ones by tid. */
enum mp_sched_order {
	MP_SCHED_BY_RUN,
	MP_SCHED_BY_RUNS,
	MP_SCHED_BY_VOLUNTARY,
	MP_SCHED_BY_INVOLUNTARY,
	MP_SCHED_BY_WAIT_AVG,
	MP_SCHED_BY_WAIT_MAX,
	MP_SCHED_BY_WAIT_P99,
	MP_SCHED_BY_SLEEP_AVG,
	MP_SCHED_BY_SLEEP_MAX,
	MP_SCHED_BY_SLEEP_P99,
	MP_SCHED_BY_MIGRATIONS,
};

/* Zeroed memory is a valid empty table. */
void mp_sched_table_release(struct mp_sched_table *t);

void mp_sched_table_span(struct mp_sched_table *t, const struct mp_sched_span *span);

/* Computes the figures of a task that has ended. `migrated`: the kernel reported migrations. */
void mp_sched_table_gone(struct mp_sched_table *t, struct mp_sched_task *task, bool migrated);

/*
 * Computes the figures of the tasks that are alive, as of the spans that have come. `migrated` as
 * above.
 */
void mp_sched_table_update(struct mp_sched_table *t, bool migrated);

/*
 * Sorts and writes the table, as aligned text or as TAB-separated values. `host` may be empty. Text
 * has at most `max_lines` lines (0: all), at the expense of the last tasks, and of the CPUs if they
 * would take half of the lines. With `first` the line of titles precedes the values.
 */
void mp_sched_table_text(struct mp_sched_table *t, struct mp_str host, enum mp_sched_order order,
			 size_t max_lines, struct mp_out *out);
void mp_sched_table_tsv(struct mp_sched_table *t, struct mp_str host, enum mp_sched_order order,
			bool first, struct mp_out *out);

#endif
