/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call frame information: it says how to find the registers of the caller from any address of a
 * program. Reads .eh_frame (Linux Standard Base Core, "Exception Frames") and .debug_frame (DWARF
 * 5, section 6.4). Program files are hostile input: they cost memory in proportion to their size,
 * up to a limit, and a search or a conversion costs at most the steps that the caller allows.
 * Includes arch, limit.
 */
#ifndef MP_CAPTURE_OBJECT_CFI_H
#define MP_CAPTURE_OBJECT_CFI_H

#include "lib/capture/host/arch.h"
#include "lib/capture/object/limit.h"

enum {
	MP_CFI_REGS = 35,  /* the greatest mp_arch.cfi_regs */
	MP_CFI_RULES = 12, /* rules in a row; more, as in a signal frame, overflow */
	/*
	 * Steps (instructions, and a multiple for what takes longer) that are enough for any
	 * function.
	 */
	MP_CFI_STEPS = 1 << 16,
};

enum mp_cfi_kind {
	MP_CFI_SAME, /* the register is unchanged, as if there were no rule */
	/* the value is lost; if it is the return address, this function is the root */
	MP_CFI_UNDEFINED,
	MP_CFI_AT,	   /* the value is in memory at CFA + value */
	MP_CFI_VALUE,	   /* the value is CFA + value */
	MP_CFI_REGISTER,   /* the value is in the register with the number `value` */
	MP_CFI_AT_EXPR,	   /* the value is in memory at the result of the expression */
	MP_CFI_VALUE_EXPR, /* the value is the result of the expression */
};

struct mp_cfi_rule {
	uint8_t reg;  /* DWARF number */
	uint8_t kind; /* enum mp_cfi_kind */
	int32_t value;
};

/*
 * The rules for the addresses from `start` to `end`. The CFA (canonical frame address) is the stack
 * pointer in the caller, before the call.
 */
struct mp_cfi_row {
	uint64_t start, end;
	const struct mp_cfi *cfi;
	/*
	 * the CFA is the value of cfa_reg plus this, or the result of the expression at this offset
	 */
	int32_t cfa_value;
	uint8_t cfa_reg;
	bool cfa_expr;
	/* a signal frame: the caller's address is that of an interrupted instruction */
	bool signal;
	/* the frame pointer leads to the caller's frame, which is on another stack */
	bool other_stack;
	bool ra_signed; /* the return address contains an authentication code */
	bool overflow;	/* there are more rules than fit; mp_cfi_find_full() finds all of them */
	uint8_t section;
	uint8_t ra_reg; /* number of the register whose rule is that of the return address */
	uint8_t ra_kind;
	uint8_t n_rules;
	struct mp_cfi_rule rules[MP_CFI_RULES];
};

/* All rules, for rows that overflow. */
struct mp_cfi_full {
	struct mp_cfi_rule rules[MP_CFI_REGS];
	size_t n;
};

struct mp_cfi;

struct mp_cfi *mp_cfi_new(const struct mp_arch *arch);
void mp_cfi_free(struct mp_cfi *c);

/* The architecture of the program. */
const struct mp_arch *mp_cfi_arch(const struct mp_cfi *c);

/*
 * Adds a section, which is on the heap and is taken over; `addr` is its address as the file states
 * it. Sections are searched in the order in which they were added. Damaged entries are skipped. The
 * limit pays for the index; if it is exceeded, nothing is added.
 */
void mp_cfi_give(struct mp_cfi *c, bool eh_frame, void *data, size_t size, uint64_t addr,
		 struct mp_limit *limit);

/* Adds a copy of a section that is not hostile input. */
void mp_cfi_add(struct mp_cfi *c, bool eh_frame, const void *data, size_t size, uint64_t addr);

/* The number of functions, and the bytes of memory in use. */
size_t mp_cfi_count(const struct mp_cfi *c);
size_t mp_cfi_bytes(const struct mp_cfi *c);

/*
 * Find the row of an address. 1: found; 0: there is none; -1: the entry is damaged, or takes more
 * than `*steps`. The steps that were taken are subtracted from `*steps`.
 */
int mp_cfi_find(const struct mp_cfi *c, uint64_t addr, struct mp_cfi_row *row, unsigned *steps);
int mp_cfi_find_full(const struct mp_cfi *c, uint64_t addr, struct mp_cfi_full *full,
		     unsigned *steps);

/*
 * Calls `each` for all rows, function by function, in order of address over all sections; for a
 * damaged function, up to the damage. False: this took too many steps, and the rest is missing.
 */
typedef void mp_cfi_fn(void *arg, const struct mp_cfi_row *row);

bool mp_cfi_each(const struct mp_cfi *c, mp_cfi_fn *each, void *arg);

/* The bytes of the expression that the `value` of a rule or of the CFA refers to; NULL: damaged. */
const uint8_t *mp_cfi_expr(const struct mp_cfi_row *row, int32_t value, size_t *len);

#endif
