/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terms of a specification for in-kernel aggregation, see spec.h:
 *
 *	sum=WEIGHT     adds the weight to that of the stack
 *	ask=WEIGHT     the thread asks for so much memory; the weight is pending until it gets it
 *	into=POINTER   with ask: where the allocator will store the address of the memory
 *	got=POINTER    the thread has got the memory at this address, such as retval
 *	freed=POINTER  the thread frees the memory at this address
 *	every=N        records stacks at random, on average one for each N of weight
 *
 * A WEIGHT is count, period, argN or a product of two arguments, arg1*arg2; it may begin with a
 * name, "bytes:arg1". Includes str and types of bpf/ only.
 */
#ifndef MP_CAPTURE_EVENT_AGGREGATE_SPEC_H
#define MP_CAPTURE_EVENT_AGGREGATE_SPEC_H

#include "bpf/aggregate.h"
#include "lib/core/str.h"

struct mp_agg_terms {
	bool given;
	char weight[32]; /* name of the weight */
	struct mp_agg_rule rule;
};

bool mp_event_agg_is_term(struct mp_str key);

/* Sets a term. Returns NULL, or a message about its value (static). */
const char *mp_event_agg_parse_term(struct mp_agg_terms *t, struct mp_str key, struct mp_str value);

/* The reason why the terms cannot be combined (static), or NULL if they can. */
const char *mp_event_agg_check_terms(const struct mp_agg_terms *t);

#endif
