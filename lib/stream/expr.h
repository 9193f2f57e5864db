/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expressions over the fields of a record, in the syntax of the kernel's event filters
 * (Documentation/trace/events.rst of Linux): comparisons == != < <= > >= of numbers, & of bits,
 * == != of text and ~ with a glob, joined by && || ! and parentheses. Fields are named as
 * everywhere in the mp tools: comm, .prev_pid, dur, time, type, x, y, info. mp-select(1) has the
 * whole grammar. Includes number, rec.
 *
 *	e = mp_expr_need(arg);			an option's argument: misuse ends the program
 *	if (mp_expr_match(e, &rec)) ...
 *	mp_expr_report(e);			at the end: what was mistyped, most likely
 *	mp_expr_free(e);
 */
#ifndef MP_STREAM_EXPR_H
#define MP_STREAM_EXPR_H

#include "lib/core/number.h"
#include "lib/stream/rec.h"

enum {
	MP_EXPR_FIELDS_MAX = 64,  /* different fields */
	MP_EXPR_TESTS_MAX = 4096, /* comparisons */
	MP_EXPR_DEPTH_MAX = 64,	  /* parentheses within parentheses */
};

enum mp_expr_op {
	MP_EXPR_NE,
	MP_EXPR_EQ,
	MP_EXPR_LE,
	MP_EXPR_LT,
	MP_EXPR_GE,
	MP_EXPR_GT,
	MP_EXPR_BITS, /* & */
	MP_EXPR_GLOB, /* of text, as the next two */
	MP_EXPR_TEXT_EQ,
	MP_EXPR_TEXT_NE,
};

struct mp_expr;

/* Where and why a text is not an expression. */
struct mp_expr_error {
	size_t at; /* offset in the text; its length: at the end */
	char why[128];
};

/*
 * Parses an expression. Returns NULL with `*error` if the text is not one. The text need not
 * outlive the call.
 */
struct mp_expr *mp_expr_parse(const char *text, struct mp_expr_error *error);
void mp_expr_free(struct mp_expr *e);

/*
 * "expression: at 'foo' (column 7): comparison expected", in one line, added to `to` without a NUL.
 */
void mp_expr_describe(struct mp_buf *to, const char *text, const struct mp_expr_error *error);

/* mp_expr_parse() for an option's argument: ends the program with that message. */
struct mp_expr *mp_expr_need(const char *text);

/*
 * Whether it holds for a record. A comparison with a field that the record does not have is false,
 * != too, as is one of a number with text that is none. Looks for no field that it does not need,
 * and goes through the record once. Not for two threads at a time: it counts for mp_expr_report().
 */
bool mp_expr_match(const struct mp_expr *e, const struct mp_rec *rec);

/*
 * Reports on stderr the fields that no tested record had, each with a similar name that exists; and
 * the fields that were compared with numbers and never were one. Otherwise an empty result is
 * easily mistaken for an answer.
 */
void mp_expr_report(const struct mp_expr *e);

/*
 * The comparisons, for those who make them elsewhere. The first is made first; `yes` and `no` are the
 * one that follows, always a later one, or MP_EXPR_YES or MP_EXPR_NO, the result.
 */
enum { MP_EXPR_YES = MP_EXPR_TESTS_MAX, MP_EXPR_NO };

struct mp_expr_test {
	enum mp_expr_op op;
	struct mp_str field;	 /* as it was written */
	struct mp_number number; /* if the op is not of text */
	struct mp_str text;
	size_t yes, no;
};

size_t mp_expr_tests(const struct mp_expr *e);
struct mp_expr_test mp_expr_test(const struct mp_expr *e, size_t i); /* texts are borrowed */

/* The fields that it names, each once; borrowed. */
size_t mp_expr_fields(const struct mp_expr *e, const struct mp_field **fields);

#endif
