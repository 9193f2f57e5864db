/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Units of fields, and numbers for people: 1234567 ns as "1.23 ms", 65536 B as "64 KiB".
 * Includes rec, ctl.
 */
#ifndef MP_UNIT_H
#define MP_UNIT_H

#include "lib/ctl.h"
#include "lib/rec.h"

/*
 * The unit of a field: what the header's `units` say of it (`header` may be NULL), else by its
 * name: "ns" for dur, time, period of clocks and names that end in _ns, "B" for .bytes and names
 * that end in _bytes, "KiB" for names that end in _kib, "%" for names that end in _percent, else "".
 * Borrowed from the header, or static.
 */
const char *mp_unit_of(const json_t *header, const struct mp_field *f);

/* A scale that suits values up to `max`: shown value = value / divisor, with `suffix` ("ms"). */
struct mp_scale {
	double divisor;
	const char *suffix; /* static; "" if there is none */
};

/* ns: ns us ms s min h; B and KiB: by 1024; others by 1000 with k, M, G, T from 100,000 on. */
struct mp_scale mp_unit_scale(const char *unit, double max);

/*
 * A number with its unit, three significant digits where it is not whole: "1.23 ms", "64 KiB",
 * "-7", "12.3 M". Writes at `to`, which has room for MP_UNIT_MAX bytes, with a NUL; returns the
 * length.
 */
enum { MP_UNIT_MAX = 48 };

size_t mp_unit_put(char *to, const char *unit, double value);

#endif
