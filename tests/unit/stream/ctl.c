// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/ctl.h"

#include "lib/core/clock.h"
#include "tests/unit/tap.h"

static struct mp_ctl ctl;
static const char *why;

static bool parses(const char *line, enum mp_ctl_what what)
{
	mp_ctl_release(&ctl);
	why = "";
	return mp_ctl_parse(&ctl, mp_str(line), &why) == 0 && ctl.what == what;
}

static void test_parse(void)
{
	ok(parses("{\"watermark\":12}", MP_CTL_WATERMARK) && ctl.time_ns == 12 && !ctl.json,
	   "watermark, the quick way");
	ok(parses("{ \"watermark\": 12 }", MP_CTL_WATERMARK) && ctl.time_ns == 12, "with blanks");
	ok(!parses("{\"watermark\":9223372036854775808}", MP_CTL_WATERMARK), "too large");
	ok(parses("{\"mp\":1,\"datatype\":\"event\",\"clock_ns\":5,\"realtime_ns\":7}",
		  MP_CTL_HEADER) &&
		   ctl.datatype == MP_EVENT && ctl.version == 1 && ctl.has_anchor &&
		   ctl.clock_ns == 5 && ctl.realtime_ns == 7,
	   "header");
	ok(parses("{\"mp\":7,\"datatype\":\"hologram\"}", MP_CTL_HEADER) && ctl.version == 7 &&
		   !ctl.datatype,
	   "header of another version and datatype");
	ok(parses("{\"lost\":3,\"from\":1,\"time\":2,\"cpu\":0}", MP_CTL_LOST) && ctl.lost == 3 &&
		   ctl.from_ns == 1 && ctl.time_ns == 2 && ctl.cpu == 0,
	   "loss");
	ok(parses("{\"lost\":3}", MP_CTL_LOST) && ctl.cpu == -1 && !ctl.type, "loss somewhere");
	ok(parses("{\"lost\":3,\"type\":\"a:b\"}", MP_CTL_LOST) && strcmp(ctl.type, "a:b") == 0,
	   "loss of a type");
	ok(parses("{\"end\":\"stack\",\"records\":4,\"lost\":1}", MP_CTL_END) &&
		   ctl.datatype == MP_STACK && ctl.records == 4 && ctl.lost == 1,
	   "trailer");
	ok(parses("{\"x\":{\"mp\":1}}", MP_CTL_OTHER), "unknown");
	ok(!parses("[1]", MP_CTL_OTHER), "an array is not a control line");
	ok(!parses("{\"a\":1}{", MP_CTL_OTHER), "something after it");
	ok(!parses("{\"mp\":1.0,\"datatype\":\"event\"}", MP_CTL_HEADER), "version 1.0");
}

static bool text_is(struct mp_buf *b, const char *want)
{
	bool same = mp_str_eq(mp_buf_view(b), mp_str(want));

	if (!same)
		printf("# %.*s\n", MP_STR_ARGS(mp_buf_view(b)));
	b->len = 0;
	return same;
}

static void test_write(void)
{
	struct mp_buf b = { NULL, 0, 0 };

	mp_ctl_add_watermark(&b, 12);
	ok(text_is(&b, "{\"watermark\":12}\n"), "watermark");
	mp_ctl_add_lost(&b, &(struct mp_ctl){ .lost = 3, .time_ns = 7, .cpu = -1 });
	ok(text_is(&b, "{\"lost\":3,\"time\":7}\n"), "loss");
	mp_ctl_add_lost(
		&b, &(struct mp_ctl){
			    .lost = 3, .from_ns = 5, .time_ns = 7, .cpu = 1, .type = "a\\x2c:b" });
	ok(text_is(&b, "{\"lost\":3,\"from\":5,\"time\":7,\"cpu\":1,"
		       "\"type\":\"a\\\\x2c:b\"}\n"),
	   "loss with all");
	mp_ctl_add(&b, mp_ctl_trailer(MP_POINT, 5, 0));
	ok(text_is(&b, "{\"end\":\"point\",\"records\":5,\"lost\":0}\n"), "trailer");
	mp_ctl_add(&b,
		   json_pack("{s:o}", "s", mp_ctl_string(MP_STR("a\xff\xc3\xa9\xed\xa0\x80\"\n"))));
	ok(text_is(&b, "{\"s\":\"a\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\\"\\n\""
		       "}\n"),
	   "what is not UTF-8 is replaced byte by byte");
	mp_ctl_add(&b, json_pack("{s:o}", "s", mp_ctl_string(MP_STR("a\0b"))));
	ok(text_is(&b, "{\"s\":\"a\xef\xbf\xbd\x62\"}\n"), "and NUL, which readers of JSON refuse");
	mp_buf_release(&b);
}

static void test_clock(void)
{
	char text[MP_RFC3339_MAX];
	uint64_t mono, real, before = mp_monotonic_ns();

	mp_rfc3339(text, 1795166340000000321, false);
	ok(strcmp(text, "2026-11-20T09:19:00.000000321+00:00") == 0, "RFC 3339: %s", text);
	mp_rfc3339(text, INT64_MAX, false);
	ok(strcmp(text, "2262-04-11T23:47:16.854775807+00:00") == 0, "the last time: %s", text);
	mp_clock_pair(&mono, &real);
	ok(mono >= before && mono <= mp_monotonic_ns() && real > 1600000000000000000, "clock pair");
}

int main(void)
{
	mp_init("unit-ctl");
	test_parse();
	test_write();
	test_clock();
	mp_ctl_release(&ctl);
	return tap_done();
}
