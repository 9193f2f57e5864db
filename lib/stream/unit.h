/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Units of fields, and numbers for people: 1234567 ns as "1.23 ms", 65536 B as "64 KiB".
 * Includes rec, ctl.
 */
#ifndef MP_STREAM_UNIT_H
#define MP_STREAM_UNIT_H

#include "lib/stream/ctl.h"
#include "lib/stream/rec.h"

/* A program's option --unit, for its table of options: the unit of `what`, such as "values". */
#define MP_UNIT_OPTION(code, what)                                                            \
	{                                                                                     \
		code, "unit", "UNIT",                                                         \
			"unit of the " what ", such as ns or B (default: what the header or " \
			"the name of the field says)"                                         \
	}

/*
 * The unit of a field: what the header's `units` say of it (`header` may be NULL; of x and y also
 * by the name that the header's `axes` give them), else by its name: "ns" for time, dur and names
 * that end in _ns, "B" for names that are, begin or end with bytes (".bytes", ".bytes_req",
 * "nr_bytes"), "KiB" for names that end in _kib, "%" for names that end in _percent; "ns" for the
 * period of clocks, if the header names no other events; else "".
 * Borrowed from the header, or static.
 */
const char *mp_unit_of(const json_t *header, const struct mp_field *f);

/* A scale that suits values up to `max`: shown value = value / divisor, with `suffix` ("ms"). */
struct mp_scale {
	double divisor;
	const char *suffix; /* static; "" if there is none */
};

/*
 * ns (also us, ms, s): ns us ms s min h; B and KiB: by 1024; "%": as it is; others by 1000 with
 * k, M, G, T, P, E from 100,000 on. The sign of `max` does not matter.
 */
struct mp_scale mp_unit_scale(const char *unit, double max);

/*
 * The word that other profilers have for a unit, such as "nanoseconds", and the unit of a word, with
 * how many ns it has (0: it is no time) in `*ns` unless that is NULL. NULL: there is none.
 */
const char *mp_unit_word(const char *unit);
const char *mp_unit_of_word(struct mp_str word, double *ns);

enum { MP_UNIT_MAX = 48 };

/*
 * Writes a number with its unit, with three significant digits if it is not whole: "1.23 ms",
 * "64 KiB", "-7", "12.3 M". Any other unit follows the number: "12.3 k pages" (at most 16 bytes of
 * it). Writes at `to`, which has room for MP_UNIT_MAX bytes, with a NUL; returns the length.
 */
size_t mp_unit_put(char *to, const char *unit, double value);

/* A number in a scale that several numbers share, without the suffix: "1.23". */
size_t mp_unit_put_scaled(char *to, const struct mp_scale *scale, double value);

/* The ending of a noun after a number. */
static inline const char *mp_plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
