/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Describes as data what differs between processor architectures; no other file tests for a
 * particular one. Each has a file of its own, arch_NAME.c, and a row in archs.c. Includes str.
 */
#ifndef MP_CAPTURE_HOST_ARCH_H
#define MP_CAPTURE_HOST_ARCH_H

#include "lib/core/str.h"

/*
 * What the programs in bpf/ need. Code that keeps its return address in `ra_copy` during a system
 * call, and stubs of the PLT whose CFA is this expression, have rows of their own (enum
 * mp_bpf_kind).
 */
struct mp_arch_bpf {
	/* attr.sample_regs_user: the stack pointer and the program counter */
	uint64_t perf_place;
	uint8_t ra_copy;
	const uint8_t *plt_cfa;
	size_t plt_cfa_len;
};

/* Registers have the numbers that DWARF gives them, unless a comment says otherwise. */
struct mp_arch {
	const char *name;      /* the name that uname -m prints */
	uint16_t elf_machine;  /* EM_ */
	const char *libraries; /* folder where Debian has its libraries, below /lib and /usr/lib */

	/* registers in samples */
	uint64_t perf_regs;   /* attr.sample_regs_user: all that unwinding needs */
	size_t n_regs;	      /* bits set in perf_regs */
	const uint8_t *dwarf; /* DWARF number of each register, in the order of the bits */

	/* call frame information */
	/* registers with numbers below this are tracked, at most MP_CFI_REGS */
	uint8_t cfi_regs;
	/*
	 * numbers of the stack pointer, the frame pointer and the program counter; DWARF may not
	 * define the last one
	 */
	uint8_t sp, fp, pc;
	uint8_t ra;	    /* number that the call frame information gives to the return address */
	bool link_register; /* a function may leave its return address in a register */
	/* instruction that toggles whether the return address is signed; 0: none */
	uint8_t cfa_sign;
	/* letter of the augmentation that selects the second signing key; 0: none */
	char sign_key;
	uint64_t code_mask; /* mask of the bits of a signed return address that are the address */

	/* layout of frame records, as offsets from the frame pointer */
	int8_t record_fp;  /* offset of the caller's frame pointer */
	int8_t record_ra;  /* offset of the return address */
	int8_t record_cfa; /* offset to which the caller's stack pointer points */

	/*
	 * The function of the vDSO to which signal handlers return, if its call frame information
	 * does not lead to the interrupted code; NULL: it does. With such a function, the registers
	 * are in memory, in the order of perf_regs, at the offset signal_regs from the stack
	 * pointer.
	 */
	const char *signal_return;
	uint16_t signal_regs;

	/* shape of the procedure linkage table */
	uint8_t plt_head;  /* bytes of .plt before the first stub */
	uint8_t plt_entry; /* bytes of a stub */

	/* probes and breakpoints */
	/* names that the kernel has for the registers of a function's arguments */
	const char *const *arg_regs;
	size_t n_arg_regs;
	uint8_t bp_exec_len; /* attr.bp_len of a breakpoint on execution */

	/* Appends the name that the kernel has for the assembler's `reg`; false if it has none. */
	bool (*put_register)(struct mp_buf *to, struct mp_str reg);

	/*
	 * The offset in a function at which a probe is cheaper: after instructions that the kernel
	 * would single-step, and before one that it emulates. Returns 0 if there is none. NULL:
	 * the kernel single-steps everywhere.
	 */
	size_t (*cheap_place)(const uint8_t *code, size_t len);

	/* data for the programs in bpf/; NULL: they do not support the architecture */
	const struct mp_arch_bpf *bpf;
};

#endif
