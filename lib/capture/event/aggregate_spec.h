/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a specification says of a sum that the kernel makes, see spec.h: the terms
 *
 *	sum=WEIGHT	added up by stack: count, period, argN, or a product of two as arg1*arg2
 *	ask=WEIGHT	what the thread asks for, until it gets it
 *	into=POINTER	of ask: where what it gets will be stored
 *	got=POINTER	it has got it: retval
 *	freed=POINTER	it gives it back
 *	every=N		take a stack only each time that so much weight has come together
 *
 * WEIGHT may have a name in front, "bytes:arg1". Includes str and types of bpf/ only.
 */
#ifndef MP_CAPTURE_EVENT_AGGREGATE_SPEC_H
#define MP_CAPTURE_EVENT_AGGREGATE_SPEC_H

#include "bpf/aggregate.h"
#include "lib/core/str.h"

struct mp_agg_terms {
	bool given;
	char weight[32]; /* its name */
	struct mp_agg_rule rule;
};

bool mp_event_agg_is_term(struct mp_str key);

/* Takes a term over. NULL, or what is wrong with its value (static). */
const char *mp_event_agg_parse_term(struct mp_agg_terms *t, struct mp_str key, struct mp_str value);

/* NULL, or what is missing for the terms to make sense (static). */
const char *mp_event_agg_check_terms(const struct mp_agg_terms *t);

#endif
