/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User stacks from what a sample holds: the registers and a copy of the end of the stack. Walked over
 * call frame information where a file has it, along frame pointers where it has none (code that was
 * made at run time, V8's builtins, Go). Includes arch, dso, task.
 */
#ifndef MP_CAPTURE_STACK_UNWIND_H
#define MP_CAPTURE_STACK_UNWIND_H

#include "lib/capture/host/arch.h"
#include "lib/capture/stack/dso.h"
#include "lib/capture/stack/task.h"

/* As far as the kernel copies it. */
struct mp_dump {
	uint64_t abi;	      /* PERF_SAMPLE_REGS_ABI_ */
	const uint64_t *regs; /* in the order of mp_arch.perf_regs */
	const char *stack;    /* from the stack pointer on */
	size_t len;	      /* bytes of it */
	size_t asked;	      /* that were asked for; less were there if len is below */
	bool kernel;	      /* the sample was taken in the kernel */
};

/* How the walk ended. */
enum mp_unwind_end {
	MP_UNWIND_WHOLE,	 /* at the root of the thread */
	MP_UNWIND_NO_STACK,	 /* there is none: the task is exiting, or within exec */
	MP_UNWIND_STACK_SIZE,	 /* at the end of the copy */
	MP_UNWIND_ABSENT,	 /* at a page of the stack that was not in memory */
	MP_UNWIND_MAX_STACK,	 /* at the limit of frames */
	MP_UNWIND_MAPPING,	 /* at an address where no code is known to be */
	MP_UNWIND_FRAME_POINTER, /* in code without call frame information and frame pointers */
	MP_UNWIND_CFI,		 /* at call frame information that leads nowhere, or is damaged */
	MP_UNWIND_ABI,		 /* a 32-bit program */
	MP_UNWIND_NO_TABLES,	 /* by BPF: its record is missing */
	MP_UNWIND_ENDS,
};

/* "whole", "stack-size": as the trailer names them. */
const char *mp_unwind_end_name(enum mp_unwind_end end);

struct mp_unwinder {
	const struct mp_arch *arch;
	struct mp_dsos *dsos;
	struct mp_unwind_row *cache; /* of fixed size */
	uint64_t looked_up, missed;
};

void mp_unwinder_init(struct mp_unwinder *u, const struct mp_arch *arch, struct mp_dsos *dsos);
void mp_unwinder_release(struct mp_unwinder *u);

/*
 * Puts the frames, leaf first, into `ips`, which has room for `max`; `*n`: how many. Addresses are
 * such that of all but the first, one less is in the code that the frame is in.
 */
enum mp_unwind_end mp_unwind(struct mp_unwinder *u, const struct mp_space *space,
			     const struct mp_dump *dump, uint64_t *ips, size_t max, size_t *n);

/* Whether the code at an address is where threads begin: their root. */
bool mp_unwind_is_root(struct mp_unwinder *u, const struct mp_space *space, uint64_t addr);

#endif
