// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The steps of a scale, smallest first; the first has divisor 1. */
struct steps {
	const char *unit; /* unit of the field; NULL: any other unit */
	double factor;	  /* multiplies a value to get the unit of the first step */
	const struct mp_scale *v;
	size_t n;
	/* where the second step begins, in units of the first step; 0: at its divisor */
	double from;
};

static const struct mp_scale time_steps[] = {
	{ 1, "ns" }, { 1e3, "us" }, { 1e6, "ms" }, { 1e9, "s" }, { 60e9, "min" }, { 3600e9, "h" },
};

static const struct mp_scale byte_steps[] = {
	{ 1, "B" },	   { 0x1p10, "KiB" }, { 0x1p20, "MiB" }, { 0x1p30, "GiB" },
	{ 0x1p40, "TiB" }, { 0x1p50, "PiB" }, { 0x1p60, "EiB" },
};

static const struct mp_scale count_steps[] = {
	{ 1, "" },     { 1e3, "k" },  { 1e6, "M" },  { 1e9, "G" },
	{ 1e12, "T" }, { 1e15, "P" }, { 1e18, "E" },
};

static const struct mp_scale percent_steps[] = { { 1, "%" } };

static const struct steps all_steps[] = {
	{ "ns", 1, time_steps, MP_ARRAY_SIZE(time_steps), 0 },
	{ "us", 1e3, time_steps, MP_ARRAY_SIZE(time_steps), 0 },
	{ "ms", 1e6, time_steps, MP_ARRAY_SIZE(time_steps), 0 },
	{ "s", 1e9, time_steps, MP_ARRAY_SIZE(time_steps), 0 },
	{ "B", 1, byte_steps, MP_ARRAY_SIZE(byte_steps), 0 },
	{ "KiB", 0x1p10, byte_steps, MP_ARRAY_SIZE(byte_steps), 0 },
	{ "MiB", 0x1p20, byte_steps, MP_ARRAY_SIZE(byte_steps), 0 },
	{ "%", 1, percent_steps, MP_ARRAY_SIZE(percent_steps), 0 },
	{ NULL, 1, count_steps, MP_ARRAY_SIZE(count_steps), 100000 },
};

static const struct steps *steps_of(const char *unit)
{
	const struct steps *s = all_steps;

	while (s->unit && strcmp(s->unit, unit) != 0)
		s++;
	return s;
}

static const struct {
	const char *unit, *word;
	double ns;
} words[] = {
	{ "ns", "nanoseconds", 1 }, { "us", "microseconds", 1e3 }, { "ms", "milliseconds", 1e6 },
	{ "s", "seconds", 1e9 },    { "B", "bytes", 0 },
};

const char *mp_unit_word(const char *unit)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(words); i++)
		if (strcmp(unit, words[i].unit) == 0)
			return words[i].word;
	return NULL;
}

const char *mp_unit_of_word(struct mp_str word, double *ns)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(words); i++) {
		if (!mp_str_eq(word, mp_str(words[i].word)))
			continue;
		if (ns)
			*ns = words[i].ns;
		return words[i].unit;
	}
	return NULL;
}

static const char *from_header(const json_t *header, const struct mp_field *f)
{
	const json_t *units = json_object_get(header, "units"), *axes;
	const char *unit, *axis;
	char name[128];

	snprintf(name, sizeof(name), "%.*s", MP_STR_ARGS(f->name));
	unit = json_string_value(json_object_get(units, name));
	if (unit || (f->id != MP_FIELD_X && f->id != MP_FIELD_Y))
		return unit;
	axes = json_object_get(header, "axes");
	axis = json_string_value(json_array_get(axes, f->id == MP_FIELD_Y));
	return axis ? json_string_value(json_object_get(units, axis)) : NULL;
}

/* A period counts ns if all events are clocks, and occurrences otherwise. */
static bool only_clocks(const json_t *header)
{
	json_t *events = json_object_get(header, "events"), *fields;
	const char *type;

	json_object_foreach (events, type, fields)
		if (strcmp(type, "cpu-clock") != 0 && strcmp(type, "task-clock") != 0)
			return false;
	return json_object_size(events) > 0;
}

const char *mp_unit_of(const json_t *header, const struct mp_field *f)
{
	const char *unit = from_header(header, f);
	struct mp_str name = f->name;

	if (unit)
		return unit;
	if (name.len && *name.p == '.') {
		name.p++;
		name.len--;
	}
	if (f->id == MP_FIELD_TIME || mp_str_eq(name, MP_STR("dur")) ||
	    mp_str_ends(name, MP_STR("_ns")))
		return "ns";
	if (mp_str_eq(name, MP_STR("bytes")) || mp_str_ends(name, MP_STR("_bytes")) ||
	    (name.len > 6 && memcmp(name.p, "bytes_", 6) == 0))
		return "B";
	if (mp_str_ends(name, MP_STR("_kib")))
		return "KiB";
	if (mp_str_ends(name, MP_STR("_percent")))
		return "%";
	if (mp_str_eq(f->name, MP_STR("period")) && only_clocks(header))
		return "ns";
	return "";
}

/* The greatest step in which a value, given in the first step, is at least 1. */
static size_t step_for(const struct steps *s, double value)
{
	size_t i = s->n - 1;

	/* 1e300 reads no better as 1e282 E */
	if (value < s->from || value >= 1e6 * s->v[i].divisor)
		return 0;
	while (i && value < s->v[i].divisor)
		i--;
	return i;
}

struct mp_scale mp_unit_scale(const char *unit, double max)
{
	const struct steps *s = steps_of(unit);
	struct mp_scale scale = s->v[step_for(s, fabs(max) * s->factor)];

	scale.divisor /= s->factor;
	return scale;
}

/* Three significant digits; all digits of a whole number. */
static size_t put_number(char *to, size_t room, double v)
{
	double size = fabs(v);

	if (v == floor(v) && size < 1e15)
		return snprintf(to, room, "%.0f", v + 0.0); /* adding 0 turns -0 into 0 */
	if (size >= 999.5 && size < 1e15)
		return snprintf(to, room, "%.0f", v);
	return snprintf(to, room, "%.3g", v);
}

size_t mp_unit_put_scaled(char *to, const struct mp_scale *scale, double value)
{
	return put_number(to, MP_UNIT_MAX, value / scale->divisor);
}

size_t mp_unit_put(char *to, const char *unit, double value)
{
	const struct steps *s = steps_of(unit);
	double first = value * s->factor;
	size_t i = step_for(s, fabs(first)), len;
	const char *after = s->unit ? "" : unit;

	len = put_number(to, MP_UNIT_MAX, first / s->v[i].divisor);
	/* decides by the rounded text: 999.9 us is shown as "1 ms", not "1000 us" */
	if (i + 1 < s->n && (i || s->from == 0) && fabs(first) < s->v[i + 1].divisor &&
	    fabs(strtod(to, NULL)) * s->v[i].divisor >= s->v[i + 1].divisor) {
		i++;
		len = snprintf(to, MP_UNIT_MAX, "%s1", first < 0 ? "-" : "");
	}
	if (*s->v[i].suffix)
		len += snprintf(to + len, MP_UNIT_MAX - len, " %s", s->v[i].suffix);
	if (*after)
		len += snprintf(to + len, MP_UNIT_MAX - len, " %.16s", after);
	return len;
}
