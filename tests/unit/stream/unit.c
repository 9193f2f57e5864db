// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/unit.h"

#include "tests/unit/tap.h"

static void put_is(const char *unit, double v, const char *wanted)
{
	char text[MP_UNIT_MAX];
	size_t len = mp_unit_put(text, unit, v);

	ok(strcmp(text, wanted) == 0 && len == strlen(text), "%g '%s' is '%s'", v, unit, wanted);
	if (strcmp(text, wanted) != 0)
		printf("# '%s'\n", text);
}

static void test_put(void)
{
	put_is("ns", 0, "0 ns");
	put_is("ns", 999, "999 ns");
	put_is("ns", 1000, "1 us");
	put_is("ns", 1234567, "1.23 ms");
	put_is("ns", 999999, "1 ms");
	put_is("ns", 999400, "999 us");
	put_is("ns", -999999, "-1 ms");
	put_is("ns", 0.25, "0.25 ns");
	put_is("ns", 59.96e9, "1 min");
	put_is("ns", 90e9, "1.5 min");
	put_is("ns", 86400e9, "24 h");
	put_is("us", 1500, "1.5 ms");
	put_is("ms", 0.5, "500 us");
	put_is("s", 90, "1.5 min");
	put_is("B", 65536, "64 KiB");
	put_is("B", 1023, "1023 B");
	put_is("B", 1536, "1.5 KiB");
	put_is("B", 1048575, "1 MiB");
	put_is("B", 1020 * 1024.0 + 1, "1020 KiB");
	put_is("KiB", 1024, "1 MiB");
	put_is("KiB", 0.5, "512 B");
	put_is("%", 45.26, "45.3 %");
	put_is("%", 250000, "250000 %");
	put_is("", -7, "-7");
	put_is("", -0.0, "0");
	put_is("", 99999, "99999");
	put_is("", 100000, "100 k");
	put_is("", 12345678, "12.3 M");
	put_is("", 999999, "1 M");
	put_is("", 0.001234, "0.00123");
	put_is("", 1e300, "1e+300");
	put_is("ns", 1e300, "1e+300 ns");
	put_is("pages", 3, "3 pages");
	put_is("pages", 1234567, "1.23 M pages");
	put_is("a unit that is far too long", 1, "1 a unit that is f");
}

static void test_scale(void)
{
	struct mp_scale s = mp_unit_scale("ns", 5e6);
	char text[MP_UNIT_MAX];

	ok(s.divisor == 1e6 && strcmp(s.suffix, "ms") == 0, "ns up to 5e6: ms");
	mp_unit_put_scaled(text, &s, 1250000);
	ok(strcmp(text, "1.25") == 0, "a number on that scale");
	s = mp_unit_scale("KiB", -4096);
	ok(s.divisor == 1024 && strcmp(s.suffix, "MiB") == 0, "KiB below 0: MiB");
	s = mp_unit_scale("KiB", 0.25);
	ok(s.divisor == 1.0 / 1024 && strcmp(s.suffix, "B") == 0, "a quarter of a KiB: B");
	s = mp_unit_scale("pages", 99999);
	ok(s.divisor == 1 && *s.suffix == '\0', "99,999 as it is");
	s = mp_unit_scale("", 1e5);
	ok(s.divisor == 1e3 && strcmp(s.suffix, "k") == 0, "from 100,000 on: k");
	s = mp_unit_scale("%", 1e9);
	ok(s.divisor == 1 && strcmp(s.suffix, "%") == 0, "%% is not scaled");
}

static void unit_is(const char *header, const char *name, const char *wanted)
{
	json_t *json = header ? json_loads(header, 0, NULL) : NULL;
	struct mp_field f;

	mp_field_parse(&f, mp_str(name));
	ok(strcmp(mp_unit_of(json, &f), wanted) == 0, "%s with %s: '%s'", name,
	   header ? header : "no header", wanted);
	json_decref(json);
}

static void test_of(void)
{
	unit_is(NULL, "dur", "ns");
	unit_is(NULL, "time", "ns");
	unit_is(NULL, ".wait_ns", "ns");
	unit_is(NULL, ".bytes", "B");
	unit_is(NULL, ".bytes_req", "B");
	unit_is(NULL, ".nr_bytes", "B");
	unit_is(NULL, ".megabytes", "");
	unit_is(NULL, "rss_kib", "KiB");
	unit_is(NULL, "cpu_percent", "%");
	unit_is(NULL, "period", "");
	unit_is(NULL, "y", "");
	unit_is("{\"events\":{\"cpu-clock\":{}}}", "period", "ns");
	unit_is("{\"events\":{\"cpu-clock\":{},\"page-faults\":{}}}", "period", "");
	unit_is("{\"units\":{\".sector\":\"sectors\",\"dur\":\"us\"}}", ".sector", "sectors");
	unit_is("{\"units\":{\"dur\":\"us\"}}", "dur", "us");
	unit_is("{\"units\":{\"y\":\"B\"}}", "y", "B");
	unit_is("{\"axes\":[\"time\",\"rss\"],\"units\":{\"time\":\"ns\",\"rss\":\"KiB\"}}", "y",
		"KiB");
	unit_is("{\"axes\":[\"time\",\"rss\"],\"units\":{\"time\":\"ns\",\"rss\":\"KiB\"}}", "x",
		"ns");
	unit_is("{\"units\":7,\"axes\":\"x\",\"events\":[]}", "y", "");
}

int main(void)
{
	mp_init("unit-unit");
	test_put();
	test_scale();
	test_of();
	return tap_done();
}
