// SPDX-License-Identifier: GPL-2.0-only
/*
 * Expressions from text: mp_expr_parse() and its variants. An expression is a list of comparisons,
 * each of which says which one follows if it is true and which one if it is false, as in
 * kernel/trace/trace_events_filter.c of Linux: there is no tree to walk, and what follows && or ||
 * is skipped as soon as the result is known.
 */
#include "lib/stream/internal.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

/* The bytes that end a word, and those that end a number or a name in a sum. */
#define ENDS_WORD " \t\n\r()&|<>=!~\"'"
#define ENDS_NUMBER ENDS_WORD "+-*/%"

struct parser {
	const char *text;
	size_t at;
	unsigned depth;
	bool words;  /* an unquoted word after == is text, as for the kernel */
	bool sides;  /* begin:FIELD and end:FIELD are fields */
	bool strict; /* an unquoted name in a sum must be a known field, see is_field() */
	struct mp_expr *e;
	struct mp_expr_error *error;
};

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
	return strcspn(p, ENDS_WORD);
}

static size_t name_len(const char *name)
{
	size_t len = *name == '.';

	while (isalnum((unsigned char)name[len]) || name[len] == '_')
		len++;
	return len;
}

/* Length of "begin:" or "end:" before a name; 0: there is none, or it has no meaning here. */
static size_t side_len(const struct parser *p, const char *text)
{
	size_t len = strncmp(text, "begin:", 6) == 0 ? 6 : strncmp(text, "end:", 4) == 0 ? 4 : 0;

	return p->sides && name_len(text + len) ? len : 0;
}

static int parse_field(struct parser *p, uint16_t *index)
{
	const char *name = p->text + p->at;
	size_t side = side_len(p, name), len = side + name_len(name + side), i;
	struct mp_expr *e = p->e;
	struct mp_field f;
	char *key;

	if (mp_field_parse(&f, (struct mp_str){ name + side, len - side }) < 0)
		return fail(p, "field name expected");
	if (side)
		f = (struct mp_field){ .id = MP_FIELD_KEY, .name = { name, len } };
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
	e->wanted[i] = (struct mp_expr_wanted){ .key = f.id == MP_FIELD_KEY
							       ? (struct mp_str){ key, len + 1 }
							       : MP_STR("\n") };
	mp_field_check_add(&e->names, &f, "the expression", ~0u);
	e->n_fields++;
	return 0;
}

static int parse_op(struct parser *p, enum mp_expr_op *op)
{
	/* the operators in the order of enum mp_expr_op */
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
	return fail(p, p->text[p->at] == '=' ? "comparison expected; did you mean ==?"
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

/* --- sums ------------------------------------------------------------------------------------- */

static int push(struct parser *p, struct mp_expr_sum *sum, struct mp_expr_step step)
{
	bool operand = step.what == MP_EXPR_FIELD || step.what == MP_EXPR_NUMBER;

	if (operand && sum->operands++ == MP_EXPR_OPERANDS_MAX)
		return fail(p, "too many fields and numbers in one sum");
	sum->v = mp_grow(sum->v, &sum->cap, sum->n + 1, sizeof(step));
	sum->v[sum->n++] = step;
	return 0;
}

/* Length of a number: up to a blank or an operator, not counting the sign of an exponent. */
static size_t number_len(const char *p)
{
	bool hex = p[0] == '0' && (p[1] | 0x20) == 'x';
	size_t len = 0;

	for (;;) {
		len += strcspn(p + len, ENDS_NUMBER);
		if (hex || !len || (p[len] != '+' && p[len] != '-') || (p[len - 1] | 0x20) != 'e' ||
		    !isdigit((unsigned char)p[len + 1]))
			return len;
		len++;
	}
}

static bool begins_number(const char *p)
{
	return isdigit((unsigned char)p[*p == '.']);
}

/* Whether the name at `p` is a field wherever a word may be text. */
static bool is_field(const char *p)
{
	static const char *const names[] = { "cpu", "pid",    "tid",  "comm",
					     "dur", "period", "time", "type" };
	size_t len = 0, i;

	if (*p == '.')
		return true;
	while (isalnum((unsigned char)p[len]) || p[len] == '_')
		len++;
	if (p[len] && !strchr(ENDS_NUMBER, p[len]))
		return false;
	for (i = 0; i < MP_ARRAY_SIZE(names); i++)
		if (mp_str_eq((struct mp_str){ p, len }, mp_str(names[i])))
			return true;
	return false;
}

static int parse_sum(struct parser *p, struct mp_expr_sum *sum, const char *wanted);

static int parse_number(struct parser *p, struct mp_expr_sum *sum)
{
	struct mp_expr_step step = { .what = MP_EXPR_NUMBER };
	const char *text = p->text + p->at;
	size_t len = number_len(text);

	if (mp_number_constant(&step.number, (struct mp_str){ text, len }) < 0)
		return fail(p, p->strict ? "text needs quotes here" : "number expected");
	p->at += len;
	return push(p, sum, step);
}

static int parse_name(struct parser *p, struct mp_expr_sum *sum, const char *wanted)
{
	struct mp_expr_step step = { .what = MP_EXPR_FIELD };
	const char *text = p->text + p->at;

	char first = text[*text == '.'];
	bool name = isalpha((unsigned char)first) || first == '_';
	size_t at = p->at;

	if (p->strict && word_len(text) && !(name && (is_field(text) || side_len(p, text))))
		return fail(p, "text needs quotes here");
	if (!name)
		return fail(p, wanted);
	if (parse_field(p, &step.field) < 0)
		return -1;
	if (p->strict && p->text[p->at] && !strchr(ENDS_NUMBER, p->text[p->at]))
		return fail_at(p, at, "text needs quotes here");
	return push(p, sum, step);
}

/* Parses minus signs, if any, and a field, a number, or a sum in parentheses. */
static int parse_factor(struct parser *p, struct mp_expr_sum *sum, const char *wanted)
{
	bool negative = false, strict = p->strict;

	while (take(p, "-"))
		negative = !negative;
	skip_blanks(p);
	if (take(p, "(")) {
		if (p->depth++ == MP_EXPR_DEPTH_MAX)
			return fail_at(p, p->at - 1, "too many parentheses within parentheses");
		p->strict = false;
		if (parse_sum(p, sum, "field or number expected") < 0)
			return -1;
		if (!take(p, ")"))
			return fail(p, "an operator or ) expected");
		p->strict = strict;
		p->depth--;
	} else if (begins_number(p->text + p->at)) {
		if (parse_number(p, sum) < 0)
			return -1;
	} else if (parse_name(p, sum, wanted) < 0) {
		return -1;
	}
	return negative ? push(p, sum, (struct mp_expr_step){ .what = MP_EXPR_NEGATE }) : 0;
}

static int parse_product(struct parser *p, struct mp_expr_sum *sum, const char *wanted)
{
	struct mp_expr_step step = { .what = MP_EXPR_CALC };

	if (parse_factor(p, sum, wanted) < 0)
		return -1;
	for (;;) {
		if (take(p, "*"))
			step.op = MP_NUMBER_MULTIPLY;
		else if (take(p, "//"))
			step.op = MP_NUMBER_QUOTIENT;
		else if (take(p, "/"))
			step.op = MP_NUMBER_DIVIDE;
		else if (take(p, "%"))
			step.op = MP_NUMBER_REMAINDER;
		else
			return 0;
		if (parse_factor(p, sum, "field or number expected") < 0 || push(p, sum, step) < 0)
			return -1;
	}
}

/* Replaces a sum of constants by their sum. */
static int fold_constants(struct parser *p, struct mp_expr_sum *sum, size_t at)
{
	struct mp_number n;
	size_t i;

	for (i = 0; i < sum->n; i++)
		if (sum->v[i].what == MP_EXPR_FIELD)
			return 0;
	switch (mp_expr_constant(sum, &n)) {
	case MP_NUMBER_OK:
		sum->n = 1;
		sum->v[0] = (struct mp_expr_step){ .what = MP_EXPR_NUMBER, .number = n };
		return 0;
	case MP_NUMBER_BY_ZERO:
		return fail_at(p, at, "division by zero");
	case MP_NUMBER_RANGE:
		break;
	}
	return fail_at(p, at, "number out of range");
}

/* Parses a sum. `wanted` is the error message if there is none. */
static int parse_sum(struct parser *p, struct mp_expr_sum *sum, const char *wanted)
{
	struct mp_expr_step step = { .what = MP_EXPR_CALC };

	if (parse_product(p, sum, wanted) < 0)
		return -1;
	for (;;) {
		if (take(p, "+"))
			step.op = MP_NUMBER_ADD;
		else if (take(p, "-"))
			step.op = MP_NUMBER_SUBTRACT;
		else
			return 0;
		if (parse_product(p, sum, "field or number expected") < 0 || push(p, sum, step) < 0)
			return -1;
	}
}

/* --- comparisons ------------------------------------------------------------------------------ */

static bool is_equality(enum mp_expr_op op)
{
	return op == MP_EXPR_EQ || op == MP_EXPR_NE;
}

static bool single(const struct mp_expr_sum *sum, enum mp_expr_operand what)
{
	return sum->n == 1 && sum->v[0].what == what;
}

static int compare_text(struct parser *p, struct mp_expr_node *t)
{
	struct mp_str text;
	bool quoted;
	size_t at = p->at;

	if (parse_text(p, &text, &quoted) < 0)
		return -1;
	if (!text.len && !quoted)
		return fail(p, t->op == MP_EXPR_GLOB ? "text expected" : "number or text expected");
	if (!is_equality(t->op) && t->op != MP_EXPR_GLOB)
		return fail_at(p, at, "number expected");
	if (!single(&t->left, MP_EXPR_FIELD))
		return fail_at(p, at, "number expected: only a field can be text");
	t->text = mp_arena_str(&p->e->arena, text);
	t->field = t->left.v[0].field;
	t->left.n = 0;
	if (t->op == MP_EXPR_GLOB)
		mp_glob_init(&t->glob, t->text);
	else
		t->op = t->op == MP_EXPR_EQ ? MP_EXPR_TEXT_EQ : MP_EXPR_TEXT_NE;
	return 0;
}

/* Sums of a single field or a single number are compared without computing anything. */
static int compare_sums(struct parser *p, struct mp_expr_node *t, size_t at)
{
	const struct mp_expr_step *left = t->left.v, *right = t->right.v;

	if (t->op == MP_EXPR_BITS && single(&t->right, MP_EXPR_NUMBER) && !right->number.whole)
		return fail_at(p, at, "whole number expected");
	if (!single(&t->left, MP_EXPR_FIELD))
		return 0;
	t->field = left->field;
	if (single(&t->right, MP_EXPR_NUMBER)) {
		t->number = right->number;
	} else if (single(&t->right, MP_EXPR_FIELD) && is_equality(t->op)) {
		t->op = t->op == MP_EXPR_EQ ? MP_EXPR_SAME : MP_EXPR_DIFFERENT;
		t->other = right->field;
	} else {
		return 0;
	}
	t->left.n = t->right.n = 0;
	return 0;
}

static int parse_right(struct parser *p, struct mp_expr_node *t)
{
	const char *text;
	size_t at;
	int result;

	skip_blanks(p);
	at = p->at;
	text = p->text + at;
	if (t->op == MP_EXPR_GLOB || *text == '"' || *text == '\'' ||
	    (is_equality(t->op) && *text != '-' && *text != '(' && !begins_number(text) &&
	     (p->words || !(is_field(text) || side_len(p, text)))))
		return compare_text(p, t);
	p->strict = is_equality(t->op);
	result = parse_sum(p, &t->right, p->strict ? "number or text expected" : "number expected");
	p->strict = false;
	if (result < 0 || fold_constants(p, &t->right, at) < 0)
		return -1;
	return compare_sums(p, t, at);
}

static int parse_comparison(struct parser *p)
{
	struct mp_expr *e = p->e;
	struct mp_expr_node *t;
	size_t at;

	skip_blanks(p);
	at = p->at;
	if (e->n == MP_EXPR_TESTS_MAX)
		return fail(p, "too many comparisons");
	e->nodes = mp_grow(e->nodes, &e->cap, e->n + 1, sizeof(*t));
	t = &e->nodes[e->n++];
	*t = (struct mp_expr_node){ .yes = MP_EXPR_YES, .no = MP_EXPR_NO };
	if (parse_sum(p, &t->left, "field name expected") < 0 ||
	    fold_constants(p, &t->left, at) < 0 || parse_op(p, &t->op) < 0)
		return -1;
	return parse_right(p, t);
}

/* --- logic ------------------------------------------------------------------------------------ */

/*
 * In what was parsed since `first`, redirects the exits with `result` to the comparison that
 * follows.
 */
static void join(struct mp_expr *e, size_t first, uint16_t result)
{
	size_t i;

	for (i = first; i < e->n; i++) {
		if (e->nodes[i].yes == result)
			e->nodes[i].yes = e->n;
		if (e->nodes[i].no == result)
			e->nodes[i].no = e->n;
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
		e->nodes[i].yes = inverse(e->nodes[i].yes);
		e->nodes[i].no = inverse(e->nodes[i].no);
	}
}

/* Whether an operator of sums follows the parenthesis that comes next: then it is part of a sum. */
static bool opens_sum(const struct parser *p)
{
	const char *at = p->text + p->at;
	unsigned open = 0;

	do {
		if (*at == '"' || *at == '\'')
			at = strchr(at + 1, *at);
		else if (*at == '(')
			open++;
		else if (*at == ')')
			open--;
		if (!at || !*at)
			return false;
		at++;
	} while (open);
	at += strspn(at, " \t\n\r");
	return *at && strncmp(at, "&&", 2) != 0 && strchr("+-*/%=!<>&~", *at);
}

static int parse_or(struct parser *p);

static int parse_operand(struct parser *p)
{
	size_t first = p->e->n;
	bool inverted = false;

	while (take(p, "!"))
		inverted = !inverted;
	skip_blanks(p);
	if (p->text[p->at] != '(' || opens_sum(p)) {
		if (parse_comparison(p) < 0)
			return -1;
	} else {
		p->at++;
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

/* Parses the complete text. */
static struct mp_expr *parse(const char *text, bool words, bool sides, struct mp_expr_error *error)
{
	struct mp_expr *e = mp_zalloc(sizeof(*e));
	struct parser p = { .text = text, .words = words, .sides = sides, .e = e, .error = error };

	if (parse_or(&p) < 0)
		goto bad;
	skip_blanks(&p);
	if (!text[p.at])
		return e;
	fail(&p, text[p.at] == ')' ? "no ( is open" : "&& or || expected");
bad:
	mp_expr_free(e);
	return NULL;
}

struct mp_expr *mp_expr_parse(const char *text, struct mp_expr_error *error)
{
	return parse(text, false, false, error);
}

struct mp_expr *mp_expr_parse_words(const char *text, struct mp_expr_error *error)
{
	return parse(text, true, false, error);
}

struct mp_expr *mp_expr_parse_sides(const char *text, struct mp_expr_error *error)
{
	return parse(text, false, true, error);
}

/*
 * The length of the text to show for an error: a word, a run of operators, a quote or a
 * parenthesis.
 */
static size_t shown_len(const char *p)
{
	size_t len = word_len(p);

	if (!len)
		len = strspn(p, "&|<>=!~");
	len = MP_MIN(len, 24);
	while (len > 1 && ((unsigned char)p[len] & 0xc0) == 0x80) /* do not split a character */
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

/* --- computed fields -------------------------------------------------------------------------- */

int mp_expr_field(struct mp_field *f, struct mp_str text, struct mp_expr_error *error)
{
	struct mp_expr *e;
	struct parser p;
	char *copy;

	*error = (struct mp_expr_error){ 0, "" };
	if (mp_field_parse(f, text) == 0)
		return 0;
	copy = mp_strndup(text.p, text.len);
	e = mp_zalloc(sizeof(*e));
	p = (struct parser){ .text = copy, .e = e, .error = error };
	if (text.len > MP_EXPR_COMPUTED_MAX) {
		fail(&p, "too long");
	} else if (parse_sum(&p, &e->value, "field name expected") == 0) {
		skip_blanks(&p);
		if (copy[p.at])
			fail(&p, copy[p.at] == ')' ? "no ( is open" : "an operator expected");
		else if (!e->n_fields)
			fail_at(&p, 0, "no field in it");
	}
	free(copy);
	if (error->why[0]) {
		mp_expr_free(e);
		return -1;
	}
	e->computed.number = mp_expr_compute;
	e->computed.release = mp_expr_release;
	e->computed.fields = e->fields;
	e->computed.n_fields = e->n_fields;
	*f = (struct mp_field){ MP_FIELD_COMPUTED, text, &e->computed };
	return 0;
}

int mp_expr_field_list(struct mp_fields *fields, const char *list, struct mp_str *bad,
		       struct mp_expr_error *error)
{
	while (*list) {
		size_t len = strcspn(list, ",");
		struct mp_field f;

		*bad = (struct mp_str){ list, len };
		if (mp_expr_field(&f, *bad, error) < 0)
			return -1;
		fields->v = mp_grow(fields->v, &fields->cap, fields->n + 1, sizeof(f));
		fields->v[fields->n++] = f;
		list += len + (list[len] == ',');
	}
	return 0;
}
