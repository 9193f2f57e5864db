// SPDX-License-Identifier: GPL-2.0-only
/* Evaluates expressions over records. exprparse.c makes them. */
#include "lib/stream/expr.h"

#include <stdlib.h>

#include "lib/stream/esc.h"
#include "lib/stream/internal.h"
#include "lib/stream/named.h"

void mp_expr_free(struct mp_expr *e)
{
	size_t i;

	if (!e)
		return;
	for (i = 0; i < e->n; i++) {
		free(e->nodes[i].left.v);
		free(e->nodes[i].right.v);
	}
	free(e->value.v);
	mp_field_check_release(&e->names);
	mp_arena_release(&e->arena);
	free(e->nodes);
	free(e->fields);
	free(e->wanted);
	free(e);
}

size_t mp_expr_tests(const struct mp_expr *e)
{
	return e->n;
}

struct mp_expr_test mp_expr_test(const struct mp_expr *e, size_t i)
{
	const struct mp_expr_node *t = &e->nodes[i];

	if (t->left.n || t->op == MP_EXPR_SAME || t->op == MP_EXPR_DIFFERENT)
		return (struct mp_expr_test){ .computed = true, .yes = t->yes, .no = t->no };
	return (struct mp_expr_test){
		.op = t->op,
		.field = e->fields[t->field].name,
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

/* --- over a record ---------------------------------------------------------------------------- */

/* How far the fields of a record were read, and which fields were found. */
struct reading {
	const struct mp_rec *rec;
	const char *p, *end;
	/* a bit for each field: `asked`: it was looked for; `have`: the record has it */
	uint64_t asked, have;
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

/* Notes that a field was looked for, and whether the record has it. */
static bool note(const struct mp_expr *e, struct reading *r, unsigned field, bool found)
{
	struct mp_field_named *named = &e->names.v[field];

	r->asked |= 1ull << field;
	named->needed++;
	if (found) {
		r->have |= 1ull << field;
		named->found++;
		return true;
	}
	if (!named->found)
		mp_field_check_learn((struct mp_field_check *)&e->names, r->rec);
	return false;
}

static bool get(const struct mp_expr *e, struct reading *r, unsigned field)
{
	const struct mp_field *f = &e->fields[field];

	if (r->asked >> field & 1)
		return r->have >> field & 1;
	return note(e, r, field,
		    r->have >> field & 1 ||
			    (f->id == MP_FIELD_KEY
				     ? read_up_to(e, r, field) ||
					       mp_rec_host(r->rec, f->name, &r->values[field])
				     : mp_rec_get(r->rec, f, &r->values[field])));
}

/*
 * As get(), but for operands of sums, and without reading up to the field. With fewer callers get()
 * is inlined where speed matters: in comparisons with constants.
 */
static bool get_operand(const struct mp_expr *e, struct reading *r, unsigned field)
{
	if (r->asked >> field & 1)
		return r->have >> field & 1;
	return note(e, r, field,
		    r->have >> field & 1 ||
			    mp_rec_get(r->rec, &e->fields[field], &r->values[field]));
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

static bool as_number(struct mp_expr_wanted *w, struct mp_str value, struct mp_number *n)
{
	bool is = mp_number_parse(n, mp_named_number(value)) == 0;

	w->numbers += is;
	w->others += !is;
	return is;
}

static inline bool compare_numbers(enum mp_expr_op op, const struct mp_number *a,
				   const struct mp_number *b)
{
	int c;

	if (op == MP_EXPR_BITS)
		return mp_number_bits(a) & mp_number_bits(b);
	c = mp_number_cmp(a, b);
	switch (op) {
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

/* Whether a text is a value, or the number or the name in it. */
static bool is_text(struct mp_str text, struct mp_str value)
{
	struct mp_str name = mp_named_name(value);

	return same_text(text, name) ||
	       (name.p != value.p &&
		(same_text(text, mp_named_number(value)) || same_text(text, value)));
}

static bool matches_glob(const struct mp_glob *glob, struct mp_str value)
{
	struct mp_str name = mp_named_name(value);

	return mp_glob_match(glob, name) ||
	       (name.p != value.p && mp_glob_match(glob, mp_named_number(value)));
}

/* Whether two values are the same number, or else the same text. */
static bool same_value(struct mp_str a, struct mp_str b)
{
	struct mp_buf raw = { NULL, 0, 0 };
	struct mp_number x, y;
	bool same;

	if (mp_str_eq(a, b))
		return true;
	if (mp_number_parse(&x, mp_named_number(a)) == 0 &&
	    mp_number_parse(&y, mp_named_number(b)) == 0)
		return mp_number_cmp(&x, &y) == 0;
	a = mp_named_name(a);
	b = mp_named_name(b);
	if (!memchr(a.p, '\\', a.len))
		return same_text(a, b);
	same = mp_esc_undo(&raw, a) == 0 && same_text(mp_buf_view(&raw), b);
	mp_buf_release(&raw);
	return same;
}

/* --- sums ------------------------------------------------------------------------------------- */

enum { MISSING = MP_NUMBER_RANGE + 1, NOT_A_NUMBER };

/* Computes an operand. Returns an enum mp_number_result, MISSING or NOT_A_NUMBER. */
static int operand(const struct mp_expr *e, struct reading *r, const struct mp_expr_step *s,
		   struct mp_number *n)
{
	*n = s->number;
	if (s->what == MP_EXPR_NUMBER)
		return MP_NUMBER_OK;
	if (!get_operand(e, r, s->field))
		return MISSING;
	return as_number(&e->wanted[s->field], r->values[s->field], n) ? MP_NUMBER_OK
								       : NOT_A_NUMBER;
}

static int compute(const struct mp_expr *e, struct reading *r, const struct mp_expr_sum *sum,
		   struct mp_number *result)
{
	struct mp_number stack[MP_EXPR_OPERANDS_MAX];
	size_t n = 0, i;
	int failed = MP_NUMBER_OK;

	for (i = 0; i < sum->n && failed == MP_NUMBER_OK; i++) {
		const struct mp_expr_step *s = &sum->v[i];

		switch (s->what) {
		case MP_EXPR_FIELD:
		case MP_EXPR_NUMBER:
			failed = operand(e, r, s, &stack[n++]);
			break;
		case MP_EXPR_NEGATE:
			mp_number_negate(&stack[n - 1]);
			break;
		case MP_EXPR_CALC:
			n--;
			failed = mp_number_calc(s->op, &stack[n - 1], &stack[n], &stack[n - 1]);
			break;
		}
	}
	*result = stack[0];
	return failed;
}

enum mp_number_result mp_expr_constant(const struct mp_expr_sum *sum, struct mp_number *n)
{
	return compute(NULL, NULL, sum, n);
}

static __attribute__((noinline)) bool compare_sums(const struct mp_expr *e, struct reading *r,
						   const struct mp_expr_node *t)
{
	struct mp_number a, b;
	int failed = compute(e, r, &t->left, &a);

	if (failed == MP_NUMBER_OK)
		failed = compute(e, r, &t->right, &b);
	if (failed == MP_NUMBER_BY_ZERO || failed == MP_NUMBER_RANGE)
		((struct mp_expr *)e)->failed[failed]++;
	return failed == MP_NUMBER_OK && compare_numbers(t->op, &a, &b);
}

/* --- comparisons ------------------------------------------------------------------------------ */

static bool compare_fields(const struct mp_expr *e, struct reading *r, const struct mp_expr_node *t)
{
	return get_operand(e, r, t->other) &&
	       same_value(r->values[t->field], r->values[t->other]) == (t->op == MP_EXPR_SAME);
}

/* Whether a comparison with this value of its field is true. */
static bool holds(const struct mp_expr *e, struct reading *r, const struct mp_expr_node *t,
		  struct mp_str value)
{
	struct mp_number n;

	switch (t->op) {
	case MP_EXPR_GLOB:
		return matches_glob(&t->glob, value);
	case MP_EXPR_TEXT_EQ:
		return is_text(t->text, value);
	case MP_EXPR_TEXT_NE:
		return !is_text(t->text, value);
	case MP_EXPR_SAME:
	case MP_EXPR_DIFFERENT:
		return compare_fields(e, r, t);
	default:
		return as_number(&e->wanted[t->field], value, &n) &&
		       compare_numbers(t->op, &n, &t->number);
	}
}

static void begin(struct reading *r, const struct mp_rec *rec)
{
	r->rec = rec;
	r->p = rec->body.p;
	r->end = rec->kind == MP_EVENT ? r->p + rec->body.len : r->p;
	r->asked = r->have = 0;
}

bool mp_expr_match(const struct mp_expr *e, const struct mp_rec *rec)
{
	const struct mp_expr_node *t;
	struct reading r;
	unsigned at = 0;

	begin(&r, rec);
	while (at < MP_EXPR_YES) {
		t = &e->nodes[at];
		if (t->left.n ? compare_sums(e, &r, t)
			      : get(e, &r, t->field) && holds(e, &r, t, r.values[t->field]))
			at = t->yes;
		else
			at = t->no;
	}
	return at == MP_EXPR_YES;
}

static struct mp_expr *expr_of(struct mp_computed *c)
{
	return (struct mp_expr *)((char *)c - offsetof(struct mp_expr, computed));
}

void mp_expr_release(struct mp_computed *c)
{
	mp_expr_free(expr_of(c));
}

int mp_expr_compute(struct mp_computed *c, const struct mp_rec *rec, struct mp_number *n)
{
	struct mp_expr *e = expr_of(c);
	struct reading r;

	begin(&r, rec);
	c->why = NULL;
	switch (compute(e, &r, &e->value, n)) {
	case MP_NUMBER_OK:
		return 1;
	case MP_NUMBER_BY_ZERO:
		c->why = "division by zero";
		return -1;
	case MP_NUMBER_RANGE:
		c->why = "computed number out of range";
		return -1;
	case NOT_A_NUMBER:
		c->why = "a field of the computed one is not a number";
		return -1;
	}
	return 0;
}

void mp_expr_header(struct mp_expr *e, const struct mp_ctl *ctl,
		    uint32_t (*roles)(void *arg, const char *type), void *arg)
{
	mp_field_check_header(&e->names, ctl, roles, arg);
}

enum mp_status mp_expr_report(const struct mp_expr *e)
{
	enum mp_status status = mp_field_check_report(&e->names);
	size_t i;

	for (i = 0; i < e->n_fields; i++)
		if (e->wanted[i].others && !e->wanted[i].numbers)
			mp_say("field '%.*s' is compared with a number but was not a number in any "
			       "record (text needs quotes)",
			       MP_STR_ARGS(e->fields[i].name));
	mp_say_count(e->failed[MP_NUMBER_BY_ZERO],
		     "comparison was false because of a division by zero",
		     "comparisons were false because of a division by zero");
	mp_say_count(e->failed[MP_NUMBER_RANGE],
		     "comparison was false because a number is out of range",
		     "comparisons were false because a number is out of range");
	if (e->failed[MP_NUMBER_BY_ZERO] || e->failed[MP_NUMBER_RANGE])
		return MP_LOSSY;
	return status;
}
