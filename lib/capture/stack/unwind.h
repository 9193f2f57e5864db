/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unwinds user stacks from the registers and the copy of a part of the stack that a sample has: by
 * call frame information where a file or the log of a just-in-time compiler has it, or else by
 * frame pointers (V8, Java). Includes arch, dso, task.
 */
#ifndef MP_CAPTURE_STACK_UNWIND_H
#define MP_CAPTURE_STACK_UNWIND_H

#include "lib/capture/host/arch.h"
#include "lib/capture/stack/dso.h"
#include "lib/capture/stack/task.h"

/* Registers and stack, as much of it as the kernel has copied. */
struct mp_dump {
	uint64_t abi;	      /* PERF_SAMPLE_REGS_ABI_ */
	const uint64_t *regs; /* the registers, in the order of mp_arch.perf_regs */
	const char *stack;    /* the copy of the stack, which begins at the stack pointer */
	size_t len;	      /* number of bytes that were copied */
	/* number of bytes that were requested; if len is less, no more could be copied */
	size_t asked;
	bool kernel;	  /* the sample was taken while the task was in the kernel */
	uint64_t time_ns; /* of the sample */
};

/* Where the walk ended. */
enum mp_unwind_end {
	MP_UNWIND_COMPLETE,	 /* at the root of the thread */
	MP_UNWIND_NO_STACK,	 /* there is no stack: the task is exiting, or within exec */
	MP_UNWIND_STACK_SIZE,	 /* at the end of the copy */
	MP_UNWIND_ABSENT,	 /* at a page of the stack that was not in memory */
	MP_UNWIND_MAX_STACK,	 /* at the limit of frames */
	MP_UNWIND_MAPPING,	 /* at an address without a mapping of code */
	MP_UNWIND_FRAME_POINTER, /* in code without call frame information and frame pointers */
	MP_UNWIND_UNKNOWN,     /* at a frame pointer or return address of 0, perhaps at the root */
	MP_UNWIND_OTHER_STACK, /* at a switch from another stack, which was not copied */
	MP_UNWIND_CFI,	       /* at call frame information that is wrong or damaged */
	MP_UNWIND_ABI,	       /* in a 32-bit program */
	/* at the first frame, since the record of the BPF program is missing */
	MP_UNWIND_NO_TABLES,
	MP_UNWIND_ENDS,
};

/* The name of a reason in the trailer: "stack-size", "absent" and so on; "complete". */
const char *mp_unwind_end_name(enum mp_unwind_end end);

struct mp_unwinder {
	const struct mp_arch *arch;
	struct mp_dsos *dsos;
	struct mp_unwind_row *cache; /* rows found before; the size of the cache never changes */
	uint64_t looked_up, missed;
	unsigned steps; /* steps that the current walk may still take in call frame information */
};

void mp_unwinder_init(struct mp_unwinder *u, const struct mp_arch *arch, struct mp_dsos *dsos);
void mp_unwinder_release(struct mp_unwinder *u);

/*
 * Writes the addresses of the frames, leaf first, to `ips`, which has room for `max`; `*n` gets
 * their number. They are return addresses: for all but the first, the address minus one is in the
 * code of the frame.
 */
enum mp_unwind_end mp_unwind(struct mp_unwinder *u, const struct mp_space *space,
			     const struct mp_dump *dump, uint64_t *ips, size_t max, size_t *n);

/*
 * Whether an address of a frame is in the root: a function with which threads or processes begin,
 * by its call frame information, or by its symbol if it has none. `leaf`: the frame is the
 * innermost one.
 */
bool mp_unwind_is_root(struct mp_unwinder *u, const struct mp_space *space, uint64_t addr,
		       bool leaf);

/*
 * How a walk along frame pointers that found these `n` addresses ended: it is complete if the last
 * one is in a root.
 */
enum mp_unwind_end mp_unwind_check_root(struct mp_unwinder *u, const struct mp_space *space,
					const uint64_t *ips, size_t n, enum mp_unwind_end end);

#endif
