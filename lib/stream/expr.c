// SPDX-License-Identifier: GPL-2.0-only
/*
 * An expression is a list of comparisons, each with the one to go to when it is true and when it is
 * false, as in kernel/trace/trace_events_filter.c of Linux: no tree to walk, and what follows
 * && or || is skipped as soon as the result is known.
 */
#include "lib/stream/expr.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/core/map.h"
#include "lib/core/number.h"
#include "lib/stream/esc.h"
#include "lib/stream/field_hint.h"
#include "lib/stream/glob.h"

struct test {
	enum mp_expr_op op;
	uint16_t field;
	uint16_t yes, no;
	struct mp_number number;
	struct mp_str text;
	struct mp_glob glob;
};

struct wanted {
	struct mp_str key;	  /* with its = */
	uint64_t asked, found;	  /* records */
	uint64_t numbers, others; /* values that were compared with a number */
};

struct mp_expr {
	struct test *tests;
	size_t n, cap;
	struct mp_field *fields;
	struct wanted *wanted;
	size_t n_fields, fields_cap, wanted_cap;
	struct mp_field_hints *names; /* what may have been meant by a field that was never there */
	struct mp_arena arena;
};

struct parser {
	const char *text;
	size_t at;
	unsigned depth;
	struct mp_expr *e;
	struct mp_expr_error *error;
};

/* --- from text ---------------------------------------------------------------------------------------- */

static int fail_at(struct parser *p, size_t at, const char *why)
{
	p->error->at = at;
	snprintf(p->error->why, sizeof(p->error->why), "%s", why);
	return -1;
}

static int fail(struct parser *p, const char *why)
{
	return fail_at(p, p->at, why);
}

static void skip_blanks(struct parser *p)
{
	p->at += strspn(p->text + p->at, " \t\n\r");
}

/* Skips a token if it comes next. */
static bool take(struct parser *p, const char *token)
{
	size_t len = strlen(token);

	skip_blanks(p);
	if (strncmp(p->text + p->at, token, len) != 0)
		return false;
	p->at += len;
	return true;
}

/* Length of a word: of a number, or of text without quotes. */
static size_t word_len(const char *p)
{
	return strcspn(p, " \t\n\r()&|<>=!~\"'");
}

static int parse_field(struct parser *p, uint16_t *index)
{
	const char *name = p->text + p->at;
	size_t len = *name == '.', i;
	struct mp_expr *e = p->e;
	struct mp_field f;
	char *key;

	while (isalnum((unsigned char)name[len]) || name[len] == '_')
		len++;
	if (mp_field_parse(&f, (struct mp_str){ name, len }) < 0)
		return fail(p, "field name expected");
	p->at += len;
	for (i = 0; i < e->n_fields; i++)
		if (mp_str_eq(e->fields[i].name, f.name))
			break;
	*index = i;
	if (i < e->n_fields)
		return 0;
	if (i == MP_EXPR_FIELDS_MAX)
		return fail(p, "too many different fields");
	key = mp_arena_alloc(&e->arena, len + 1);
	memcpy(key, name, len);
	key[len] = '=';
	f.name.p = key;
	e->fields = mp_grow(e->fields, &e->fields_cap, i + 1, sizeof(*e->fields));
	e->wanted = mp_grow(e->wanted, &e->wanted_cap, i + 1, sizeof(*e->wanted));
	e->fields[i] = f;
	e->wanted[i] = (struct wanted){ .key = { key, len + 1 } };
	e->n_fields++;
	return 0;
}

static int parse_op(struct parser *p, enum mp_expr_op *op)
{
	/* in the order of enum mp_expr_op */
	static const char *const ops[] = { "!=", "==", "<=", "<", ">=", ">", "&", "~" };
	size_t i;

	skip_blanks(p);
	if (strncmp(p->text + p->at, "&&", 2) == 0)
		return fail(p, "comparison expected");
	for (i = 0; i < MP_ARRAY_SIZE(ops); i++) {
		if (!take(p, ops[i]))
			continue;
		*op = (enum mp_expr_op)i;
		return 0;
	}
	return fail(p, p->text[p->at] == '=' ? "comparison expected, == perhaps"
					     : "comparison expected");
}

/* Text in quotes or a word; `*quoted` says which. */
static int parse_text(struct parser *p, struct mp_str *text, bool *quoted)
{
	const char *begin = p->text + p->at, *end;

	*quoted = *begin == '"' || *begin == '\'';
	if (!*quoted) {
		*text = (struct mp_str){ begin, word_len(begin) };
		p->at += text->len;
		return 0;
	}
	end = strchr(begin + 1, *begin);
	if (!end)
		return fail(p, "quote is not closed");
	*text = (struct mp_str){ begin + 1, end - begin - 1 };
	p->at += text->len + 2;
	return 0;
}

static bool looks_numeric(struct mp_str word)
{
	return isdigit((unsigned char)*word.p) || *word.p == '-';
}

static int parse_value(struct parser *p, struct test *t)
{
	bool quoted, numeric = t->op != MP_EXPR_EQ && t->op != MP_EXPR_NE && t->op != MP_EXPR_GLOB;
	struct mp_str text;
	size_t at;

	skip_blanks(p);
	at = p->at;
	if (parse_text(p, &text, &quoted) < 0)
		return -1;
	if (!text.len && !quoted)
		return fail(p, numeric ? "number expected" : "number or text expected");
	if (numeric || (t->op != MP_EXPR_GLOB && !quoted && looks_numeric(text))) {
		if (quoted || mp_number_constant(&t->number, text) < 0)
			return fail_at(p, at,
				       numeric ? "number expected" : "text needs quotes here");
		if (t->op == MP_EXPR_BITS && !t->number.whole)
			return fail_at(p, at, "whole number expected");
		return 0;
	}
	t->text = mp_arena_str(&p->e->arena, text);
	if (t->op == MP_EXPR_GLOB)
		mp_glob_init(&t->glob, t->text);
	else
		t->op = t->op == MP_EXPR_EQ ? MP_EXPR_TEXT_EQ : MP_EXPR_TEXT_NE;
	return 0;
}

static int parse_comparison(struct parser *p)
{
	struct test t = { .yes = MP_EXPR_YES, .no = MP_EXPR_NO };
	struct mp_expr *e = p->e;

	skip_blanks(p);
	if (e->n == MP_EXPR_TESTS_MAX)
		return fail(p, "too many comparisons");
	if (parse_field(p, &t.field) < 0 || parse_op(p, &t.op) < 0 || parse_value(p, &t) < 0)
		return -1;
	e->tests = mp_grow(e->tests, &e->cap, e->n + 1, sizeof(t));
	e->tests[e->n++] = t;
	return 0;
}

/*
 * In what was parsed since `first`, redirects the exits with `result` to the comparison that
 * follows.
 */
static void join(struct mp_expr *e, size_t first, uint16_t result)
{
	size_t i;

	for (i = first; i < e->n; i++) {
		if (e->tests[i].yes == result)
			e->tests[i].yes = e->n;
		if (e->tests[i].no == result)
			e->tests[i].no = e->n;
	}
}

static uint16_t inverse(uint16_t where)
{
	return where == MP_EXPR_YES ? MP_EXPR_NO : where == MP_EXPR_NO ? MP_EXPR_YES : where;
}

static void invert(struct mp_expr *e, size_t first)
{
	size_t i;

	for (i = first; i < e->n; i++) {
		e->tests[i].yes = inverse(e->tests[i].yes);
		e->tests[i].no = inverse(e->tests[i].no);
	}
}

static int parse_or(struct parser *p);

static int parse_operand(struct parser *p)
{
	size_t first = p->e->n;
	bool inverted = false;

	while (take(p, "!"))
		inverted = !inverted;
	if (!take(p, "(")) {
		if (parse_comparison(p) < 0)
			return -1;
	} else {
		if (p->depth++ == MP_EXPR_DEPTH_MAX)
			return fail_at(p, p->at - 1, "too many parentheses within parentheses");
		if (parse_or(p) < 0)
			return -1;
		if (!take(p, ")"))
			return fail(p, "&&, || or ) expected");
		p->depth--;
	}
	if (inverted)
		invert(p->e, first);
	return 0;
}

static int parse_and(struct parser *p)
{
	size_t first = p->e->n;

	if (parse_operand(p) < 0)
		return -1;
	while (take(p, "&&")) {
		join(p->e, first, MP_EXPR_YES);
		first = p->e->n;
		if (parse_operand(p) < 0)
			return -1;
	}
	return 0;
}

static int parse_or(struct parser *p)
{
	size_t first = p->e->n;

	if (parse_and(p) < 0)
		return -1;
	while (take(p, "||")) {
		join(p->e, first, MP_EXPR_NO);
		first = p->e->n;
		if (parse_and(p) < 0)
			return -1;
	}
	return 0;
}

struct mp_expr *mp_expr_parse(const char *text, struct mp_expr_error *error)
{
	struct mp_expr *e = mp_zalloc(sizeof(*e));
	struct parser p = { .text = text, .e = e, .error = error };

	e->names = mp_zalloc(sizeof(*e->names));
	mp_field_hints_init(e->names);
	if (parse_or(&p) < 0)
		goto bad;
	skip_blanks(&p);
	if (!text[p.at])
		return e;
	fail(&p, text[p.at] == ')' ? "it closes no (" : "&& or || expected");
bad:
	mp_expr_free(e);
	return NULL;
}

void mp_expr_free(struct mp_expr *e)
{
	if (!e)
		return;
	mp_field_hints_release(e->names);
	free(e->names);
	mp_arena_release(&e->arena);
	free(e->tests);
	free(e->fields);
	free(e->wanted);
	free(e);
}

/* The text at an error: a word, a run of operators, a quote or parenthesis; not much of it. */
static size_t shown_len(const char *p)
{
	size_t len = word_len(p);

	if (!len)
		len = strspn(p, "&|<>=!~");
	len = MP_MIN(len, 24);
	while (len > 1 && ((unsigned char)p[len] & 0xc0) == 0x80) /* not within a character */
		len--;
	return len ? len : 1;
}

void mp_expr_describe(struct mp_buf *to, const char *text, const struct mp_expr_error *error)
{
	if (text[error->at])
		mp_buf_printf(to, "expression: at '%.*s' (column %zu): %s",
			      (int)shown_len(text + error->at), text + error->at, error->at + 1,
			      error->why);
	else
		mp_buf_printf(to, "expression: at its end: %s", error->why);
}

struct mp_expr *mp_expr_need(const char *text)
{
	struct mp_buf message = { NULL, 0, 0 };
	struct mp_expr_error error;
	struct mp_expr *e = mp_expr_parse(text, &error);

	if (e)
		return e;
	mp_expr_describe(&message, text, &error);
	mp_usage("%.*s", MP_STR_ARGS(mp_buf_view(&message)));
}

size_t mp_expr_tests(const struct mp_expr *e)
{
	return e->n;
}

struct mp_expr_test mp_expr_test(const struct mp_expr *e, size_t i)
{
	const struct test *t = &e->tests[i];
	const struct mp_str key = e->wanted[t->field].key;

	return (struct mp_expr_test){
		.op = t->op,
		.field = { key.p, key.len - 1 },
		.number = t->number,
		.text = t->text,
		.yes = t->yes,
		.no = t->no,
	};
}

size_t mp_expr_fields(const struct mp_expr *e, const struct mp_field **fields)
{
	*fields = e->fields;
	return e->n_fields;
}

/* --- over a record ------------------------------------------------------------------------------------ */

/* How far the fields of a record were read, and which fields were found. */
struct reading {
	const struct mp_rec *rec;
	const char *p, *end;
	uint64_t asked, have; /* bits by field */
	struct mp_str values[MP_EXPR_FIELDS_MAX];
};

/* The number of the field at `p` if the expression needs it and has not found it yet, else -1. */
static int which(const struct mp_expr *e, const struct reading *r, const char *p)
{
	size_t left = r->end - p, i;

	for (i = 0; i < e->n_fields; i++) {
		struct mp_str key = e->wanted[i].key;

		if (*key.p == *p && key.len <= left && memcmp(key.p, p, key.len) == 0 &&
		    !(r->have >> i & 1))
			return (int)i;
	}
	return -1;
}

static bool read_up_to(const struct mp_expr *e, struct reading *r, unsigned field)
{
	while (r->p < r->end) {
		const char *p = r->p, *tab = memchr(p, '\t', r->end - p);
		int i = which(e, r, p);

		if (!tab)
			tab = r->end;
		r->p = tab + 1;
		if (i < 0)
			continue;
		p += e->wanted[i].key.len;
		r->values[i] = (struct mp_str){ p, tab - p };
		r->have |= 1ull << i;
		if ((unsigned)i == field)
			return true;
	}
	return false;
}

static bool get(const struct mp_expr *e, struct reading *r, unsigned field)
{
	const struct mp_field *f = &e->fields[field];
	struct wanted *w = &e->wanted[field];

	if (r->asked >> field & 1)
		return r->have >> field & 1;
	r->asked |= 1ull << field;
	w->asked++;
	if (r->have >> field & 1 ||
	    (f->id == MP_FIELD_KEY ? read_up_to(e, r, field)
				   : mp_rec_get(r->rec, f, &r->values[field]))) {
		r->have |= 1ull << field;
		w->found++;
		return true;
	}
	if (!w->found)
		mp_field_hints_learn(e->names, r->rec);
	return false;
}

static bool same_text(struct mp_str raw, struct mp_str escaped)
{
	const char *p = escaped.p, *end = p + escaped.len;
	size_t i;
	char c;

	if (!memchr(p, '\\', escaped.len))
		return mp_str_eq(raw, escaped);
	for (i = 0; i < raw.len && p < end; i++) {
		p += mp_esc_next(p, end, &c);
		if (c != raw.p[i])
			return false;
	}
	return i == raw.len && p == end;
}

static bool compare_numbers(const struct test *t, struct wanted *w, struct mp_str value)
{
	struct mp_number n;
	int c;

	if (mp_number_parse(&n, value) < 0) {
		w->others++;
		return false;
	}
	w->numbers++;
	if (t->op == MP_EXPR_BITS)
		return mp_number_bits(&n) & mp_number_bits(&t->number);
	c = mp_number_cmp(&n, &t->number);
	switch (t->op) {
	case MP_EXPR_EQ:
		return c == 0;
	case MP_EXPR_NE:
		return c != 0;
	case MP_EXPR_LT:
		return c < 0;
	case MP_EXPR_LE:
		return c <= 0;
	case MP_EXPR_GT:
		return c > 0;
	default:
		return c >= 0;
	}
}

static bool holds(const struct test *t, struct wanted *w, struct mp_str value)
{
	switch (t->op) {
	case MP_EXPR_GLOB:
		return mp_glob_match(&t->glob, value);
	case MP_EXPR_TEXT_EQ:
		return same_text(t->text, value);
	case MP_EXPR_TEXT_NE:
		return !same_text(t->text, value);
	default:
		return compare_numbers(t, w, value);
	}
}

bool mp_expr_match(const struct mp_expr *e, const struct mp_rec *rec)
{
	const struct test *t;
	struct reading r;
	unsigned at = 0;

	r.rec = rec;
	r.p = rec->body.p;
	r.end = rec->kind == MP_EVENT ? r.p + rec->body.len : r.p;
	r.asked = r.have = 0;
	while (at < MP_EXPR_YES) {
		t = &e->tests[at];
		at = get(e, &r, t->field) && holds(t, &e->wanted[t->field], r.values[t->field])
			     ? t->yes
			     : t->no;
	}
	return at == MP_EXPR_YES;
}

/* --- what may have been meant ------------------------------------------------------------------------- */

static void tell_missing(const struct mp_expr *e, size_t field)
{
	struct mp_str name = e->fields[field].name;
	char *near = mp_field_hints_near(e->names, name);

	mp_say("field '%.*s' was in none of the %llu records that needed it%s%s%s",
	       MP_STR_ARGS(name), (unsigned long long)e->wanted[field].asked,
	       near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
	free(near);
}

void mp_expr_report(const struct mp_expr *e)
{
	size_t i;

	for (i = 0; i < e->n_fields; i++) {
		const struct wanted *w = &e->wanted[i];

		if (w->asked && !w->found)
			tell_missing(e, i);
		if (w->others && !w->numbers)
			mp_say("field '%.*s' is compared with a number but was not a number in any "
			       "record (text needs quotes)",
			       MP_STR_ARGS(e->fields[i].name));
	}
}
