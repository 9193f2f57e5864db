// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/pairspec.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/tap.h"

static struct mp_pair_specs specs;

static void good_step(const char *text, size_t n, const char *last_glob, bool condition)
{
	const struct mp_pair_spec *last;
	char *error = NULL;

	ok(mp_pair_specs_step(&specs, 1, text, &error) == 0, "%s", text);
	last = &specs.specs[specs.n_specs - 1];
	ok(specs.n_specs == n && strcmp(last->glob, last_glob) == 0 && !!last->expr == condition &&
		   last->step == 1,
	   "its %zu, the last %s", n, last_glob);
	free(error);
	mp_pair_specs_release(&specs);
}

static void bad(int status, char *error, const char *wanted)
{
	ok(status < 0 && error && strstr(error, wanted), "%s: %s", wanted, error ? error : "taken");
	free(error);
	mp_pair_specs_release(&specs);
}

static void bad_step(const char *text, const char *wanted)
{
	char *error = NULL;
	int status = mp_pair_specs_step(&specs, 0, text, &error);

	bad(status, error, wanted);
}

static void test_steps(void)
{
	char many[64 * 2 + 4];
	size_t i;

	good_step("a:b", 1, "a:b", false);
	good_step("a:b,c:*", 2, "c:*", false);
	good_step("a/.x==1/,b/.y<2 && .z>3/", 2, "b", true);
	good_step("a/comm==\"x,/y\"/,b", 2, "b", false);
	good_step("a/comm=='x/'/", 1, "a", true);
	good_step("a/comm=='x\\' && .y==1/", 1, "a", true); /* no escapes in quotes */
	bad_step("", "type missing");
	bad_step("a,", "type missing");
	bad_step(",a", "type missing");
	bad_step("/.x==1/", "type missing");
	bad_step("a/.x==1", "'/' is missing");
	bad_step("a/.x==1/b", "'/' is missing");
	bad_step("a/.x==/", "expression");
	bad_step("a//", "expression");
	for (i = 0; i < 65; i++)
		memcpy(many + 2 * i, "a,", 2);
	many[2 * 65 - 1] = '\0';
	bad_step(many, "too many");
}

static void test_keys(void)
{
	static const char *const wrong[] = { "",      "a,", ",a",    "a=", "=a",
					     "a=b=c", "1x", "stack", "a b" };
	char *error = NULL;
	size_t i;

	ok(mp_pair_specs_key(&specs, ".a=.b,tid,cpu=.c", &error) == 0, "three parts");
	ok(specs.n_keys == 1 && specs.keys[0].begin.n == 3 && specs.keys[0].end.n == 3, "each");
	ok(mp_str_eq(specs.keys[0].begin.v[0].name, MP_STR(".a")) &&
		   mp_str_eq(specs.keys[0].end.v[0].name, MP_STR(".b")) &&
		   mp_str_eq(specs.keys[0].end.v[1].name, MP_STR("tid")) &&
		   mp_str_eq(specs.keys[0].end.v[2].name, MP_STR(".c")),
	   "names");
	mp_pair_specs_release(&specs);
	for (i = 0; i < MP_ARRAY_SIZE(wrong); i++) {
		int status = mp_pair_specs_key(&specs, wrong[i], &error);

		bad(status, error, "");
		error = NULL;
	}
}

static void test_fields(void)
{
	static const char *const wrong[] = { "a,a",   "a,b=end:a,b", "dur",   "span=.x",
					     "stack", "=.x",	     "x=",    "end:",
					     "a,,b",  "time",	     "end:1", "x=end:stack" };
	char *error = NULL, names[256] = "";
	size_t i;

	ok(mp_pair_specs_fields(&specs, "later=.x,end:.err,comm,end:cpu", &error) == 0 &&
		   mp_pair_specs_fields(&specs, ".t=begin:time,pid", &error) == 0,
	   "two lists");
	for (i = 0; i < specs.n_takes; i++) {
		strncat(names, specs.takes[i].end ? "e " : "b ", 3);
		strncat(names, specs.takes[i].name.p, specs.takes[i].name.len);
		strncat(names, " ", 2);
	}
	ok(strcmp(names, "e cpu b pid b comm e .err b .t b later ") == 0, "in order: %s", names);
	ok(specs.takes[4].from.id == MP_FIELD_TIME, "the time of an event");
	mp_pair_specs_release(&specs);
	ok(mp_pair_specs_fields(&specs, "", &error) == 0 && specs.chosen && specs.n_takes == 0,
	   "none");
	mp_pair_specs_release(&specs);
	for (i = 0; i < MP_ARRAY_SIZE(wrong); i++) {
		int status = mp_pair_specs_fields(&specs, wrong[i], &error);

		bad(status, error, "");
		error = NULL;
	}
}

int main(void)
{
	mp_init("unit-pairspec");
	test_steps();
	test_keys();
	test_fields();
	return tap_done();
}
