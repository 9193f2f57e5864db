// SPDX-License-Identifier: GPL-2.0-only
#include "lib/draw/axis.h"

#include <math.h>
#include <stdlib.h>

#include "lib/draw/svg.h"
#include "tests/unit/tap.h"

/* The labels, joined by '|'. */
static bool labels(struct mp_axis a, double length, bool upright, const char *wanted)
{
	struct mp_tick t[MP_TICKS_MAX];
	size_t n = mp_axis_ticks(&a, length, upright, 12, t), i;
	struct mp_buf b = { NULL, 0, 0 };
	bool same;

	for (i = 0; i < n; i++)
		if (!t[i].minor)
			mp_buf_printf(&b, "%s%s", b.len ? "|" : "", t[i].label);
	same = mp_str_eq(mp_buf_view(&b), mp_str(wanted));
	if (!same)
		printf("# got %.*s\n", MP_STR_ARGS(mp_buf_view(&b)));
	mp_buf_release(&b);
	return same;
}

/* Checks what holds for any axis. Returns 0 or the number of the broken rule. */
static int broken_rule(const struct mp_axis *a, double length, bool upright)
{
	struct mp_tick t[MP_TICKS_MAX];
	size_t n = mp_axis_ticks(a, length, upright, 12, t), i, named = 0;
	double end = -1e9;
	const char *last = "";

	if (n > MP_TICKS_MAX)
		return 1;
	for (i = 0; i < n; i++) {
		double half = upright ? 6 : mp_svg_width(mp_str(t[i].label), 12) / 2;

		if (i && !(t[i].value > t[i - 1].value))
			return 2;
		if (!(t[i].at > -1e-6 && t[i].at < 1 + 1e-6) ||
		    fabs(mp_axis_at(a, t[i].value) - t[i].at) > 1e-6)
			return 3;
		if (t[i].minor)
			continue;
		if (t[i].at * length - half < end)
			return 4;
		if (strcmp(last, t[i].label) == 0)
			return 5;
		end = t[i].at * length + half;
		last = t[i].label;
		named++;
	}
	return named < 1 && length >= 300 ? 6 : 0;
}

static void test_any(void)
{
	static const char *const units[] = { "", "ns", "B", "KiB", "%", "s", "odd" };
	bool good = true;
	int i;

	srand(1);
	for (i = 0; i < 20000 && good; i++) {
		struct mp_axis a = { .kind = rand() % 3, .unit = units[rand() % 7] };
		double size = pow(10, rand() % 25 - 6), base = rand() % 3 ? 0 : rand() % 1000;
		double length = 60 + rand() % 1500;
		bool upright = rand() & 1;
		int rule;

		a.low = base * size * (rand() % 2 || a.kind == MP_AXIS_LOG ? 1 : -1);
		a.high = a.low + size * (1 + rand() % 1000 / 10.0);
		if (a.kind == MP_AXIS_TIME)
			a.unit = "ns";
		if (a.kind == MP_AXIS_LOG && a.low == 0)
			a.low = size / pow(10, 1 + rand() % 12);
		rule = broken_rule(&a, length, upright);
		if (rule)
			printf("# rule %d: kind %d %.17g..%.17g %s, %g px%s\n", rule, a.kind, a.low,
			       a.high, a.unit, length, upright ? " upright" : "");
		good &= !rule;
	}
	ok(good, "ticks ascend, are where they belong, have labels that differ and do not meet");
}

int main(void)
{
	struct mp_axis log_ns = { MP_AXIS_LOG, 1e3, 1e9, "ns" };
	struct mp_axis huge = { MP_AXIS_LINEAR, -1.7e308, 1.7e308, "" };

	ok(labels((struct mp_axis){ MP_AXIS_LINEAR, 0, 1e6, "ns" }, 300, true,
		  "0 ms|0.2 ms|0.4 ms|0.6 ms|0.8 ms|1.0 ms"),
	   "linear, ns");
	ok(labels((struct mp_axis){ MP_AXIS_LINEAR, 0, 1 << 20, "B" }, 300, true,
		  "0 MiB|0.2 MiB|0.4 MiB|0.6 MiB|0.8 MiB|1.0 MiB"),
	   "linear, bytes");
	ok(labels((struct mp_axis){ MP_AXIS_LINEAR, -5, 5, "" }, 300, true, "-4|-2|0|2|4"),
	   "linear, both signs");
	ok(labels((struct mp_axis){ MP_AXIS_LINEAR, 1e9, 1e9 + 10, "odd" }, 200, true,
		  "1000000000|1000000002|1000000004|1000000006|1000000008|1000000010"),
	   "linear, far from 0");
	ok(labels(log_ns, 300, true, "1 us|10 us|100 us|1 ms|10 ms|100 ms|1 s"), "log, ns");
	ok(labels((struct mp_axis){ MP_AXIS_LOG, 100, 1000, "ns" }, 300, true,
		  "100 ns|200 ns|500 ns|1 us"),
	   "log, one decade");
	ok(labels((struct mp_axis){ MP_AXIS_LOG, 1e9, 1e15, "ns" }, 400, true,
		  "1 s|10 s|1 min|10 min|1 h|1 d|10 d"),
	   "log, long times");
	ok(labels((struct mp_axis){ MP_AXIS_LOG, 1, 1 << 20, "B" }, 300, true,
		  "1 B|8 B|64 B|512 B|4 KiB|32 KiB|256 KiB"),
	   "log, bytes");
	ok(labels((struct mp_axis){ MP_AXIS_LOG, 1, 1e30, "" }, 300, true,
		  "1|1000|1 M|1 G|1 T|1e+15|1e+18|1e+21|1e+24|1e+27|1e+30"),
	   "log, huge");
	ok(labels((struct mp_axis){ MP_AXIS_TIME, 0, 10e9, "ns" }, 900, false,
		  "0 s|1 s|2 s|3 s|4 s|5 s|6 s|7 s|8 s|9 s|10 s"),
	   "time, 10 s");
	ok(labels((struct mp_axis){ MP_AXIS_TIME, 0, 1e3, "ns" }, 500, false,
		  "0 us|0.2 us|0.4 us|0.6 us|0.8 us|1.0 us"),
	   "time, 1 us");
	ok(labels((struct mp_axis){ MP_AXIS_TIME, 0, 3600e9, "ns" }, 500, false,
		  "0|10:00|20:00|30:00|40:00|50:00|1:00:00"),
	   "time, 1 h");
	ok(labels((struct mp_axis){ MP_AXIS_TIME, 0, 3 * 86400e9, "ns" }, 900, false,
		  "0|12:00:00|1 d|1 d 12:00|2 d|2 d 12:00|3 d"),
	   "time, 3 d");
	ok(labels((struct mp_axis){ MP_AXIS_TIME, 0, 400 * 86400e9, "ns" }, 900, false,
		  "0|50 d|100 d|150 d|200 d|250 d|300 d|350 d|400 d"),
	   "time, 400 d");
	ok(broken_rule(&huge, 300, true) == 0, "the greatest numbers");
	ok(fabs(mp_axis_at(&log_ns, 1e6) - 0.5) < 1e-12 &&
		   fabs(mp_axis_value(&log_ns, 0.5) - 1e6) < 1e-3,
	   "there and back");
	ok(mp_axis_label_every(10, 20, 15) == 1 && mp_axis_label_every(10, 20, 41) == 3 &&
		   mp_axis_label_every(0, 0, 5) == 1,
	   "categories that are too close");
	test_any();
	return tap_done();
}
