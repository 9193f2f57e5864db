// SPDX-License-Identifier: GPL-2.0-only
#include "lib/select/filtertext.h"

#include "lib/stream/glob.h"

enum { TEXT_MAX = 4096 }; /* a longer filter becomes `?` */

struct writer {
	struct mp_buf *to;
	const struct mp_expr *e;
	const char *type;
	json_t *fields; /* of the type, as the header lists them; empty: unknown */
	size_t end;	/* the greatest length of `to` */
	uint16_t settled[MP_EXPR_NO + 1];
};

/* The name that a field has in the kernel's filters; NULL: it has none there. */
static struct mp_str kernel_name(struct mp_str field)
{
	static const char *const names[][2] = {
		{ "comm", "COMM" },
		{ "cpu", "CPU" },
		{ "tid", "common_pid" },
	};
	size_t i;

	if (*field.p == '.')
		return (struct mp_str){ field.p + 1, field.len - 1 };
	for (i = 0; i < MP_ARRAY_SIZE(names); i++)
		if (mp_str_eq(field, mp_str(names[i][0])))
			return mp_str(names[i][1]);
	return (struct mp_str){ NULL, 0 };
}

static const char *operator_text(enum mp_expr_op op)
{
	static const char *const texts[] = {
		[MP_EXPR_NE] = "!=",	  [MP_EXPR_EQ] = "==",	[MP_EXPR_LE] = "<=",
		[MP_EXPR_LT] = "<",	  [MP_EXPR_GE] = ">=",	[MP_EXPR_GT] = ">",
		[MP_EXPR_BITS] = "&",	  [MP_EXPR_GLOB] = "~", [MP_EXPR_TEXT_EQ] = "==",
		[MP_EXPR_TEXT_NE] = "!=",
	};

	return texts[op];
}

static bool compares_text(const struct mp_expr_test *t)
{
	return t->op == MP_EXPR_GLOB || t->op == MP_EXPR_TEXT_EQ || t->op == MP_EXPR_TEXT_NE;
}

/* Whether a text means the same in quotes, in JSON and in the escapes of a stream. */
static bool is_plain(struct mp_str text)
{
	size_t i;

	for (i = 0; i < text.len; i++)
		if (text.p[i] < ' ' || text.p[i] > '~' || text.p[i] == '"' || text.p[i] == '\\')
			return false;
	return true;
}

static void put_test(const struct writer *w, const struct mp_expr_test *t)
{
	char number[MP_NUMBER_MAX];
	struct mp_str name = { NULL, 0 };
	bool quotable = true;

	if (!t->computed)
		name = kernel_name(t->field);
	if (name.p && compares_text(t))
		quotable = is_plain(t->text);
	else if (name.p)
		quotable = t->number.whole;
	if (!name.p || !quotable) {
		mp_buf_byte(w->to, '?');
		return;
	}
	mp_buf_printf(w->to, "%.*s%s", MP_STR_ARGS(name), operator_text(t->op));
	if (compares_text(t))
		mp_buf_printf(w->to, "\"%.*s\"", MP_STR_ARGS(t->text));
	else
		mp_buf_add(w->to, number, mp_number_put(number, &t->number) - number);
}

/* Whether the header says that events of the type lack the field: then each comparison is false. */
static bool is_absent(const struct writer *w, struct mp_str field)
{
	const char *key;
	json_t *value;

	if (*field.p != '.' || json_object_size(w->fields) == 0)
		return false;
	json_object_foreach (w->fields, key, value)
		if (mp_str_eq(field, mp_str(key)))
			return false;
	return true;
}

/* The result of a comparison that the type decides: true is 1, false 0; -1: it does not. */
static int decided(const struct writer *w, const struct mp_expr_test *t)
{
	struct mp_glob glob;
	bool is;

	if (t->computed)
		return -1;
	if (is_absent(w, t->field))
		return 0;
	if (!w->type || !compares_text(t) || !mp_str_eq(t->field, MP_STR("type")))
		return -1;
	mp_glob_init(&glob, t->text);
	is = t->op == MP_EXPR_GLOB ? mp_glob_match(&glob, mp_str(w->type))
				   : mp_str_eq(t->text, mp_str(w->type));
	return is != (t->op == MP_EXPR_TEXT_NE);
}

/*
 * Finds for each comparison the one that decides from there on: itself, or a later one if the type
 * decides it, or if both of its results lead to the same.
 */
static void settle(struct writer *w)
{
	size_t i = mp_expr_tests(w->e);

	w->settled[MP_EXPR_YES] = MP_EXPR_YES;
	w->settled[MP_EXPR_NO] = MP_EXPR_NO;
	while (i--) {
		struct mp_expr_test t = mp_expr_test(w->e, i);
		size_t yes = w->settled[t.yes], no = w->settled[t.no];
		int is = decided(w, &t);

		w->settled[i] = is == 1 || yes == no ? yes : is == 0 ? no : i;
	}
}

static void put_from(const struct writer *w, size_t i, bool in_and);

/* "TEST && ...", where the rest is what comes at `next`. */
static void put_and(const struct writer *w, const struct mp_expr_test *t, bool holds, size_t next)
{
	if (!holds)
		mp_buf_str(w->to, MP_STR("!("));
	put_test(w, t);
	if (!holds)
		mp_buf_byte(w->to, ')');
	if (next == MP_EXPR_YES)
		return;
	mp_buf_str(w->to, MP_STR(" && "));
	put_from(w, next, true);
}

/*
 * What must hold from the comparison `i` on. Several comparisons may lead to the same next one, so
 * the text may be longer than the expression.
 */
static void put_from(const struct writer *w, size_t i, bool in_and)
{
	struct mp_expr_test t = mp_expr_test(w->e, i);
	size_t yes = w->settled[t.yes], no = w->settled[t.no];
	bool either = yes != MP_EXPR_NO && no != MP_EXPR_NO;

	if (w->to->len > w->end)
		return;
	if (either && in_and)
		mp_buf_byte(w->to, '(');
	if (yes != MP_EXPR_NO)
		put_and(w, &t, true, yes);
	if (either)
		mp_buf_str(w->to, MP_STR(" || "));
	if (no != MP_EXPR_NO && yes == MP_EXPR_YES)
		put_from(w, no, false);
	else if (no != MP_EXPR_NO)
		put_and(w, &t, false, no);
	if (either && in_and)
		mp_buf_byte(w->to, ')');
}

/* Adds "(A) && (B)" for the expressions that must all hold. */
static enum mp_select_passed put_all(struct mp_buf *to, const struct mp_select_filters *f,
				     const char *type, json_t *fields)
{
	struct writer w = { .to = to, .type = type, .fields = fields, .end = to->len + TEXT_MAX };
	size_t start = to->len, i;

	for (i = 0; i < f->n; i++) {
		w.e = f->exprs[i];
		settle(&w);
		if (w.settled[0] == MP_EXPR_NO) {
			to->len = start;
			return MP_SELECT_NONE;
		}
		if (w.settled[0] == MP_EXPR_YES)
			continue;
		if (to->len > start)
			mp_buf_str(to, MP_STR(" && "));
		if (f->n > 1)
			mp_buf_byte(to, '(');
		put_from(&w, w.settled[0], false);
		if (f->n > 1)
			mp_buf_byte(to, ')');
	}
	if (to->len > w.end) {
		to->len = start;
		mp_buf_byte(to, '?');
	}
	return to->len > start ? MP_SELECT_SOME : MP_SELECT_ALL;
}

enum mp_select_passed mp_select_filter_text(struct mp_buf *to, const struct mp_select_filters *f,
					    const char *type, json_t *fields)
{
	struct mp_buf text = { NULL, 0, 0 };
	enum mp_select_passed passed = put_all(&text, f, type, fields);

	if (f->invert)
		passed = MP_SELECT_ALL - passed;
	if (f->thinned && passed == MP_SELECT_ALL)
		mp_buf_byte(to, '?');
	else if (passed == MP_SELECT_SOME)
		mp_buf_printf(to,
			      f->invert	   ? "!(%.*s)%s"
			      : f->thinned ? "(%.*s)%s"
					   : "%.*s%s",
			      MP_STR_ARGS(mp_buf_view(&text)), f->thinned ? " && ?" : "");
	mp_buf_release(&text);
	return f->thinned && passed == MP_SELECT_ALL ? MP_SELECT_SOME : passed;
}
