// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/field_check.h"

#include "lib/stream/expr.h"
#include "tests/unit/tap.h"

static struct mp_field_check check;

static void begin(void)
{
	mp_field_check_release(&check);
}

static void add(const char *name, const char *option, uint32_t roles)
{
	struct mp_field f;

	mp_field_parse(&f, mp_str(name));
	mp_field_check_add(&check, &f, option, roles);
}

static void look(const char *line, uint32_t roles)
{
	struct mp_rec rec;
	const char *why;

	mp_rec_parse(&rec, line, strlen(line), &why);
	mp_field_check_record(&check, &rec, roles);
}

static void test_found(void)
{
	begin();
	ok(mp_field_check_report(&check) == MP_OK && !check.open, "nothing named");
	add("comm", "--by", 1);
	add("x", "-x", 1);
	ok(mp_field_check_report(&check) == MP_OK && check.open, "no record");
	look("1,t,", 1);
	look("1,t,", 1);
	look("5#a;b", 1);
	ok(mp_field_check_report(&check) == MP_LOSSY, "records without fields");
	look("1,t,comm=a", 1);
	ok(check.open, "one of two");
	look("1,2,a", 1);
	ok(!check.open && mp_field_check_report(&check) == MP_OK,
	   "both, of an event and of a point");
}

static void test_roles(void)
{
	begin();
	add("a", "--key", 1);
	add("b", "--key", 2);
	look("1,t,b=1", 1);
	look("1,t,a=1", 2);
	ok(check.v[0].needed == 1 && check.v[1].needed == 1 && check.open, "each in the other");
	look("1,t,a=1", 1);
	look("1,t,b=1", 2);
	ok(mp_field_check_report(&check) == MP_OK, "each where it belongs");
	begin();
	add("a", "--key", 1);
	look("1,t,b=1", 2);
	ok(mp_field_check_report(&check) == MP_OK, "no record with that role");
}

static void test_dropped(void)
{
	begin();
	add("a", "-x", 1);
	add("b", "-y", 1);
	mp_field_check_drop(&check, "-x");
	ok(check.n == 1 && mp_str_eq(check.v[0].field.name, MP_STR("b")), "an option given again");
}

static void test_computed(void)
{
	struct mp_expr_error error;
	struct mp_field f;

	begin();
	mp_expr_field(&f, MP_STR("a/b"), &error);
	mp_field_check_add(&check, &f, "-y", 1);
	ok(check.n == 3, "its fields and itself");
	look("1,t,a=1\tb=0", 1);
	ok(check.v[0].found && check.v[1].found && !check.v[2].found, "no value yet");
	look("1,t,a=1\tb=2", 1);
	ok(mp_field_check_report(&check) == MP_OK, "a value");
	mp_field_release(&f);
}

static void test_standard(void)
{
	ok(mp_field_is_standard(MP_STR("comm")) && mp_field_is_standard(MP_STR("stack")) &&
		   !mp_field_is_standard(MP_STR("com")) && !mp_field_is_standard(MP_STR(".pid")),
	   "fields of the stream itself");
}

int main(void)
{
	test_found();
	test_roles();
	test_dropped();
	test_computed();
	test_standard();
	begin();
	return tap_done();
}
