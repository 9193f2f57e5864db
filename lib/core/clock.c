// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/clock.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t read_clock(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * MP_NS_PER_SEC + ts.tv_nsec;
}

uint64_t mp_clock_thread_ns(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t mp_clock_process_ns(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

uint64_t mp_monotonic_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

void mp_clock_pair(uint64_t *monotonic_ns, uint64_t *realtime_ns)
{
	uint64_t best = UINT64_MAX;
	int i;

	for (i = 0; i < 8; i++) {
		uint64_t before = read_clock(CLOCK_MONOTONIC);
		uint64_t real = read_clock(CLOCK_REALTIME);
		uint64_t after = read_clock(CLOCK_MONOTONIC);

		if (after - before >= best)
			continue;
		best = after - before;
		*monotonic_ns = before + best / 2;
		*realtime_ns = real;
	}
}

void mp_rfc3339(char *to, uint64_t realtime_ns, bool local)
{
	time_t seconds = realtime_ns / MP_NS_PER_SEC;
	long minutes;
	struct tm tm;
	size_t n;

	if (local)
		localtime_r(&seconds, &tm);
	else
		gmtime_r(&seconds, &tm);
	minutes = tm.tm_gmtoff / 60;
	n = strftime(to, 24, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(to + n, MP_RFC3339_MAX - n, ".%09u%c%02ld:%02ld",
		 (unsigned)(realtime_ns % MP_NS_PER_SEC), minutes < 0 ? '-' : '+',
		 labs(minutes) / 60, labs(minutes) % 60);
}

void mp_rfc3339_brief(char *to, uint64_t realtime_ns)
{
	char *end;

	mp_rfc3339(to, realtime_ns, false);
	end = strchr(to, '.') + strlen(".000000000");
	while (end[-1] == '0')
		end--;
	if (end[-1] == '.')
		end--;
	memcpy(end, "Z", sizeof("Z"));
}

/* Parses `n` digits, not above `max`, and moves past them. False if there is something else. */
static bool parse_digits(const char **p, unsigned n, int max, int *v)
{
	*v = 0;
	for (; n; n--, (*p)++) {
		if (!isdigit((unsigned char)**p))
			return false;
		*v = *v * 10 + (**p - '0');
	}
	return *v <= max;
}

static bool parse_byte(const char **p, const char *any_of)
{
	if (!**p || !strchr(any_of, **p))
		return false;
	(*p)++;
	return true;
}

/* Parses the fraction of a second: ".5" is 500,000,000 ns, an empty text is 0. */
static bool parse_fraction(const char **p, uint32_t *ns)
{
	uint32_t digit_ns = MP_NS_PER_SEC / 10;

	*ns = 0;
	if (!parse_byte(p, "."))
		return true;
	if (!isdigit((unsigned char)**p))
		return false;
	for (; isdigit((unsigned char)**p); (*p)++, digit_ns /= 10) {
		if (!digit_ns)
			return false;
		*ns += (uint32_t)(**p - '0') * digit_ns;
	}
	return true;
}

static bool parse_zone(const char **p, int *seconds)
{
	int hours, minutes, sign = **p == '-' ? -1 : 1;

	*seconds = 0;
	if (parse_byte(p, "Zz"))
		return true;
	if (!parse_byte(p, "+-") || !parse_digits(p, 2, 23, &hours) || !parse_byte(p, ":") ||
	    !parse_digits(p, 2, 59, &minutes))
		return false;
	*seconds = sign * (hours * 3600 + minutes * 60);
	return true;
}

int mp_rfc3339_parse(const char *text, uint64_t *realtime_ns)
{
	struct tm tm = { .tm_isdst = 0 }, back;
	uint32_t ns;
	time_t t;
	int zone;

	if (!parse_digits(&text, 4, 9999, &tm.tm_year) || !parse_byte(&text, "-") ||
	    !parse_digits(&text, 2, 12, &tm.tm_mon) || !parse_byte(&text, "-") ||
	    !parse_digits(&text, 2, 31, &tm.tm_mday) || !parse_byte(&text, "Tt ") ||
	    !parse_digits(&text, 2, 23, &tm.tm_hour) || !parse_byte(&text, ":") ||
	    !parse_digits(&text, 2, 59, &tm.tm_min) || !parse_byte(&text, ":") ||
	    !parse_digits(&text, 2, 59, &tm.tm_sec) || !parse_fraction(&text, &ns) ||
	    !parse_zone(&text, &zone) || *text)
		return -1;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	back = tm;
	t = timegm(&back);
	/* timegm() has turned a date that does not exist, such as 30 February, into another */
	if (back.tm_mday != tm.tm_mday || back.tm_mon != tm.tm_mon)
		return -1;
	t -= zone;
	if (t < 0 || (uint64_t)t > INT64_MAX / MP_NS_PER_SEC - 1)
		return -1;
	*realtime_ns = (uint64_t)t * MP_NS_PER_SEC + ns;
	return 0;
}
