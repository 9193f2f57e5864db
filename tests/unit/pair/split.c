// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/split.h"

#include <stdio.h>

#include "tests/unit/tap.h"

static struct mp_shapes shapes;
static struct mp_split split;
static const struct mp_shape *hint;
static char line[4096];

/* Describes how an event is split: "key:value|" for each field, then "(stack)". */
static const char *taken(const char *body)
{
	static char text[8192];
	struct mp_rec rec;
	const char *why;
	size_t len = 0, i;

	snprintf(line, sizeof(line), "1,t,%s", body);
	if (mp_rec_parse(&rec, line, strlen(line), &why) < 0)
		return why;
	mp_split(&split, &shapes, &hint, &rec);
	for (i = 0; i < split.n; i++)
		len += snprintf(text + len, sizeof(text) - len, "%.*s:%.*s|",
				MP_STR_ARGS(mp_split_key(&split.v[i])),
				MP_STR_ARGS(mp_split_value(&split.v[i])));
	if (split.stack.p)
		len += snprintf(text + len, sizeof(text) - len, "(%.*s)", MP_STR_ARGS(split.stack));
	text[len] = '\0';
	return text;
}

static void is(const char *body, const char *wanted)
{
	const char *got = taken(body);

	ok(strcmp(got, wanted) == 0, "%s: %s", wanted, got);
}

static void test_fields(void)
{
	const struct mp_shape *first;

	is("a=1\t.b=2", "a:1|.b:2|");
	first = split.shape;
	is("a=\t.b=x=y", "a:|.b:x=y|");
	ok(split.shape == first && first->n == 2, "the same names are one shape");
	is("a=1\t.b=2\tstack=m;f", "a:1|.b:2|(m;f)");
	ok(split.shape == first, "with a stack too");
	is("a=1\t.b=2\tstack=", "a:1|.b:2|()");
	is("a=1\t.bb=2", "a:1|.bb:2|");
	ok(split.shape != first, "others are another");
	is("a=1", "a:1|");
	is("a=1\t.b=2\tc=3", "a:1|.b:2|c:3|");
	is("a=1\t.b=2\tstack=m", "a:1|.b:2|(m)");
	is("a=1\t.b=2\tstack=m\tc=3", "a:1|.b:2|c:3|(m)");
	is("", "");
	is("stack=x", "(x)");
	is("a", "a:|");
	is("a=1\t.b", "a:1|.b:|");
	is("a=1\t.b=2\t", "a:1|.b:2|");
	is("a=1\t\t.b=2", "a:1|:|.b:2|");
	is("a=1\t.b=2", "a:1|.b:2|");
	ok(split.shape == first, "and the first is known again");
	ok(mp_split_find(&split, MP_STR(".b")) == &split.v[1], "found");
	ok(!mp_split_find(&split, MP_STR("b")), "not found");
}

static void test_many_shapes(void)
{
	bool right = true;
	char body[64], wanted[64];
	int i;

	for (i = 0; i < 1000; i++) {
		snprintf(body, sizeof(body), "f%d=%d\tstack=s", i % 500, i);
		snprintf(wanted, sizeof(wanted), "f%d:%d|(s)", i % 500, i);
		right &= strcmp(taken(body), wanted) == 0;
	}
	ok(right && shapes.by_keys.n == MP_SHAPES_MAX, "more shapes than are kept");
	ok(!split.shape, "the last has none");
}

static void test_classes(void)
{
	ok(mp_split_field_class(MP_STR("comm")) == MP_CLASS_CONTEXT, "comm");
	ok(mp_split_field_class(MP_STR(".comm")) == MP_CLASS_PAYLOAD, ".comm");
	ok(mp_split_field_class(MP_STR("dur")) == MP_CLASS_DERIVED, "dur");
	ok(mp_split_context_rank(MP_STR("host")) == 0 &&
		   mp_split_context_rank(MP_STR("cgroup")) == 7,
	   "ranks");
}

int main(void)
{
	mp_init("unit-split");
	test_fields();
	test_many_shapes();
	test_classes();
	mp_split_release(&split);
	mp_shapes_release(&shapes);
	return tap_done();
}
