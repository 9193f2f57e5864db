/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps user stacks that a BPF program sent until the samples of the same events arrive. A sample
 * and its stack have the same program counter and stack pointer, and for each event either the
 * program always runs before perf, or perf always runs before the program. Copies of stacks are
 * kept, too, and unwound when their samples arrive, with the mappings of that time. Includes map,
 * unwind.
 */
#ifndef MP_CAPTURE_STACK_PENDING_STACKS_H
#define MP_CAPTURE_STACK_PENDING_STACKS_H

#include "bpf/unwind.h"
#include "lib/capture/stack/unwind.h"
#include "lib/core/map.h"

/* Converts an enum mp_bpf_end. */
enum mp_unwind_end mp_pending_stack_end(uint32_t end);

struct mp_pending_stack {
	uint64_t time_ns, ip, sp;
	uint64_t *ips;
	size_t n, cap;
	enum mp_unwind_end end;
	const struct mp_bpf_copy *copy; /* a copy of the stack instead of `ips`, or NULL */
};

struct mp_pending_stacks {
	struct mp_map map; /* tid -> its latest stacks */
	struct copy *copies;
	uint64_t n_copies; /* copies that have arrived; the latest ones are kept */
	int8_t *orders;	   /* by event: if below 0, its stacks seem to come before its samples */
	size_t n_orders;
	uint32_t *drops; /* by CPU: mp_bpf_record.drops of the latest record */
	size_t n_drops;
};

/* What is known from a sample about its stack. */
struct mp_pending_want {
	pid_t tid;
	uint64_t time_ns, ip, sp;
	size_t event;
	bool after; /* the stacks of this event are expected after its samples, not before */
};

void mp_pending_stacks_init(struct mp_pending_stacks *c);
void mp_pending_stacks_release(struct mp_pending_stacks *c);

/* Stores a copy of a record; false if it is damaged. */
bool mp_pending_stacks_put(struct mp_pending_stacks *c, const struct mp_bpf_head *record);

/*
 * The stack of a sample, NULL if it has not arrived; valid until the next put. No other sample gets
 * it.
 */
const struct mp_pending_stack *mp_pending_stacks_take(struct mp_pending_stacks *c,
						      const struct mp_pending_want *want);

/* The copy that was made at a time, NULL if it has not arrived; valid until the next put. */
const struct mp_bpf_copy *mp_pending_stacks_copy(struct mp_pending_stacks *c, pid_t tid,
						 uint64_t time_ns);

#endif
