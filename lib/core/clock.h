/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Clocks and times as text. Includes base only.
 */
#ifndef MP_CORE_CLOCK_H
#define MP_CORE_CLOCK_H

#include "lib/core/base.h"

#define MP_NS_PER_SEC 1000000000ull

uint64_t mp_monotonic_ns(void);

/* CPU time of the calling thread, and of the process, in ns. */
uint64_t mp_clock_thread_ns(void);
uint64_t mp_clock_process_ns(void);

/*
 * Reads CLOCK_MONOTONIC and CLOCK_REALTIME together: makes a few tries, and takes the pair that was
 * read closest together, about 10 ns apart.
 */
void mp_clock_pair(uint64_t *monotonic_ns, uint64_t *realtime_ns);

/*
 * ns since 1970 as RFC 3339: "2026-11-20T09:19:00.000000321+00:00". In UTC, so that the text
 * depends on nothing else; with `local`, in the zone of the machine. `to` has MP_RFC3339_MAX bytes.
 */
enum { MP_RFC3339_MAX = 48 };

void mp_rfc3339(char *to, uint64_t realtime_ns, bool local);

/*
 * The same for pictures: in UTC, without trailing zeros of the second: "2026-11-20T09:19:00.5Z".
 */
void mp_rfc3339_brief(char *to, uint64_t realtime_ns);

/*
 * Parses RFC 3339: up to nine digits of a second; the zone, Z or +hh:mm, is required. Returns 0, or
 * -1 if the text is not a time, or before 1970.
 */
int mp_rfc3339_parse(const char *text, uint64_t *realtime_ns);

#endif
