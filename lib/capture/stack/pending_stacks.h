/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User stacks that a BPF program took, kept until the samples of the same events arrive. The user
 * stack of a task does not change while the task is in the kernel, so of several the nearest in
 * time is right. Copies of stacks are kept, too, and unwound when their samples arrive, with the
 * mappings of that time. Includes map, unwind.
 */
#ifndef MP_CAPTURE_STACK_PENDING_STACKS_H
#define MP_CAPTURE_STACK_PENDING_STACKS_H

#include "bpf/unwind.h"
#include "lib/capture/stack/unwind.h"
#include "lib/core/map.h"

/* The end of a walk that an enum mp_bpf_end stands for. */
enum mp_unwind_end mp_pending_stack_end(uint32_t end);

struct mp_pending_stack {
	uint64_t time_ns;
	uint64_t *ips;
	size_t n, cap;
	enum mp_unwind_end end;
	const struct mp_bpf_copy *copy; /* instead of `ips`, or NULL */
};

struct mp_pending_stacks {
	struct mp_map map; /* tid -> its latest stacks */
	struct copy *copies;
	uint64_t n_copies; /* so many have arrived; the latest are kept */
};

void mp_pending_stacks_init(struct mp_pending_stacks *c);
void mp_pending_stacks_release(struct mp_pending_stacks *c);

/* Stores a copy of a record; false if it is damaged. */
bool mp_pending_stacks_put(struct mp_pending_stacks *c, const struct mp_bpf_head *record);

/* The stack nearest to a time, NULL if none is near; valid until the next put. */
const struct mp_pending_stack *mp_pending_stacks_find(struct mp_pending_stacks *c, pid_t tid,
						      uint64_t time_ns);

#endif
