/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call frame information: how the caller's registers are found from any address of a program.
 * .eh_frame (Linux Standard Base Core, "Exception Frames") and .debug_frame (DWARF 5, section 6.4).
 * What a program file says is hostile input: it costs memory in proportion to its size, and time in
 * proportion to one function's part. Includes arch.
 */
#ifndef MP_CAPTURE_OBJECT_CFI_H
#define MP_CAPTURE_OBJECT_CFI_H

#include "lib/capture/host/arch.h"

enum {
	MP_CFI_REGS =
		35, /* the most DWARF numbers that are followed; mp_arch.cfi_regs says which */
	MP_CFI_RULES = 12, /* that a row has room for; a signal frame has more */
};

enum mp_cfi_kind {
	MP_CFI_SAME,	   /* as in the frame itself: no rule */
	MP_CFI_UNDEFINED,  /* gone; of the return address: this is the root */
	MP_CFI_AT,	   /* in memory at CFA + value */
	MP_CFI_VALUE,	   /* CFA + value */
	MP_CFI_REGISTER,   /* in the register whose number is value */
	MP_CFI_AT_EXPR,	   /* in memory where the expression says */
	MP_CFI_VALUE_EXPR, /* what the expression says */
};

struct mp_cfi_rule {
	uint8_t reg;  /* whose */
	uint8_t kind; /* enum mp_cfi_kind */
	int32_t value;
};

/*
 * What holds between two addresses. The CFA (canonical frame address) is the stack pointer in the
 * caller, before the call.
 */
struct mp_cfi_row {
	uint64_t start, end;
	const struct mp_cfi *cfi;
	int32_t cfa_value; /* CFA = register cfa_reg + this, or an expression */
	uint8_t cfa_reg;
	bool cfa_expr;
	bool signal;	/* a signal was delivered here: the caller's address is exact */
	bool ra_signed; /* the return address has an authentication code in it */
	bool overflow;	/* more rules than there is room for: mp_cfi_find_full() */
	uint8_t section;
	uint8_t ra_reg; /* number under which the return address is found */
	uint8_t ra_kind;
	uint8_t n_rules;
	struct mp_cfi_rule rules[MP_CFI_RULES];
};

/* All registers by number, for rows that overflow. */
struct mp_cfi_full {
	struct mp_cfi_rule rules[MP_CFI_REGS];
	size_t n;
};

struct mp_cfi;

struct mp_cfi *mp_cfi_new(const struct mp_arch *arch);
void mp_cfi_free(struct mp_cfi *c);

/*
 * Adds a section, which is copied; `addr` is its address in the file's terms. Sections are searched
 * in the order in which they were added. What is damaged is passed over.
 */
void mp_cfi_add(struct mp_cfi *c, bool eh_frame, const void *data, size_t size, uint64_t addr);

/* Functions that it knows of, and the memory that it takes. */
size_t mp_cfi_count(const struct mp_cfi *c);
size_t mp_cfi_bytes(const struct mp_cfi *c);

/* The row of an address. 1; 0: there is none; -1: it is damaged. */
int mp_cfi_find(const struct mp_cfi *c, uint64_t addr, struct mp_cfi_row *row);
int mp_cfi_find_full(const struct mp_cfi *c, uint64_t addr, struct mp_cfi_full *full);

/* Calls `each` for all rows, function by function; rows of a damaged function up to the damage. */
typedef void mp_cfi_fn(void *arg, const struct mp_cfi_row *row);

void mp_cfi_each(const struct mp_cfi *c, mp_cfi_fn *each, void *arg);

/* The bytes of an expression, by the value of a rule or of the CFA; NULL if they are damaged. */
const uint8_t *mp_cfi_expr(const struct mp_cfi_row *row, int32_t value, size_t *len);

#endif
