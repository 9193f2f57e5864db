/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * DWARF expressions as far as call frame information uses them (DWARF 5, section 2.5): arithmetic,
 * registers, memory, branches. Hostile input: bounded in stack and steps. Includes base only.
 */
#ifndef MP_CAPTURE_OBJECT_CFIEXPR_H
#define MP_CAPTURE_OBJECT_CFIEXPR_H

#include "lib/core/base.h"

/* What an expression may look at. */
struct mp_cfi_machine {
	const uint64_t *regs; /* by DWARF number */
	size_t n_regs;
	/* `size` bytes (1 to 8) at an address; false if they are not known */
	bool (*read)(void *arg, uint64_t addr, size_t size, uint64_t *value);
	void *arg;
};

enum mp_cfi_result {
	MP_CFI_DONE,
	MP_CFI_BAD,	/* damaged, or beyond what is understood */
	MP_CFI_NO_DATA, /* it looks at memory that is not known */
};

/* `cfa`: first on the stack, for expressions of registers; NULL: nothing is. */
enum mp_cfi_result mp_cfi_eval(const uint8_t *expr, size_t len, const struct mp_cfi_machine *m,
			       const uint64_t *cfa, uint64_t *result);

#endif
