// SPDX-License-Identifier: GPL-2.0-only
#include "lib/draw/axis.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "lib/draw/svg.h"

#define SEC 1e9
#define MIN (60 * SEC)
#define HOUR (60 * MIN)
#define DAY (24 * HOUR)

enum { EXACT_DIGITS = 15 }; /* decimal digits that a double represents exactly */

double mp_axis_at(const struct mp_axis *a, double value)
{
	if (a->kind == MP_AXIS_LOG)
		return (log(value) - log(a->low)) / (log(a->high) - log(a->low));
	/* halves, since high - low may be beyond the greatest double */
	return (value / 2 - a->low / 2) / (a->high / 2 - a->low / 2);
}

double mp_axis_value(const struct mp_axis *a, double at)
{
	if (a->kind == MP_AXIS_LOG)
		return exp(log(a->low) + at * (log(a->high) - log(a->low)));
	return a->low * (1 - at) + a->high * at;
}

/* --- labels ----------------------------------------------------------------------------------- */

/* How many digits after the point a multiple of `step` needs. */
static int decimals(double step)
{
	double digits = -floor(log10(step) + 1e-9);

	return (int)MP_MIN(MP_MAX(digits, 0.0), 17.0);
}

static void put_scaled(char *to, double value, double step, struct mp_scale scale)
{
	const char *blank = *scale.suffix ? " " : "";
	double v = value / scale.divisor;
	int digits = (int)MP_MIN(log10(fabs(value) / step + 1) + 2, (double)EXACT_DIGITS);

	if (fabs(value) < step / 2) /* avoids -0 */
		snprintf(to, MP_UNIT_MAX, "0%s%s", blank, scale.suffix);
	else if (fabs(v) >= 1e15 || (v != 0 && fabs(v) < 1e-6))
		snprintf(to, MP_UNIT_MAX, "%.*g%s%s", digits, v, blank, scale.suffix);
	else
		snprintf(to, MP_UNIT_MAX, "%.*f%s%s", decimals(step / scale.divisor), v, blank,
			 scale.suffix);
}

/* Whether times are shown as "1:30", not as "90 s". */
static bool is_long(double span_ns)
{
	return span_ns > 2 * MIN;
}

static void put_clock(char *to, double ns)
{
	const char *minus = ns < 0 ? "-" : "";
	double s = round(fabs(ns) / SEC);
	long long days = (long long)(s / 86400), rest = (long long)(s - days * 86400.0);
	int h = rest / 3600, m = rest / 60 % 60, sec = rest % 60;

	if (s == 0)
		snprintf(to, MP_UNIT_MAX, "0");
	else if (days && rest)
		snprintf(to, MP_UNIT_MAX, "%s%lld d %d:%02d", minus, days, h, m);
	else if (days)
		snprintf(to, MP_UNIT_MAX, "%s%lld d", minus, days);
	else if (h)
		snprintf(to, MP_UNIT_MAX, "%s%d:%02d:%02d", minus, h, m, sec);
	else
		snprintf(to, MP_UNIT_MAX, "%s%d:%02d", minus, m, sec);
}

static struct mp_scale time_scale(double max)
{
	struct mp_scale scale = mp_unit_scale("ns", fabs(max));

	return scale.divisor > SEC ? (struct mp_scale){ SEC, "s" } : scale;
}

void mp_axis_put_time(char to[MP_UNIT_MAX], double ns)
{
	struct mp_scale scale = time_scale(ns);
	int len = snprintf(to, MP_UNIT_MAX, "%.*g", EXACT_DIGITS, ns / scale.divisor);

	snprintf(to + len, MP_UNIT_MAX - len, " %s", scale.suffix);
}

/*
 * Values that differ in many digits after the point are not scaled: 1000000001, not 1.000000001 G.
 */
static struct mp_scale linear_scale(const char *unit, double max, double step)
{
	struct mp_scale scale = mp_unit_scale(unit, max);

	if (!*unit && max >= 1e18)
		return (struct mp_scale){ 1, "" };
	return decimals(step / scale.divisor) > 4 ? mp_unit_scale(unit, step) : scale;
}

static void put_log(const struct mp_axis *a, struct mp_tick *t)
{
	bool is_time = strcmp(a->unit, "ns") == 0;

	if (is_time && t->value >= DAY * 0.99)
		snprintf(t->label, MP_UNIT_MAX, "%g d", t->value / DAY);
	else if (t->value >= 0.99e15 || t->value < 0.99e-4)
		snprintf(t->label, MP_UNIT_MAX, "%g%s%s", t->value, *a->unit ? " " : "", a->unit);
	else
		mp_unit_put(t->label, a->unit, t->value);
}

static void put_label(const struct mp_axis *a, struct mp_tick *t, double step)
{
	double max = MP_MAX(fabs(a->low), fabs(a->high));

	if (a->kind == MP_AXIS_LOG)
		put_log(a, t);
	else if (a->kind == MP_AXIS_LINEAR)
		put_scaled(t->label, t->value, step, linear_scale(a->unit, max, step));
	else if (is_long(max) && step >= SEC)
		put_clock(t->label, t->value);
	else
		put_scaled(t->label, t->value, step, time_scale(max));
}

/* --- which ticks ------------------------------------------------------------------------------ */

/* Whether the labels fit: neighbours are at least 1.5 em apart. */
static bool labels_fit(const struct mp_tick *t, size_t n, double length, bool upright,
		       double font_px)
{
	double end = -HUGE_VAL;
	size_t i;

	for (i = 0; i < n; i++) {
		double width = upright ? font_px : mp_svg_width(mp_str(t[i].label), font_px);
		double at = t[i].at * length;

		if (t[i].minor)
			continue;
		if (at - width / 2 < end)
			return false;
		end = at + width / 2 + font_px * 1.5;
	}
	return true;
}

/* The next step: 1, 2, 5, 10 ...; for times also 15, 30 s, 1, 2, 5, 10, 15, 30 min, 1 h ... */
static double next_step(const struct mp_axis *a, double step)
{
	static const double times[] = { 10 * SEC, 15 * SEC, 30 * SEC, MIN,	 2 * MIN,
					5 * MIN,  10 * MIN, 15 * MIN, 30 * MIN,	 HOUR,
					2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY };
	double unit = 1, tens, ones;
	size_t i;

	if (a->kind == MP_AXIS_TIME && step * 1.01 >= times[0] && step < DAY * 0.99) {
		for (i = 0; times[i] < step * 1.01;)
			i++;
		return times[i];
	}
	if (a->kind == MP_AXIS_TIME && step >= DAY * 0.99)
		unit = DAY;
	tens = pow(10, floor(log10(step / unit) + 1e-9));
	ones = round(step / unit / tens);
	return unit * tens * (ones < 2 ? 2 : ones < 5 ? 5 : 10);
}

/* The greatest power of ten, in the unit of the labels, that fits a hundred times into the axis. */
static double first_step(const struct mp_axis *a)
{
	double max = MP_MAX(fabs(a->low), fabs(a->high)), span = a->high / 100 - a->low / 100;
	double unit = 1;

	if (a->kind == MP_AXIS_LINEAR)
		unit = mp_unit_scale(a->unit, max).divisor;
	else if (span >= DAY)
		unit = DAY;
	return unit * pow(10, floor(log10(span / unit)));
}

static size_t linear_ticks(const struct mp_axis *a, double step, struct mp_tick *t, size_t room)
{
	double first = ceil(a->low / step - 1e-9), last = floor(a->high / step + 1e-9), i;
	size_t n = 0;

	if (!(last - first < room))
		return SIZE_MAX;
	for (i = first; i <= last; i++) {
		t[n] = (struct mp_tick){ .value = i * step, .at = mp_axis_at(a, i * step) };
		put_label(a, &t[n++], step);
		if (i + 1 == i)
			break; /* adding 1 to i no longer changes it */
	}
	return n;
}

static size_t choose_linear(const struct mp_axis *a, double length, bool upright, double font_px,
			    struct mp_tick *t)
{
	double step = first_step(a), least = upright ? 3.2 * font_px : 6 * font_px;
	double span = a->high / 2 - a->low / 2;
	size_t n = 0;

	while (step > DBL_MIN && step / 2 < span) { /* below DBL_MIN, digits are lost */
		n = linear_ticks(a, step, t, MP_TICKS_MAX);
		if (n != SIZE_MAX && step / 2 / span * length >= least &&
		    labels_fit(t, n, length, upright, font_px))
			return n;
		step = next_step(a, step);
	}
	return n == SIZE_MAX ? 0 : MP_MIN(n, (size_t)1);
}

/* The value of tick i: powers of ten, or of two for bytes; times above 10 s in min, h and d. */
static double log_value(const struct mp_axis *a, int i)
{
	static const double beyond[] = { MIN, 10 * MIN, HOUR };

	if (strcmp(a->unit, "B") == 0 || strcmp(a->unit, "KiB") == 0)
		return ldexp(1, i);
	if (strcmp(a->unit, "ns") != 0 || i <= 10)
		return pow(10, i);
	i -= 11;
	return i < 3 ? beyond[i] : DAY * pow(10, i - 3);
}

/* The index of the last tick at or below a value. */
static int log_floor(const struct mp_axis *a, double value)
{
	int i = (int)floor(MP_MAX(log2(value), log10(value))) + 1;

	while (i > -1074 && !(log_value(a, i) <= value * (1 + 1e-12)))
		i--;
	return i;
}

/* Makes minor ticks at 1 to 9 times a power of ten, or at every power of two. */
static size_t minor_log_ticks(const struct mp_axis *a, int from, int to, struct mp_tick *t)
{
	size_t n = 0;
	int i, k;

	for (i = from - 1; i <= to; i++) {
		double value = log_value(a, i), next = log_value(a, i + 1);

		for (k = 1; k < 10 && value * k < next * 0.999; k++) {
			double at = mp_axis_at(a, value * k);

			if (at < -1e-9 || at > 1 + 1e-9)
				continue;
			if (n == MP_TICKS_MAX)
				return 0;
			t[n++] = (struct mp_tick){ .value = value * k, .at = at, .minor = true };
		}
	}
	return n;
}

/* Labels the ticks of a few decades: at 1, 2 and 5, or fewer if they do not fit. */
static size_t few_decades(const struct mp_axis *a, int from, int to, double length, bool upright,
			  double font_px, struct mp_tick *t)
{
	static const double wanted[][3] = { { 1, 2, 5 }, { 1, 3, 3 }, { 1, 1, 1 } };
	size_t set, n, i;

	for (set = 0; set < MP_ARRAY_SIZE(wanted); set++) {
		n = minor_log_ticks(a, from, to, t);
		for (i = 0; i < n; i++) {
			double base = log_value(a, log_floor(a, t[i].value));
			double times = round(t[i].value / base);

			if (times != wanted[set][0] && times != wanted[set][1] &&
			    times != wanted[set][2])
				continue;
			t[i].minor = false;
			put_label(a, &t[i], 0);
		}
		if (labels_fit(t, n, length, upright, font_px))
			return n;
	}
	return 0;
}

/* Labels every nth decade; decades in between are minor ticks if there is room for them. */
static size_t many_decades(const struct mp_axis *a, int from, int to, int every, struct mp_tick *t)
{
	size_t n = 0;
	int i;

	for (i = from; i <= to; i++) {
		double at = mp_axis_at(a, log_value(a, i));

		if (at < -1e-9 || at > 1 + 1e-9 || (i % every != 0 && to - from >= MP_TICKS_MAX))
			continue;
		if (n == MP_TICKS_MAX)
			return n;
		t[n] = (struct mp_tick){ .value = log_value(a, i), .at = at, .minor = i % every };
		if (!t[n].minor)
			put_label(a, &t[n], 0);
		n++;
	}
	return n;
}

static size_t choose_log(const struct mp_axis *a, double length, bool upright, double font_px,
			 struct mp_tick *t)
{
	int from = log_floor(a, a->low), to = log_floor(a, a->high), every;
	size_t n = 0, labels = 0, i;

	if (to - from <= (upright ? 6 : 9)) {
		n = few_decades(a, from, to, length, upright, font_px, t);
		for (i = 0; i < n; i++)
			labels += !t[i].minor;
	}
	if (labels >= 2)
		return n;
	if (to - from < 1) /* less than two decades: ticks as on a linear axis */
		return choose_linear(&(struct mp_axis){ MP_AXIS_LINEAR, a->low, a->high, a->unit },
				     length, upright, font_px, t);
	for (every = 1; every <= to - from + 1; every++) {
		n = many_decades(a, from, to, every, t);
		if (labels_fit(t, n, length, upright, font_px))
			break;
	}
	return n;
}

size_t mp_axis_ticks(const struct mp_axis *a, double length, bool upright, double font_px,
		     struct mp_tick *ticks)
{
	size_t n, i;

	if (a->kind != MP_AXIS_LOG)
		return choose_linear(a, length, upright, font_px, ticks);
	n = choose_log(a, length, upright, font_px, ticks);
	for (i = 0; i < n; i++)
		ticks[i].at = mp_axis_at(a, ticks[i].value);
	return n;
}

size_t mp_axis_label_every(size_t n, double spacing, double need)
{
	size_t every = 1;

	while (every < n && every * spacing < need)
		every++;
	return every;
}
