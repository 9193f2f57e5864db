/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expressions over the fields of a record, in the syntax of the kernel's event filters
 * (Documentation/trace/events.rst of Linux): comparisons == != < <= > >= of numbers, & of bits, ==
 * != of text and ~ with a glob, joined by && || ! and parentheses; with arithmetic and fields on
 * both sides. Fields are named as everywhere in the mp tools: comm, .prev_pid, dur, time, type, x,
 * y, info. mp-select(1) has the whole grammar. Includes ctl, number, rec.
 *
 *	e = mp_expr_need(arg);			an option's argument: misuse ends the program
 *	mp_expr_header(e, &in.ctl, NULL, NULL);
 *	if (mp_expr_match(e, &rec)) ...
 *	status = mp_expr_report(e);		at the end: what was mistyped, most likely
 *	mp_expr_free(e);
 */
#ifndef MP_STREAM_EXPR_H
#define MP_STREAM_EXPR_H

#include "lib/core/number.h"
#include "lib/stream/ctl.h"
#include "lib/stream/rec.h"

enum {
	MP_EXPR_FIELDS_MAX = 64,    /* different fields */
	MP_EXPR_TESTS_MAX = 4096,   /* comparisons */
	MP_EXPR_DEPTH_MAX = 64,	    /* parentheses within parentheses */
	MP_EXPR_COMPUTED_MAX = 127, /* bytes of a computed field */
};

enum mp_expr_op {
	MP_EXPR_NE,
	MP_EXPR_EQ,
	MP_EXPR_LE,
	MP_EXPR_LT,
	MP_EXPR_GE,
	MP_EXPR_GT,
	MP_EXPR_BITS, /* & */
	MP_EXPR_GLOB, /* this and the following two compare text */
	MP_EXPR_TEXT_EQ,
	MP_EXPR_TEXT_NE,
	MP_EXPR_SAME, /* this and the following one compare two fields, as numbers or as text */
	MP_EXPR_DIFFERENT,
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

/* As mp_expr_parse(), but an unquoted word after == and != is text, as in the kernel's filters. */
struct mp_expr *mp_expr_parse_words(const char *text, struct mp_expr_error *error);

/* As mp_expr_parse(), but begin:FIELD and end:FIELD are fields, too: keys of these names. */
struct mp_expr *mp_expr_parse_sides(const char *text, struct mp_expr_error *error);
void mp_expr_free(struct mp_expr *e);

/*
 * Appends to `to` a message in one line, without a NUL: "expression: at 'foo' (column 7):
 * comparison expected".
 */
void mp_expr_describe(struct mp_buf *to, const char *text, const struct mp_expr_error *error);

/* mp_expr_parse() for an option's argument: ends the program with that message. */
struct mp_expr *mp_expr_need(const char *text);

/*
 * A field that a user named where a number or a key is wanted: mp_field_parse(), or a sum of fields
 * and numbers (at most MP_EXPR_COMPUTED_MAX bytes), which is then computed for each record that it
 * is read from. The text is borrowed. Returns 0, or -1 with `*error`. mp_expr_field_list() appends
 * those of a comma-separated list, and sets `*bad` to the one that is not a field.
 */
int mp_expr_field(struct mp_field *f, struct mp_str text, struct mp_expr_error *error);
int mp_expr_field_list(struct mp_fields *fields, const char *list, struct mp_str *bad,
		       struct mp_expr_error *error);

/*
 * Whether the expression is true for a record. A comparison with a field that the record lacks is
 * false, even with !=; so is a comparison of a number with text that is not a number. Looks for no
 * field that it does not need, and goes through the record once. Two threads must not call it at
 * the same time, since it counts for mp_expr_report().
 */
bool mp_expr_match(const struct mp_expr *e, const struct mp_rec *rec);

/*
 * Handles a control line. The program ends at a header that rules out one of the fields, see
 * field_check.h.
 */
void mp_expr_header(struct mp_expr *e, const struct mp_ctl *ctl,
		    uint32_t (*roles)(void *arg, const char *type), void *arg);

/*
 * Reports on stderr the fields that no tested record had, each with a similar name that exists; the
 * fields that were compared with numbers and never were one; divisions by zero and numbers out of
 * range. Otherwise an empty result is easily mistaken for an answer. Returns the status for main.
 */
enum mp_status mp_expr_report(const struct mp_expr *e);

/*
 * The comparisons, for callers that evaluate them elsewhere, beginning with comparison 0. `yes` and
 * `no` are the next comparison to make, which has a greater number, or the result: MP_EXPR_YES or
 * MP_EXPR_NO.
 */
enum { MP_EXPR_YES = MP_EXPR_TESTS_MAX, MP_EXPR_NO };

struct mp_expr_test {
	enum mp_expr_op op;
	/* does not compare a field with a constant: only `yes` and `no` are valid */
	bool computed;
	struct mp_str field;	 /* the field as the user wrote it */
	struct mp_number number; /* the constant, unless the op compares text */
	struct mp_str text;
	size_t yes, no;
};

size_t mp_expr_tests(const struct mp_expr *e);
struct mp_expr_test mp_expr_test(const struct mp_expr *e, size_t i); /* texts are borrowed */

/* The fields that the expression names, each once; borrowed. */
size_t mp_expr_fields(const struct mp_expr *e, const struct mp_field **fields);

#endif
