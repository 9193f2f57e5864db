/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a specification besides its name. If the source that resolves the specification does
 * not act on one of them, resolve.c refuses it. Includes spec.
 */
#ifndef MP_CAPTURE_EVENT_SPEC_PART_H
#define MP_CAPTURE_EVENT_SPEC_PART_H

#include "lib/capture/event/spec.h"

enum mp_spec_part {
	MP_SPEC_COUNT = 1,	/* the prefix "stat:" */
	MP_SPEC_FILTER = 2,	/* a filter between slashes */
	MP_SPEC_SPACE = 4,	/* modifiers u, k */
	MP_SPEC_PRECISE = 8,	/* modifiers p, P */
	MP_SPEC_RATE = 16,	/* period=, freq= */
	MP_SPEC_STACK = 32,	/* stack=, max-stack= */
	MP_SPEC_METHOD = 64,	/* the method of user stacks: stack=fp */
	MP_SPEC_INTERVAL = 128, /* interval= */
	MP_SPEC_TOP = 256,	/* top= */
	MP_SPEC_MEMORY = 512,	/* the term "memory" */
	MP_SPEC_WHEN = 1024,	/* conditions for samples */
	MP_SPEC_AGG = 2048,	/* sum= and others */
	MP_SPEC_HOST = 4096,	/* modifier H */
	MP_SPEC_GUEST = 8192,	/* modifier G */
};

/* The parts that a specification has, as bits. */
unsigned mp_spec_parts(const struct mp_spec *spec);

/*
 * The end of the message about an event that does not support the first of these parts: "it takes
 * no filter ...".
 */
const char *mp_spec_part_refusal(unsigned parts);

#endif
