// SPDX-License-Identifier: GPL-2.0-only
#include "lib/select/filtertext.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/tap.h"

static struct mp_expr *parse(const char *text)
{
	struct mp_expr_error error;

	return mp_expr_parse(text, &error);
}

/* The text of an expression for a type with these fields (JSON); "NONE" and "ALL" if it has no text. */
static bool text_is(const char *expr, const char *type, const char *fields, const char *wanted)
{
	struct mp_expr *e = parse(expr);
	struct mp_select_filters f = { &e, 1, false, false };
	json_t *listed = fields ? json_loads(fields, 0, NULL) : NULL;
	struct mp_buf b = { NULL, 0, 0 };
	enum mp_select_passed passed = mp_select_filter_text(&b, &f, type, listed);
	bool same;

	if (passed != MP_SELECT_SOME)
		mp_buf_str(&b, passed == MP_SELECT_ALL ? MP_STR("ALL") : MP_STR("NONE"));
	same = mp_str_eq(mp_buf_view(&b), mp_str(wanted));
	if (!same)
		printf("# '%.*s'\n", MP_STR_ARGS(mp_buf_view(&b)));
	mp_buf_release(&b);
	mp_expr_free(e);
	json_decref(listed);
	return same;
}

static void test_texts(void)
{
	ok(text_is(".a==1 || .b<2 && .c&4", "t", NULL, "a==1 || b<2 && c&4"), "&& in ||");
	ok(text_is("(.a==1 || .b==2) && .c==3", "t", NULL,
		   "a==1 && c==3 || !(a==1) && b==2 && c==3"),
	   "|| in &&");
	ok(text_is("!(.a==1 && .b!=-2)", "t", NULL, "a==1 && !(b!=-2) || !(a==1)"), "!");
	ok(text_is("comm~\"x*\" && cpu==1 && tid==5", NULL, NULL,
		   "COMM~\"x*\" && CPU==1 && common_pid==5"),
	   "fields of the context");
	ok(text_is(".a<1.5 || .a==.b || .a+1==2 || pid==3", "t", NULL, "? || ? || ? || ?"),
	   "what the kernel's syntax lacks");
	ok(text_is(".n=='a\"b' || .n==\"x y\" || .n=='\xc3\xa4'", "t", NULL,
		   "? || n==\"x y\" || ?"),
	   "texts");
	ok(text_is("type==t && .a==1", "t", NULL, "a==1") &&
		   text_is("type==t && .a==1", "u", NULL, "NONE") &&
		   text_is("type!=t || .a==1", "u", NULL, "ALL") &&
		   text_is("type~\"t*\" && .a==1", NULL, NULL, "? && a==1"),
	   "the type decides");
	ok(text_is(".a==1 || .b==2", "t", "{\".b\":\"u8\"}", "b==2") &&
		   text_is(".a==1", "t", "{\".b\":\"u8\"}", "NONE") &&
		   text_is("!(.a!=1)", "t", "{\".b\":\"u8\"}", "ALL") &&
		   text_is(".a==1", "t", "{}", "a==1"),
	   "a field that the type lacks");
}

static void test_several(void)
{
	struct mp_expr *e[] = { parse(".a==1"), parse("type==t"), parse(".b==2 || .c==3") };
	struct mp_select_filters f = { e, 3, true, true };
	struct mp_buf b = { NULL, 0, 0 };

	ok(mp_select_filter_text(&b, &f, "t", NULL) == MP_SELECT_SOME &&
		   mp_str_eq(mp_buf_view(&b), MP_STR("!((a==1) && (b==2 || c==3)) && ?")),
	   "several, inverted, every second");
	b.len = 0;
	ok(mp_select_filter_text(&b, &f, "u", NULL) == MP_SELECT_SOME &&
		   mp_str_eq(mp_buf_view(&b), MP_STR("?")),
	   "none of a type, inverted");
	f.thinned = false;
	ok(mp_select_filter_text(&b, &f, "u", NULL) == MP_SELECT_ALL, "all of it");
	mp_buf_release(&b);
	mp_expr_free(e[0]);
	mp_expr_free(e[1]);
	mp_expr_free(e[2]);
}

/* An expression whose text would double with each of its parts. */
static void test_long(void)
{
	struct mp_buf expr = { NULL, 0, 0 };
	int i;

	for (i = 0; i < 60; i++)
		mp_buf_printf(&expr, "%s(.a==%d || .b==%d)", i ? " && " : "", i, i);
	mp_buf_byte(&expr, '\0');
	ok(text_is(expr.p, "t", NULL, "?"), "a text that would be too long");
	mp_buf_release(&expr);
}

static uint32_t seed = 7;

static uint32_t draw(uint32_t n)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 16) % n;
}

static void add_random(struct mp_buf *to, int depth)
{
	uint32_t what = depth ? draw(4) : 3;

	if (what == 3) {
		mp_buf_printf(to, ".%c%s%u", "abc"[draw(3)], draw(2) ? "==" : "<", draw(3));
		return;
	}
	mp_buf_str(to, what == 2 ? MP_STR("!(") : MP_STR("("));
	add_random(to, depth - 1);
	if (what != 2) {
		mp_buf_str(to, what ? MP_STR(" && ") : MP_STR(" || "));
		add_random(to, depth - 1);
	}
	mp_buf_byte(to, ')');
}

/* The text selects what the expression selects. */
static bool agrees(struct mp_expr *e)
{
	struct mp_select_filters f = { &e, 1, false, false };
	struct mp_buf text = { NULL, 0, 0 }, dotted = { NULL, 0, 0 };
	enum mp_select_passed passed = mp_select_filter_text(&text, &f, NULL, NULL);
	struct mp_expr *again = NULL;
	bool same = true;
	unsigned i;
	size_t k;

	for (k = 0; k < text.len; k++) {
		if (text.p[k] >= 'a' && text.p[k] <= 'c')
			mp_buf_byte(&dotted, '.');
		mp_buf_byte(&dotted, text.p[k]);
	}
	mp_buf_byte(&dotted, '\0');
	if (passed == MP_SELECT_SOME && text.p[0] != '?')
		again = parse(dotted.p);
	for (i = 0; i < 27 && again; i++) {
		char line[64];
		struct mp_rec rec;
		const char *why;

		snprintf(line, sizeof(line), "1,t,.a=%u\t.b=%u\t.c=%u", i % 3, i / 3 % 3, i / 9);
		same &= mp_rec_parse(&rec, line, strlen(line), &why) == 0 &&
			mp_expr_match(e, &rec) == mp_expr_match(again, &rec);
	}
	same &= again || passed != MP_SELECT_SOME || text.p[0] == '?';
	mp_buf_release(&text);
	mp_buf_release(&dotted);
	mp_expr_free(again);
	return same;
}

static void test_random(void)
{
	struct mp_buf text = { NULL, 0, 0 };
	size_t wrong = 0;
	int i;

	for (i = 0; i < 3000; i++) {
		struct mp_expr *e;

		text.len = 0;
		add_random(&text, 1 + (int)draw(4));
		mp_buf_byte(&text, '\0');
		e = parse(text.p);
		if (!e || !agrees(e))
			wrong++;
		mp_expr_free(e);
	}
	ok(wrong == 0, "3,000 random expressions select the same as their texts");
	mp_buf_release(&text);
}

int main(void)
{
	mp_init("unit-filtertext");
	test_texts();
	test_several();
	test_long();
	test_random();
	return tap_done();
}
