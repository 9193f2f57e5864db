/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers compared exactly: whole ones of 64 bits with their sign, as s64 and u64 fields have them,
 * and any others as a double. Includes str only.
 */
#ifndef MP_CORE_NUMBER_H
#define MP_CORE_NUMBER_H

#include "lib/core/str.h"

struct mp_number {
	bool whole; /* the value is in `magnitude` and `negative`, else in `real` */
	bool negative;
	uint64_t magnitude;
	double real;
};

struct mp_number mp_number_of(int64_t v);

/*
 * Parses the value of a field. A decimal number, perhaps with a sign, and 0x... are exact; a number
 * with a fraction, an exponent or more than 64 bits becomes a double. Returns 0, or -1 if it is not
 * a finite number.
 */
int mp_number_parse(struct mp_number *n, struct mp_str text);

/*
 * Parses a constant that a user wrote: as mp_number_parse(), but as in C and in the kernel's
 * filters 017 is octal, and a sign may precede 0x. With ns, us, ms or s after it, it is a time,
 * converted to ns. Returns 0 or -1.
 */
int mp_number_constant(struct mp_number *n, struct mp_str text);

/* Arithmetic. The result is whole where it fits a sign and 64 bits, else a double. */
enum mp_number_op {
	MP_NUMBER_ADD,
	MP_NUMBER_SUBTRACT,
	MP_NUMBER_MULTIPLY,
	MP_NUMBER_DIVIDE,    /* whole if there is no remainder */
	MP_NUMBER_QUOTIENT,  /* truncated towards 0 */
	MP_NUMBER_REMAINDER, /* remainder of MP_NUMBER_QUOTIENT; has the sign of a */
};

enum mp_number_result { MP_NUMBER_OK, MP_NUMBER_BY_ZERO, MP_NUMBER_RANGE };

/* `to` may be one of the operands; it is valid if the result is MP_NUMBER_OK. */
enum mp_number_result mp_number_calc(enum mp_number_op op, const struct mp_number *a,
				     const struct mp_number *b, struct mp_number *to);
void mp_number_negate(struct mp_number *n);

/*
 * Writes a number with as many digits as it needs to be read back as the same one, without a NUL;
 * `to` has room for MP_NUMBER_MAX bytes. Returns the end.
 */
enum { MP_NUMBER_MAX = 32 };

char *mp_number_put(char *to, const struct mp_number *n);

double mp_number_real(const struct mp_number *n);

/* Compares: below 0, 0 or above 0 if a is less than, equal to or greater than b. */
int mp_number_cmp(const struct mp_number *a, const struct mp_number *b);

/* The 64 bits of a whole number, negative ones in two's complement; 0 for others. */
uint64_t mp_number_bits(const struct mp_number *n);

#endif
