/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A condition on spans: an expression over the fields of the span, and over those of both its
 * events as begin:FIELD and end:FIELD. Includes expr, span.
 */
#ifndef MP_PAIR_WHERE_H
#define MP_PAIR_WHERE_H

#include "lib/pair/span.h"

/* A field of one of the events. */
struct mp_pair_asked {
	struct mp_field field;
	struct mp_str key; /* as in the expression, which owns it: begin:FIELD */
	bool end;
};

/* Zeroed memory is valid: every span meets it. */
struct mp_pair_where {
	struct mp_expr *expr;
	struct mp_pair_asked asked[MP_EXPR_FIELDS_MAX];
	size_t n_asked;
	struct mp_buf text;
};

/* Returns 0, or -1 with `*error` (owned by the caller). */
int mp_pair_where_parse(struct mp_pair_where *w, const char *text, char **error);
void mp_pair_where_release(struct mp_pair_where *w);

/* Keeps the begin's values, after mp_endpoint_set(). */
void mp_pair_where_begin(struct mp_pair_where *w, struct mp_endpoint *m, const struct mp_rec *rec);

/* Whether a span meets the condition. `line` is its line. */
bool mp_pair_where_match(struct mp_pair_where *w, const struct mp_spans *s,
			 const struct mp_endpoint *begin, const struct mp_rec *end,
			 struct mp_str line);

#endif
