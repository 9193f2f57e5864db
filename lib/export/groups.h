/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records of many groups, such as threads, that come in any order and are needed group by group,
 * for formats that have everything of a group in one place. Memory is bounded: beyond that, sorted
 * runs of records wait in a temporary file (spill.h). Includes spill.
 */
#ifndef MP_EXPORT_GROUPS_H
#define MP_EXPORT_GROUPS_H

#include "lib/core/spill.h"

struct mp_export_groups {
	/* records that are not yet in a run, and per group the first and the last one of them */
	char *buf;
	size_t len, cap;
	struct mp_export_chain {
		uint32_t first, last; /* offset in buf + 1; 0: none */
	} * chains;
	size_t n, n_cap; /* groups */
	struct mp_spill spill;
	struct mp_export_run *runs;
	size_t n_runs, runs_cap;
	uint32_t group; /* that is being read */
	size_t run;	/* from which the next record comes */
	char *large;	/* a record that is larger than a window */
	size_t large_cap;
};

void mp_export_groups_init(struct mp_export_groups *g);
void mp_export_groups_release(struct mp_export_groups *g);

/* Adds a record to a group; groups have numbers from 0, without large gaps. */
void mp_export_groups_add(struct mp_export_groups *g, uint32_t group, const void *data, size_t len);

/*
 * After the last record: begins to read a group, the same one again or one with a larger number.
 * mp_export_groups_next() gets its records in the order in which they were added, each valid until
 * the next call. Returns false after the last one.
 */
void mp_export_groups_begin(struct mp_export_groups *g, uint32_t group);
bool mp_export_groups_next(struct mp_export_groups *g, struct mp_str *record);

#endif
