/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What makes runs less comparable, as the headers and trailers of their streams say it. Includes
 * runs, ctl.
 */
#ifndef MP_DIFF_FACTS_H
#define MP_DIFF_FACTS_H

#include "lib/diff/runs.h"
#include "lib/stream/ctl.h"

/* What is known of a run. */
struct mp_diff_facts {
	const char *name;   /* of its input; borrowed */
	json_t *header;	    /* the first one, or NULL */
	uint64_t length_ns; /* from that header to the last trailer; 0: not known */
	uint64_t lost;	    /* events; set by the caller */
};

/*
 * Notes the first header, to which it keeps a reference, and the time of the last trailer; ignores
 * other control lines.
 */
void mp_diff_facts_control(struct mp_diff_facts *f, const struct mp_ctl *ctl);
void mp_diff_facts_release(struct mp_diff_facts *f);

/*
 * Prints on stderr where runs differ in their lengths, losses, CPUs, kernels and machines, and
 * which first frames only one side has. `facts` has one element for each of the finished runs.
 */
void mp_diff_facts_report(const struct mp_diff_facts *facts, const struct mp_diff_runs *runs);

#endif
