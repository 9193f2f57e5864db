/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The report of a loss follows the events among which it happened. Spans that ended among them have
 * been written already and may be wrong. This keeps the latest ends of spans, to count the doubtful
 * ones. Includes base only.
 */
#ifndef MP_PAIR_LOSS_WINDOW_H
#define MP_PAIR_LOSS_WINDOW_H

#include "lib/core/base.h"

enum { MP_LOSS_WINDOW_KEPT = 1 << 16 };

struct mp_loss_window {
	struct mp_loss_window_end *ends; /* the latest ends, in a ring */
	uint64_t n;			 /* ends in this section */
	uint64_t last_loss_ns;		 /* time of the last loss in this section */
	uint64_t doubtful;		 /* number of spans that may be wrong, in all sections */
	/* there may be more: spans whose ends are no longer kept */
	bool more;
};

void mp_loss_window_init(struct mp_loss_window *d);
void mp_loss_window_release(struct mp_loss_window *d);

/*
 * Notes that a span has ended. `cpu` is the CPU in its key, -1 if there is none. Times do not go
 * back.
 */
void mp_loss_window_end(struct mp_loss_window *d, uint64_t time_ns, int cpu);

/*
 * Notes that events were lost, later than `from_ns` (0: unknown, so since the previous loss) and
 * not later than `time_ns`, on a CPU (-1: unknown). Spans whose key contains another cpu are not
 * doubtful, and no span is counted twice.
 */
void mp_loss_window_loss(struct mp_loss_window *d, uint64_t from_ns, uint64_t time_ns, int cpu);

/* Notes that another section begins, with a clock of its own. */
void mp_loss_window_section(struct mp_loss_window *d);

#endif
