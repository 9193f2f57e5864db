/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the unwinding of stacks needs to know of a kind of machine: which registers the kernel gives,
 * and which of DWARF's numbers they have (System V ABI AMD64, figure 3.36; DWARF for the Arm 64-bit
 * Architecture). Includes base only.
 */
#ifndef MP_CAPTURE_HOST_ARCH_H
#define MP_CAPTURE_HOST_ARCH_H

#include "lib/core/base.h"

struct mp_arch {
	const char *name;
	uint64_t perf_regs;   /* attr.sample_regs_user */
	uint64_t perf_pc;     /* that of the address alone */
	size_t n_regs;	      /* so many, in the order of their bits */
	const uint8_t *dwarf; /* DWARF number of each */
	uint8_t sp, fp, pc;   /* DWARF numbers */
	bool link_register;   /* a function may leave the return address in a register */
	uint64_t code_mask;   /* of a signed return address: what is the address */
};

extern const struct mp_arch mp_arch_x86_64, mp_arch_arm64;

/* That of this machine; NULL: its stacks cannot be unwound. */
const struct mp_arch *mp_arch_here(void);

#endif
