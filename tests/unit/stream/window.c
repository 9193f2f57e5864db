// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/window.h"

#include "lib/core/clock.h"
#include "tests/unit/tap.h"

static bool rfc3339_is(const char *text, uint64_t want)
{
	uint64_t ns;

	return mp_rfc3339_parse(text, &ns) == 0 && ns == want;
}

static void test_rfc3339(void)
{
	static const char *const none[] = {
		"",
		"2026",
		"2026-11-20",
		"2026-11-20T09:19:00",
		"2026-11-20T09:19Z",
		"2026-13-20T09:19:00Z",
		"2026-00-20T09:19:00Z",
		"2026-02-30T09:19:00Z",
		"2026-11-00T09:19:00Z",
		"2026-11-20T24:00:00Z",
		"2026-11-20T09:60:00Z",
		"2026-11-20T09:19:00.Z",
		"2026-11-20T09:19:00.1234567890Z",
		"2026-11-20T09:19:00+0000",
		"2026-11-20T09:19:00Zx",
		"2026-11-20T09:19:00+24:00",
		"1969-12-31T23:59:59Z",
		"1970-01-01T00:00:00+00:01",
		"2300-01-01T00:00:00Z",
		"26-11-20T09:19:00Z",
		"2026-11-20T 9:19:00Z",
	};
	static const uint64_t times[] = { 0, 1, 1795166340000000321, 951782400000000000,
					  4102444799999999999 };
	char text[MP_RFC3339_MAX];
	size_t i, taken = 0, wrong = 0;
	uint64_t ns;

	for (i = 0; i < MP_ARRAY_SIZE(none); i++)
		taken += mp_rfc3339_parse(none[i], &ns) == 0;
	ok(taken == 0, "text that is not RFC 3339");
	for (i = 0; i < MP_ARRAY_SIZE(times); i++) {
		mp_rfc3339(text, times[i], false);
		wrong += !rfc3339_is(text, times[i]);
		mp_rfc3339(text, times[i], true);
		wrong += !rfc3339_is(text, times[i]);
	}
	ok(wrong == 0, "reads what it writes");
	ok(rfc3339_is("2026-11-20T09:19:00Z", 1795166340000000000) &&
		   rfc3339_is("2026-11-20 09:19:00z", 1795166340000000000) &&
		   rfc3339_is("2026-11-20T10:49:00+01:30", 1795166340000000000) &&
		   rfc3339_is("2026-11-19t23:19:00-10:00", 1795166340000000000),
	   "zones");
	ok(rfc3339_is("2026-11-20T09:19:00.5Z", 1795166340500000000) &&
		   rfc3339_is("2026-11-20T09:19:00.000000001Z", 1795166340000000001),
	   "fractions");
	ok(rfc3339_is("2024-02-29T00:00:00Z", 1709164800000000000), "a leap day");
	mp_rfc3339_brief(text, 1795166340500000000);
	ok(strcmp(text, "2026-11-20T09:19:00.5Z") == 0, "brief: %s", text);
	mp_rfc3339_brief(text, 1795166400000000000);
	ok(strcmp(text, "2026-11-20T09:20:00Z") == 0, "brief: %s", text);
}

static bool time_is(const char *text, unsigned kind, uint64_t ns)
{
	struct mp_window_time m;

	return mp_window_time_parse(&m, text) == 0 && m.kind == kind && m.ns == ns;
}

static void test_moments(void)
{
	static const char *const none[] = {
		"",
		"@",
		"@x",
		"x",
		"-1s",
		"@-1",
		"2 s",
		"1d",
		"@9223372036854775808",
		"9223372036854775808ns",
		"@2026-11-20T09:19:00Z",
		"@@1",
		"1e99",
	};
	struct mp_window_time m;
	size_t i, taken = 0;

	ok(time_is("2s", MP_WINDOW_RELATIVE, 2000000000) &&
		   time_is("2.5", MP_WINDOW_RELATIVE, 2500000000) &&
		   time_is("0", MP_WINDOW_RELATIVE, 0),
	   "relative");
	ok(time_is("@2", MP_WINDOW_CLOCK, 2) && time_is("@2s", MP_WINDOW_CLOCK, 2000000000) &&
		   time_is("@71.2s", MP_WINDOW_CLOCK, 71200000000),
	   "on the clock, ns without a unit");
	ok(time_is("@9007199254740993", MP_WINDOW_CLOCK, 9007199254740993) &&
		   time_is("@9007199254740993ns", MP_WINDOW_CLOCK, 9007199254740993) &&
		   time_is("9007199254740993ns", MP_WINDOW_RELATIVE, 9007199254740993) &&
		   time_is("@9223372036854775807", MP_WINDOW_CLOCK, INT64_MAX),
	   "ns are exact above 2^53");
	ok(time_is("1970-01-01T00:00:01Z", MP_WINDOW_WALL, 1000000000), "wall clock");
	for (i = 0; i < MP_ARRAY_SIZE(none); i++)
		taken += mp_window_time_parse(&m, none[i]) == 0;
	ok(taken == 0, "no conditions");
}

/*
 * The limits of a window on the clock of a section with this header (NULL: none) and first event.
 */
static bool placed(const char *from, const char *to, const char *header, uint64_t first_ns,
		   uint64_t begin_ns, uint64_t end_ns)
{
	struct mp_window w = { .placed = false };
	struct mp_ctl ctl;
	const char *why;
	int result;

	if ((from && mp_window_time_parse(&w.from, from) < 0) ||
	    (to && mp_window_time_parse(&w.to, to) < 0))
		return false;
	if (header && mp_ctl_parse(&ctl, mp_str(header), &why) < 0)
		return false;
	mp_window_header(&w, header ? &ctl : NULL);
	result = mp_window_place(&w, first_ns);
	if (header)
		mp_ctl_release(&ctl);
	return result == 0 && w.begin_ns == begin_ns && w.end_ns == end_ns;
}

#define HEADER(more) "{\"mp\":1,\"datatype\":\"event\"" more "}"

static void test_places(void)
{
	const char *anchor = HEADER(",\"clock_ns\":1000,\"realtime_ns\":1795166340000000000");
	const char *later = HEADER(",\"start\":\"2026-11-20T09:19:01+00:00\",\"clock_ns\":1000,"
				   "\"realtime_ns\":1795166340000000000");
	const char *real = HEADER(",\"clock\":\"realtime\"");
	struct mp_window w = { .for_ns = 50 };

	ok(placed(NULL, NULL, NULL, 77, 0, UINT64_MAX), "everything");
	ok(placed("10ns", "20ns", NULL, 77, 87, 97), "no header: from the first event");
	ok(placed("10ns", "20ns", HEADER(""), 77, 87, 97), "so is a header that does not say");
	ok(placed("10ns", "20ns", anchor, 5000, 1010, 1020), "from where the clocks were read");
	ok(placed("10ns", NULL, later, 5000, 1000001010, UINT64_MAX), "from its start");
	ok(placed("@10", "@20", later, 5000, 10, 20), "on the clock");
	ok(placed("2026-11-20T09:19:00.5Z", NULL, anchor, 5000, 500001000, UINT64_MAX),
	   "a wall clock");
	ok(placed("2026-11-20T09:18:00Z", NULL, anchor, 5000, 0, UINT64_MAX),
	   "before the clock began");
	ok(placed("1970-01-01T00:00:05Z", NULL, real, 9, 5000000000, UINT64_MAX),
	   "the clock is the wall's");
	ok(!placed("1970-01-01T00:00:05Z", NULL, NULL, 9, 0, UINT64_MAX) &&
		   !placed("1970-01-01T00:00:05Z", NULL, HEADER(""), 9, 0, UINT64_MAX),
	   "nobody knows");
	mp_window_place(&w, 100);
	ok(w.begin_ns == 100 && w.end_ns == 150 && mp_window_has(&w, 100) &&
		   mp_window_has(&w, 149) && !mp_window_has(&w, 150) && !mp_window_has(&w, 99),
	   "for some time from the start");
	mp_window_header(&w, NULL);
	mp_window_place(&w, 500);
	ok(w.begin_ns == 500, "again for each section");
}

int main(void)
{
	test_rfc3339();
	test_moments();
	test_places();
	return tap_done();
}
