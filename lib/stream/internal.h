/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An expression as exprparse.c makes it and expr.c evaluates it; for these two files only. Includes
 * expr.
 */
#ifndef MP_STREAM_INTERNAL_H
#define MP_STREAM_INTERNAL_H

#include "lib/stream/expr.h"
#include "lib/stream/field_check.h"
#include "lib/stream/glob.h"

enum { MP_EXPR_OPERANDS_MAX = 64 }; /* operands of a sum */

/* A sum in the order of its evaluation: each step puts its result where its operands were. */
struct mp_expr_step {
	enum mp_expr_operand {
		MP_EXPR_FIELD,
		MP_EXPR_NUMBER,
		MP_EXPR_NEGATE,
		MP_EXPR_CALC,
	} what;
	uint16_t field;
	enum mp_number_op op;
	struct mp_number number;
};

struct mp_expr_sum {
	struct mp_expr_step *v;
	size_t n, cap, operands;
};

/*
 * A comparison: of a field with a constant; with the field `other` (== and !=); or, if `left` has
 * steps, of two sums.
 */
struct mp_expr_node {
	enum mp_expr_op op;
	uint16_t field, other;
	uint16_t yes, no;
	struct mp_number number;
	struct mp_str text;
	struct mp_glob glob;
	struct mp_expr_sum left, right;
};

struct mp_expr_wanted {
	/*
	 * the field's name with its '='; a LF, which no line contains, if the field is not found by
	 * its key
	 */
	struct mp_str key;
	/* counts of values that had to be a number: those that were, and those that were not */
	uint64_t numbers, others;
};

struct mp_expr {
	struct mp_expr_node *nodes;
	size_t n, cap;
	struct mp_expr_sum value; /* the sum, if the field is computed */
	struct mp_computed computed;
	struct mp_field *fields;
	struct mp_expr_wanted *wanted;
	size_t n_fields, fields_cap, wanted_cap;
	struct mp_field_check names; /* checks that records have the fields in `fields` */
	/* comparisons that failed, by enum mp_number_result */
	uint64_t failed[MP_NUMBER_RANGE + 1];
	struct mp_arena arena;
};

/* Computes a sum that has no fields. */
enum mp_number_result mp_expr_constant(const struct mp_expr_sum *sum, struct mp_number *n);

/* the functions of struct mp_computed */
void mp_expr_release(struct mp_computed *c);
int mp_expr_compute(struct mp_computed *c, const struct mp_rec *rec, struct mp_number *n);

#endif
