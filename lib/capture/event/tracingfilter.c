// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/tracingfilter.h"

#include "lib/stream/expr.h"

static int fail(char **error, char *text)
{
	*error = text;
	return -1;
}

static int find_field(const struct mp_tp *tp, struct mp_str name)
{
	size_t i;

	if (name.len && name.p[0] == '.') {
		name.p++;
		name.len--;
	}
	for (i = 0; i < tp->n_fields; i++)
		if (mp_str_eq(name, mp_str(tp->fields[i].name)))
			return (int)i;
	return -1;
}

static uint8_t where(size_t next)
{
	return next == MP_EXPR_YES ? MP_TRACING_YES : next == MP_EXPR_NO ? MP_TRACING_NO : next;
}

static int set_text(struct mp_tracing_test *to, const struct mp_expr_test *t, char **error)
{
	if (t->op == MP_EXPR_GLOB)
		return fail(error, mp_strdup("no ~ here (mp-select(1) filters by globs)"));
	if (t->text.len >= MP_TRACING_WORD)
		return fail(error, mp_asprintf("'%.*s' is longer than %u bytes",
					       MP_STR_ARGS(t->text), MP_TRACING_WORD - 1));
	to->op = t->op == MP_EXPR_TEXT_EQ ? MP_TRACING_TEXT_EQ : MP_TRACING_TEXT_NE;
	memcpy(to->text, t->text.p, t->text.len);
	to->len = t->text.len + 1;
	return 0;
}

static int set_number(struct mp_tracing_test *to, const struct mp_expr_test *t, bool is_signed,
		      char **error)
{
	const struct mp_number *n = &t->number;

	if (!n->whole || (n->negative && !is_signed) || (is_signed && n->magnitude > INT64_MAX))
		return fail(error,
			    mp_asprintf("'%.*s' can never have this value", MP_STR_ARGS(t->field)));
	to->op = (uint8_t)(t->op - MP_EXPR_NE + MP_TRACING_NE);
	to->is_signed = is_signed;
	to->value = mp_number_bits(n);
	return 0;
}

static int set_test(struct mp_tracing_test *to, const struct mp_tp *tp,
		    const struct mp_expr_test *t, char **error)
{
	int field;
	bool text;

	if (t->computed)
		return fail(
			error,
			mp_strdup(
				"no arithmetic and no second field here (mp-select(1) has both)"));
	field = find_field(tp, t->field);
	if (field < 0)
		return fail(error, mp_asprintf("the filter's '%.*s' is not one of its fields",
					       MP_STR_ARGS(t->field)));
	text = tp->fields[field].kind == MP_TP_STRING;
	if (!text && t->op >= MP_EXPR_TEXT_EQ && find_field(tp, t->text) >= 0)
		return fail(error, mp_asprintf("'%.*s' cannot be compared with '%.*s' here "
					       "(mp-select(1) compares fields)",
					       MP_STR_ARGS(t->field), MP_STR_ARGS(t->text)));
	if (text != (t->op >= MP_EXPR_GLOB))
		return fail(error, mp_asprintf("'%.*s' is %s", MP_STR_ARGS(t->field),
					       text ? "a text (compare it with a text in quotes)"
						    : "a number"));
	to->field = (uint8_t)field;
	to->yes = where(t->yes);
	to->no = where(t->no);
	if (text)
		return set_text(to, t, error);
	return set_number(to, t, tp->fields[field].kind == MP_TP_SIGNED, error);
}

int mp_tracing_filter(struct mp_tracing_setup *setup, const struct mp_tp *tp, const char *text,
		      char **error)
{
	struct mp_expr_error wrong;
	struct mp_expr *e = mp_expr_parse_words(text, &wrong);
	struct mp_buf said = { NULL, 0, 0 };
	int result = 0;
	size_t i;

	if (!e) {
		mp_expr_describe(&said, text, &wrong);
		mp_buf_byte(&said, '\0');
		return fail(error, said.p);
	}
	setup->n_tests = 0;
	if (mp_expr_tests(e) > MP_TRACING_TESTS)
		result = fail(error, mp_asprintf("more than %u comparisons", MP_TRACING_TESTS));
	for (i = 0; i < mp_expr_tests(e) && result == 0; i++) {
		struct mp_expr_test t = mp_expr_test(e, i);

		setup->tests[i] = (struct mp_tracing_test){ .op = 0 };
		result = set_test(&setup->tests[i], tp, &t, error);
		setup->n_tests++;
	}
	mp_expr_free(e);
	return result;
}

_Static_assert(MP_EXPR_BITS - MP_EXPR_NE == MP_TRACING_BITS - MP_TRACING_NE, "in the same order");
