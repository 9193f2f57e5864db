// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/status.h"

#include <stdio.h>
#include <unistd.h>

#include "lib/core/clock.h"
#include "lib/stream/unit.h"

enum { EVERY_NS = 250000000 };

#define CLEAR_LINE "\r\033[K"

void mp_status_line_init(struct mp_status_line *s, bool wanted)
{
	*s = (struct mp_status_line){ .on = wanted && isatty(STDERR_FILENO) };
	s->began_ns = s->shown_ns = mp_monotonic_ns();
}

static void put(const char *text, int len)
{
	if (write(STDERR_FILENO, text, len) < 0)
		return; /* an error does not matter */
}

void mp_status_line_show(struct mp_status_line *s, uint64_t events, uint64_t lost, uint64_t files)
{
	uint64_t now;
	char text[160];
	int n;

	if (!s->on)
		return;
	now = mp_monotonic_ns();
	if (now - s->shown_ns < EVERY_NS)
		return;
	n = snprintf(text, sizeof(text), CLEAR_LINE "%.1f s, %llu events, %.0f/s, %llu lost",
		     (double)(now - s->began_ns) / 1e9, (unsigned long long)events,
		     (double)(events - s->events) * 1e9 / (double)(now - s->shown_ns),
		     (unsigned long long)lost);
	if (files)
		n += snprintf(text + n, sizeof(text) - n, ", %llu file%s",
			      (unsigned long long)files, mp_plural(files));
	put(text, n);
	s->shown_ns = now;
	s->events = events;
}

void mp_status_line_clear(struct mp_status_line *s)
{
	if (s->on)
		put(CLEAR_LINE, sizeof(CLEAR_LINE) - 1);
	s->on = false;
}
