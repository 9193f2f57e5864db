/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events that come later than their time says, such as the begins of spans, in order of time: sorted
 * in runs, which wait in a temporary file and are merged. Includes spill.
 */
#ifndef MP_CPEL_BEGINS_H
#define MP_CPEL_BEGINS_H

#include "lib/core/spill.h"

struct mp_cpel_begin {
	uint64_t time_ns;
	uint64_t before; /* at the same time it precedes the event of this number in the log */
	uint32_t track, type, datum;
};

struct mp_cpel_begins {
	struct mp_spill runs;	      /* all but the latest run, one after the other */
	struct mp_cpel_begin *latest; /* the run that is being filled */
	size_t n, cap;
	uint64_t total;
	struct mp_cpel_run *merged; /* while they are read */
	size_t n_merged;
};

void mp_cpel_begins_init(struct mp_cpel_begins *b);
void mp_cpel_begins_release(struct mp_cpel_begins *b);

void mp_cpel_begins_add(struct mp_cpel_begins *b, const struct mp_cpel_begin *begin);

/* Ends the adding. */
void mp_cpel_begins_sort(struct mp_cpel_begins *b);

/* The next one in order, or NULL; mp_cpel_begins_next() continues with the one after it. */
const struct mp_cpel_begin *mp_cpel_begins_peek(const struct mp_cpel_begins *b);
void mp_cpel_begins_next(struct mp_cpel_begins *b);

#endif
