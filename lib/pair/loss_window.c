// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/loss_window.h"

#include <stdlib.h>

struct mp_loss_window_end {
	uint64_t time_ns;
	int cpu;
	bool counted;
};

void mp_loss_window_init(struct mp_loss_window *d)
{
	*d = (struct mp_loss_window){ .ends = mp_alloc(MP_LOSS_WINDOW_KEPT * sizeof(*d->ends)) };
}

void mp_loss_window_release(struct mp_loss_window *d)
{
	free(d->ends);
	d->ends = NULL;
}

void mp_loss_window_section(struct mp_loss_window *d)
{
	d->n = 0;
	d->last_loss_ns = 0;
}

void mp_loss_window_end(struct mp_loss_window *d, uint64_t time_ns, int cpu)
{
	d->ends[d->n++ % MP_LOSS_WINDOW_KEPT] = (struct mp_loss_window_end){ time_ns, cpu, false };
}

void mp_loss_window_loss(struct mp_loss_window *d, uint64_t from_ns, uint64_t time_ns, int cpu)
{
	uint64_t kept = MP_MIN(d->n, (uint64_t)MP_LOSS_WINDOW_KEPT), i;

	if (!from_ns)
		from_ns = d->last_loss_ns;
	d->last_loss_ns = MP_MAX(d->last_loss_ns, time_ns);
	for (i = 0; i < kept; i++) {
		struct mp_loss_window_end *e = &d->ends[(d->n - 1 - i) % MP_LOSS_WINDOW_KEPT];

		if (e->time_ns <= from_ns)
			return;
		if (e->counted || e->time_ns > time_ns ||
		    (e->cpu >= 0 && cpu >= 0 && e->cpu != cpu))
			continue;
		e->counted = true;
		d->doubtful++;
	}
	d->more |= kept < d->n;
}
