// SPDX-License-Identifier: GPL-2.0-only
/*
 * An expression in the first line, then data lines: an expression that parses gives the same result
 * in several forms, and its parts agree with the whole.
 */
#include <stdlib.h>

#include "lib/stream/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The text with something around it; must parse if the text does, unless it meets a limit. */
static struct mp_expr *around(const char *before, const char *text, const char *behind)
{
	struct mp_expr_error error;
	char *whole = mp_asprintf("%s%s%s", before, text, behind);
	struct mp_expr *e = mp_expr_parse(whole, &error);

	free(whole);
	return e;
}

static struct mp_expr *twice(const char *text, const char *op)
{
	char *behind = mp_asprintf(")%s(%s)", op, text);
	struct mp_expr *e = around("(", text, behind);

	free(behind);
	return e;
}

static void check_error(const char *text, const struct mp_expr_error *error)
{
	struct mp_buf message = { NULL, 0, 0 };

	if (error->at > strlen(text) || !error->why[0])
		abort();
	mp_expr_describe(&message, text, error);
	if (!message.len)
		abort();
	mp_buf_release(&message);
}

static void same_for(const struct mp_expr *e, bool want, const struct mp_rec *rec)
{
	if (e && mp_expr_match(e, rec) != want)
		abort();
}

/* A computed field has the same value as a number and as text. */
static void check_field(const char *text, const struct mp_rec *rec)
{
	struct mp_expr_error error;
	struct mp_number n;
	struct mp_field f;
	struct mp_str value;
	double v;

	if (mp_expr_field(&f, mp_str(text), &error) < 0) {
		check_error(text, &error);
		return;
	}
	if (f.computed && mp_rec_get(rec, &f, &value) != (mp_rec_number(rec, &f, &v) == 1))
		abort();
	if (f.computed && mp_rec_get(rec, &f, &value) &&
	    (mp_number_parse(&n, value) < 0 || mp_number_real(&n) != v))
		abort();
	mp_field_release(&f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size,
		   *lf = size ? memchr(p, '\n', size) : NULL;
	struct mp_expr *e, *not, *brackets, *both, *either;
	struct mp_expr_error error = { 0, "" };
	struct mp_rec rec;
	const char *why, *next;
	char *text;

	if (!lf)
		return 0;
	text = mp_strndup(p, lf - p);
	for (p = lf + 1; p < end && (next = memchr(p, '\n', end - p)); p = next + 1)
		if (mp_rec_parse(&rec, p, next - p, &why) == 0)
			check_field(text, &rec);
	e = mp_expr_parse(text, &error);
	if (!e) {
		check_error(text, &error);
		free(text);
		return 0;
	}
	not = around("!(", text, ")");
	brackets = around(" ( ", text, " ) ");
	both = twice(text, "&&");
	either = twice(text, "||");
	if (strlen(text) < MP_EXPR_DEPTH_MAX && (!not || !brackets || !both || !either))
		abort();
	for (p = lf + 1; p < end && (lf = memchr(p, '\n', end - p)); p = lf + 1) {
		bool result;

		if (mp_rec_parse(&rec, p, lf - p, &why) < 0)
			continue;
		result = mp_expr_match(e, &rec);
		same_for(not, !result, &rec);
		same_for(brackets, result, &rec);
		same_for(both, result, &rec);
		same_for(either, result, &rec);
	}
	mp_expr_free(e);
	mp_expr_free(not );
	mp_expr_free(brackets);
	mp_expr_free(both);
	mp_expr_free(either);
	free(text);
	return 0;
}
