// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/rec.h"

#include "tests/unit/tap.h"

static struct mp_rec rec;
static const char *why;

static bool parses(const char *line, enum mp_kind kind)
{
	return mp_rec_parse(&rec, line, strlen(line), &why) == 0 && rec.kind == kind;
}

static bool value_is(const char *field, const char *want)
{
	struct mp_field f;
	struct mp_str value;

	return mp_field_parse(&f, mp_str(field)) == 0 && mp_rec_get(&rec, &f, &value) &&
	       mp_str_eq(value, mp_str(want));
}

static bool refused(const char *line, const char *reason)
{
	why = "";
	if (mp_rec_parse(&rec, line, strlen(line), &why) < 0)
		return strcmp(why, reason) == 0;
	return mp_rec_check(&rec, &why) < 0 && strcmp(why, reason) == 0;
}

static void test_kinds(void)
{
	ok(parses("12,a:b,cpu=0", MP_EVENT) && rec.time_ns == 12, "event");
	ok(parses("12,a:b,", MP_EVENT), "event without fields");
	ok(parses("1.5,-2e3,x", MP_POINT), "point");
	ok(parses("1,2,", MP_POINT), "point with an empty label");
	ok(parses("-5#a;b", MP_STACK) && rec.weight == -5, "stack with a negative weight");
	ok(parses("5#", MP_STACK) && rec.body.len == 0, "stack without frames");
	ok(parses("a;b 7", MP_FOLDED) && rec.weight == 7, "folded text");
	ok(parses("a;b 1 7", MP_FOLDED) && mp_str_eq(rec.body, MP_STR("a;b 1")),
	   "last blank counts");
	ok(parses(" 7", MP_FOLDED) && rec.body.len == 0, "one empty frame");
	ok(parses("{\"x\":1}", MP_CONTROL), "control line");
	ok(parses("e5#x 3", MP_STACK) || strcmp(why, "weight is not a whole number") == 0,
	   "a letter e is not a number");
}

static void test_fields(void)
{
	struct mp_fields fields = { NULL, 0, 0 };
	struct mp_str values[4], bad;

	parses("12,a:b,cpu=1\tcomm=x=y\t.pid=3\tpid=4\tdur=\tstack=m;n", MP_EVENT);
	ok(value_is("cpu", "1"), "first field");
	ok(value_is("comm", "x=y"), "first = splits");
	ok(value_is("pid", "4") && value_is(".pid", "3"), "pid and .pid do not clash");
	ok(value_is("dur", ""), "empty value");
	ok(value_is("stack", "m;n"), "stack");
	ok(value_is("time", "12") && value_is("type", "a:b"), "time and type");
	ok(!value_is("x", "12") && !value_is("nope", ""), "what is not there");
	ok(mp_fields_parse(&fields, "comm,stack,nope,type", &bad) == 0 && fields.n == 4, "list");
	ok(mp_rec_names(&rec, &fields, values) == 3 && mp_str_eq(values[0], MP_STR("x=y")) &&
		   mp_str_eq(values[1], MP_STR("m;n")) && !values[2].p,
	   "all at once");
	ok(mp_fields_parse(&fields, "a,,b", &bad) < 0 && bad.len == 0, "empty name is refused");
	ok(mp_fields_parse(&fields, "a b", &bad) < 0, "blank in a name is refused");
	mp_fields_release(&fields);
	parses("7#a;b", MP_STACK);
	ok(value_is("weight", "7") && value_is("stack", "a;b"), "fields of a stack");
	parses("a;b +9", MP_FOLDED);
	ok(value_is("weight", "+9"), "weight of folded text");
	parses("1,2,lab el", MP_POINT);
	ok(value_is("x", "1") && value_is("y", "2") && value_is("info", "lab el"),
	   "fields of a point");
	parses("12,a:b,.stack=3", MP_EVENT);
	ok(!value_is("stack", "3"), "a payload field is not the stack");
}

static void test_refused(void)
{
	ok(refused("", "empty line"), "empty line");
	ok(refused("12", "not an event, a point, a stack or folded text"), "number alone");
	ok(refused("99999999999999999999,a:b,", "time is not a number of ns"), "time above 2^63");
	ok(refused("9223372036854775808,a:b,", "time is not a number of ns"), "time of 2^63");
	ok(refused("1.5,a:b,", "time is not a number of ns"), "time with a point");
	ok(refused("12,a:b", "event without a second comma"), "event without fields' comma");
	ok(refused("1,2", "point without a second comma"), "point without a label's comma");
	ok(refused("1,2x,l", "y is not a number"), "bad y");
	ok(refused("1e999,2,l", "x is not a number"), "infinite x");
	ok(refused("1.5#a", "weight is not a whole number"), "decimal weight");
	ok(refused("a;b x", "weight is not a whole number"), "folded without weight");
	ok(refused("012,a:b,", "time with leading zeros"), "leading zero");
	ok(refused("12,a b,x=1", "bad escape, blank or control byte in the type"),
	   "blank in a type");
	ok(refused("12,a:b,cpu", "field without '='"), "field without =");
	ok(refused("12,a:b,c pu=1", "bad field name"), "blank in a key");
	ok(refused("12,a:b,=1", "bad field name"), "empty key");
	ok(refused("12,a:b,a=1\ta=2", "field twice"), "field twice");
	ok(refused("12,a:b,stack=a\tx=1", "stack is not the last field"), "stack not last");
	ok(refused("12,a:b,a=1\t", "TAB at the end of the line"), "TAB at the end");
	ok(refused("12,a:b,a=\\q", "bad escape or control byte in a value"), "bad escape");
	ok(refused("5#a\\q;b", "bad escape or control byte in a frame"), "bad escape in a frame");
	ok(refused("1,2,\x01", "bad escape or control byte in a label"), "control byte in a label");
	ok(refused("00000000000000000001#a", "weight with leading zeros"), "long weight");
}

static void test_frames(void)
{
	struct mp_str rest = MP_STR("a;;c"), frame;
	int n = 0;

	while (mp_rec_next_frame(&rest, &frame))
		n += n == 1 ? frame.len == 0 : frame.len == 1;
	ok(n == 3, "three frames, one of them empty");
	rest = MP_STR("");
	ok(mp_rec_next_frame(&rest, &frame) && frame.len == 0 && !mp_rec_next_frame(&rest, &frame),
	   "an empty text is one empty frame");
}

int main(void)
{
	mp_init("unit-rec");
	test_kinds();
	test_fields();
	test_refused();
	test_frames();
	return tap_done();
}
