/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expressions over the fields of a record, in the syntax of the kernel's event filters
 * (Documentation/trace/events.rst of Linux): comparisons == != < <= > >= of numbers, & of bits,
 * == != of text and ~ with a glob, joined by && || ! and parentheses. Fields are named as
 * everywhere in the mp tools: comm, .prev_pid, dur, time, type, x, y, info. Includes rec.
 */
#ifndef MP_EXPR_H
#define MP_EXPR_H

#include "lib/rec.h"

struct mp_expr;

/* Where and why a text is no expression. */
struct mp_expr_error {
	size_t at; /* offset in the text */
	char why[128];
};

/* NULL with `*error` set if it is none. */
struct mp_expr *mp_expr_parse(const char *text, struct mp_expr_error *error);
void mp_expr_free(struct mp_expr *e);

/*
 * Whether it holds for a record. A comparison with a field that the record does not have is false,
 * != too, as is one of a number with text that is none.
 */
bool mp_expr_match(const struct mp_expr *e, const struct mp_rec *rec);

#endif
