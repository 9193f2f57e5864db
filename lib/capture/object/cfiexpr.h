/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Evaluates the DWARF expressions of call frame information (DWARF 5, section 2.5): arithmetic,
 * registers, memory, branches. They are hostile input: their stack and steps are limited. Includes
 * base only.
 */
#ifndef MP_CAPTURE_OBJECT_CFIEXPR_H
#define MP_CAPTURE_OBJECT_CFIEXPR_H

#include "lib/core/base.h"

/* The registers and the memory that an expression may read. */
struct mp_cfi_machine {
	const uint64_t *regs; /* values of the registers by DWARF number */
	size_t n_regs;
	/* reads `size` bytes (1 to 8) at an address; false if they are not available */
	bool (*read)(void *arg, uint64_t addr, size_t size, uint64_t *value);
	void *arg;
	unsigned *steps; /* reduced by the operations; at 0 the evaluation fails */
};

enum mp_cfi_result {
	MP_CFI_DONE,
	MP_CFI_BAD,	/* the expression is damaged, or not supported */
	MP_CFI_NO_DATA, /* the expression reads memory that is not available */
};

/*
 * For the expression of a register, `cfa` is pushed on the stack first; NULL: the stack begins
 * empty.
 */
enum mp_cfi_result mp_cfi_eval(const uint8_t *expr, size_t len, const struct mp_cfi_machine *m,
			       const uint64_t *cfa, uint64_t *result);

#endif
