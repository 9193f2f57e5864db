// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/esc.h"

#include <stdlib.h>

#include "tests/unit/tap.h"

static bool esc_is(struct mp_str raw, enum mp_esc where, const char *want)
{
	struct mp_buf b = { NULL, 0, 0 };
	bool same;

	mp_esc_add(&b, raw, where);
	same = mp_str_eq(mp_buf_view(&b), mp_str(want));
	mp_buf_release(&b);
	return same;
}

static bool folded_is(const char *name, enum mp_mark mark, const char *want)
{
	char buf[256], *end = mp_frame_put_folded(buf, mp_str(name), mark);

	*end = '\0';
	return strcmp(buf, want) == 0;
}

static bool frame_is(const char *name, enum mp_mark mark, const char *want)
{
	char buf[256], *end = mp_frame_put(buf, mp_str(name), mark);

	*end = '\0';
	return strcmp(buf, want) == 0;
}

static void test_escapes(void)
{
	ok(esc_is(MP_STR("a;b,c d"), MP_ESC_VALUE, "a;b,c d"), "a value keeps ; , and blanks");
	ok(esc_is(MP_STR("a;b,c d"), MP_ESC_FRAME, "a\\x3bb,c d"), "a frame escapes ;");
	ok(esc_is(MP_STR("a;b,c d"), MP_ESC_TYPE, "a;b\\x2cc\\x20d"), "a type escapes , and blank");
	ok(esc_is(MP_STR("\t\n\r\\"), MP_ESC_VALUE, "\\t\\n\\r\\\\"), "the four short ones");
	ok(esc_is(MP_STR("\x01\x1f\x7f"), MP_ESC_VALUE, "\\x01\\x1f\\x7f"), "other control bytes");
	ok(esc_is((struct mp_str){ "\0", 1 }, MP_ESC_VALUE, "\\x00"), "NUL");
	ok(esc_is(MP_STR("\xc3\xa9\xff"), MP_ESC_VALUE, "\xc3\xa9\xff"), "high bytes stay");
}

/* Tests that any bytes are the same after escaping and unescaping. */
static void test_round_trip(void)
{
	static const enum mp_esc wheres[] = { MP_ESC_VALUE, MP_ESC_FRAME, MP_ESC_TYPE };
	struct mp_buf text = { NULL, 0, 0 }, back = { NULL, 0, 0 };
	bool same = true, valid = true;
	char raw[64];
	int round, i, len;

	srand(2);
	for (round = 0; round < 30000; round++) {
		len = rand() % (int)sizeof(raw);
		for (i = 0; i < len; i++)
			raw[i] = (char)(rand() % 3 ? rand() : ";\\\t ,[{"[rand() % 7]);
		text.len = back.len = 0;
		mp_esc_add(&text, (struct mp_str){ raw, len }, wheres[round % 3]);
		valid &= mp_esc_check(mp_buf_view(&text)) == 0;
		same &= mp_esc_undo(&back, mp_buf_view(&text)) == 0 &&
			mp_str_eq(mp_buf_view(&back), (struct mp_str){ raw, len });
	}
	ok(same && valid, "30,000 random texts escaped and back");
	mp_buf_release(&text);
	mp_buf_release(&back);
}

static void test_bad_escapes(void)
{
	static const char *const bad[] = { "\\",    "\\q",   "\\x", "\\x1",
					   "\\x1G", "\\xAB", "\t",  "a\x01" };
	struct mp_buf b = { NULL, 0, 0 };
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(bad); i++) {
		ok(mp_esc_check(mp_str(bad[i])) < 0, "bad escape %zu is refused", i);
		ok(mp_esc_undo(&b, mp_str(bad[i])) < 0, "bad escape %zu is not undone", i);
	}
	mp_buf_release(&b);
}

static void test_marks(void)
{
	struct mp_str name;

	ok(mp_frame_mark(MP_STR("schedule_[k]"), &name) == MP_MARK_KERNEL &&
		   mp_str_eq(name, MP_STR("schedule")),
	   "kernel mark");
	ok(mp_frame_mark(MP_STR("schedule_[x]"), &name) == MP_MARK_NONE,
	   "unknown mark is part of the name");
	ok(mp_frame_mark(MP_STR("[k]"), &name) == MP_MARK_NONE, "too short for a mark");
	ok(frame_is("f", MP_MARK_JIT, "f_[j]"), "a mark is appended");
	ok(frame_is("evil_[k]", MP_MARK_NONE, "evil_\\x5bk]"),
	   "a name that looks marked is not a kernel frame");
	ok(frame_is("evil_[k]", MP_MARK_KERNEL, "evil_\\x5bk]_[k]"), "and if it is one, once");
}

static void test_places(void)
{
	struct mp_str frame = MP_STR("main+0x1a2f@nginx:8f3a9c0d");
	struct mp_place place;
	char text[64];

	ok(mp_frame_place(&frame, &place) && mp_str_eq(frame, MP_STR("main")) &&
		   place.offset == 0x1a2f && mp_str_eq(place.module, MP_STR("nginx:8f3a9c0d")),
	   "a place");
	ok(!mp_frame_place(&frame, &place), "no place");
	ok(frame_is("evil+0x1@a:8f3a9c0d", MP_MARK_NONE, "evil+0x1\\x40a:8f3a9c0d") &&
		   frame_is("evil+0x1@a:-", MP_MARK_KERNEL, "evil+0x1\\x40a:-_[k]"),
	   "a name that looks like a place is not one");
	ok(frame_is("*ABS*+0xa0720@plt", MP_MARK_NONE, "*ABS*+0xa0720@plt") &&
		   frame_is("read@GLIBC_2.2.5", MP_MARK_NONE, "read@GLIBC_2.2.5"),
	   "other names keep their @");
	*mp_frame_put_module(text, MP_STR("a@b;c"), MP_STR("8f3a9c0d1122")) = '\0';
	ok(strcmp(text, "a\\x40b\\x3bc:8f3a9c0d") == 0, "a module");
	*mp_frame_put_module(text, MP_STR("a"), MP_STR("8f3a9c")) = '\0';
	ok(strcmp(text, "a:-") == 0, "a module with a short id");
}

/* The bytes of which the names of the next test are made: all that places and marks consist of. */
static const char odd[] = "+0x1@a:8-_[k];\\b ";

static void random_name(struct mp_buf *name)
{
	size_t n = random() % 24;

	name->len = 0;
	if (random() % 4 == 0)
		mp_buf_str(name, MP_STR("f+0x1@a:"));
	while (n--)
		mp_buf_byte(name, random() % 3 ? odd[random() % (sizeof(odd) - 1)] : '8');
}

/* A frame from which its place was removed is the frame without a place. */
static void test_strip(void)
{
	static const enum mp_mark marks[] = { MP_MARK_NONE, MP_MARK_KERNEL, MP_MARK_JIT };
	struct mp_buf raw = { NULL, 0, 0 }, with = { NULL, 0, 0 }, without = { NULL, 0, 0 };
	size_t wrong = 0, i, k;

	for (i = 0; i < 20000; i++) {
		bool folded = i % 2;

		with.len = without.len = 0;
		for (k = 0; k <= i % 3; k++) {
			struct mp_frame frame = { .mark = marks[random() % 3] };

			random_name(&raw);
			frame.name = mp_buf_view(&raw);
			mp_buf_reserve(&with, 256);
			mp_buf_reserve(&without, 256);
			if (k) {
				mp_buf_byte(&with, ';');
				mp_buf_byte(&without, ';');
			}
			without.len =
				mp_frame_write(without.p + without.len, &frame, folded) - without.p;
			if (random() % 3)
				frame.place = MP_STR("+0x12@a\\x40b:8f3a9c0d");
			with.len = mp_frame_write(with.p + with.len, &frame, folded) - with.p;
		}
		with.len = mp_frame_strip(with.p, with.len);
		wrong += !mp_str_eq(mp_buf_view(&with), mp_buf_view(&without));
	}
	ok(wrong == 0, "frames without their places: %zu are wrong", wrong);
	mp_buf_release(&raw);
	mp_buf_release(&with);
	mp_buf_release(&without);
}

static void test_folded(void)
{
	ok(folded_is("plain", MP_MARK_NONE, "plain"), "plain");
	ok(folded_is("a;b", MP_MARK_NONE, "a\\x3bb"), "semicolon");
	ok(folded_is("worker 12", MP_MARK_NONE, "worker\\x2012"), "blank before digits at the end");
	ok(folded_is("worker 1.2", MP_MARK_NONE, "worker\\x201.2"), "and dots");
	ok(folded_is("worker 12 ", MP_MARK_NONE, "worker 12\\x20"), "blank at the end");
	ok(folded_is(" lead", MP_MARK_NONE, " lead"), "blank at the beginning stays");
	ok(folded_is("io worker x", MP_MARK_NONE, "io worker x"), "other blanks stay");
	ok(folded_is("{closure}", MP_MARK_NONE, "\\x7bclosure}"), "brace at the beginning");
	ok(folded_is("12#x", MP_MARK_NONE, "12\\x23x"), "looks like a stack");
	ok(folded_is("12,x:y,", MP_MARK_NONE, "12\\x2cx:y,"), "looks like an event");
	ok(folded_is("#12", MP_MARK_NONE, "#12"), "# at the beginning stays");
	ok(folded_is("f 3", MP_MARK_KERNEL, "f 3_[k]"), "a marked frame does not end in digits");
	ok(folded_is("{x_[k]", MP_MARK_NONE, "\\x7bx_\\x5bk]"), "two reasons at once");
	ok(folded_is("", MP_MARK_NONE, ""), "empty");
}

static void test_terminal(void)
{
	struct mp_buf b = { NULL, 0, 0 };

	mp_esc_terminal(&b, MP_STR("a\x1b[31m\xc2\x9b\xc3\xa9"));
	ok(mp_str_eq(mp_buf_view(&b), MP_STR("a\\x1b[31m\\xc2\\x9b\xc3\xa9")),
	   "C0 and C1 controls");
	mp_buf_release(&b);
}

int main(void)
{
	mp_init("unit-esc");
	test_escapes();
	test_round_trip();
	test_bad_escapes();
	test_marks();
	test_places();
	test_strip();
	test_folded();
	test_terminal();
	return tap_done();
}
