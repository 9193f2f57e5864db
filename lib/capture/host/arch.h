/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between processor architectures, as data: no other file tests for one of them. Each
 * has a file of its own, arch_NAME.c, and a row in archs.c. Includes str.
 */
#ifndef MP_CAPTURE_HOST_ARCH_H
#define MP_CAPTURE_HOST_ARCH_H

#include "lib/core/str.h"

/*
 * What the programs in bpf/ need to unwind stacks, to aggregate, and to test irqs-off. Code that
 * keeps its return address in `ra_copy` during a system call, and stubs of the PLT whose CFA is
 * this expression, have rows of their own (enum mp_bpf_kind).
 */
struct mp_arch_bpf {
	uint64_t
		perf_place; /* attr.sample_regs_user: the stack pointer, and the program counter after it */
	uint8_t ra_copy;
	const uint8_t *plt_cfa;
	size_t plt_cfa_len;
};

/* Registers have the numbers that DWARF gives them, unless a comment says otherwise. */
struct mp_arch {
	const char *name;      /* as uname -m prints it */
	uint16_t elf_machine;  /* EM_ */
	const char *libraries; /* Debian's folder for its libraries, below /lib and /usr/lib */

	/* registers in samples */
	uint64_t perf_regs;   /* attr.sample_regs_user: all that unwinding needs */
	size_t n_regs;	      /* bits set in perf_regs */
	const uint8_t *dwarf; /* DWARF number of each register, in the order of the bits */

	/* call frame information */
	/* registers with numbers below this are followed, at most MP_CFI_REGS */
	uint8_t cfi_regs;
	uint8_t sp, fp, pc; /* numbers of these registers; DWARF may not define the one of `pc` */
	uint8_t ra;	    /* number that the call frame information gives to the return address */
	bool link_register; /* a function may leave its return address in a register */
	uint8_t cfa_sign; /* instruction that toggles whether the return address is signed; 0: none */
	/* letter of the augmentation that selects the second signing key; 0: none */
	char sign_key;
	uint64_t code_mask; /* the bits of a signed return address that belong to the address */

	/* layout of frame records, as offsets from the frame pointer */
	int8_t record_fp,
		record_ra; /* places of the caller's frame pointer and of the return address */
	int8_t record_cfa; /* the caller's stack pointer */

	/*
	 * The function of the vDSO to which signal handlers return, if its call frame information
	 * does not lead to the interrupted code; NULL: it does. With such a function, the registers
	 * are in memory, in the order of perf_regs, at the offset signal_regs from the stack
	 * pointer.
	 */
	const char *signal_return;
	uint16_t signal_regs;

	/* procedure linkage table */
	uint8_t plt_head;  /* bytes of .plt before the first stub */
	uint8_t plt_entry; /* bytes of a stub */

	/* probes and breakpoints */
	const char *const
		*arg_regs; /* registers of a function's arguments, as the kernel names them */
	size_t n_arg_regs;
	uint8_t bp_exec_len; /* attr.bp_len of a breakpoint on execution */

	/* Appends the name that the kernel has for the assembler's `reg`; false if it has none. */
	bool (*put_register)(struct mp_buf *to, struct mp_str reg);

	/*
	 * How many bytes after the beginning of a function a probe is cheaper: after instructions
	 * that the kernel would single-step, and before one that it emulates. 0: nowhere. NULL:
	 * never.
	 */
	size_t (*cheap_place)(const uint8_t *code, size_t len);

	/* NULL: the programs in bpf/ do not know its registers */
	const struct mp_arch_bpf *bpf;
};

#endif
