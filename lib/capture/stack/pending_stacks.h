/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User stacks that a BPF program took, until the samples of the same moments come along. A task's
 * user stack stays as it is while it is in the kernel, so of several the nearest in time is right.
 * Copies of stacks, too: they are walked when their samples come, with the mappings of that moment.
 * Includes map, unwind.
 */
#ifndef MP_CAPTURE_STACK_PENDING_STACKS_H
#define MP_CAPTURE_STACK_PENDING_STACKS_H

#include "bpf/unwind.h"
#include "lib/capture/stack/unwind.h"
#include "lib/core/map.h"

/* What an enum mp_bpf_end means. */
enum mp_unwind_end mp_pending_stack_end(uint32_t end);

struct mp_pending_stack {
	uint64_t time_ns;
	uint64_t *ips;
	size_t n, cap;
	enum mp_unwind_end end;
	const struct mp_bpf_copy *copy; /* instead of a chain; NULL: it is one */
};

struct mp_pending_stacks {
	struct mp_map map; /* tid -> the latest few */
	struct copy *copies;
	uint64_t n_copies; /* that came; the latest are kept */
};

void mp_pending_stacks_init(struct mp_pending_stacks *c);
void mp_pending_stacks_release(struct mp_pending_stacks *c);

/* Takes a record over; false if it is damaged. */
bool mp_pending_stacks_put(struct mp_pending_stacks *c, const struct mp_bpf_head *record);

/* The one nearest to a time, NULL if there is none near; valid until the next put. */
const struct mp_pending_stack *mp_pending_stacks_find(struct mp_pending_stacks *c, pid_t tid,
						      uint64_t time_ns);

#endif
