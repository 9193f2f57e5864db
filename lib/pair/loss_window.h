/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A loss is told behind the events among which it happened. What ended in between, and has been
 * written, may be wrong: this remembers when the latest ended, to count them. Includes base only.
 */
#ifndef MP_PAIR_LOSS_WINDOW_H
#define MP_PAIR_LOSS_WINDOW_H

#include "lib/core/base.h"

enum { MP_LOSS_WINDOW_KEPT = 1 << 16 };

struct mp_loss_window {
	struct mp_loss_window_end *ends; /* a ring */
	uint64_t n;			 /* of this section */
	uint64_t last_loss_ns;		 /* likewise */
	uint64_t doubtful;		 /* all in all */
	bool more;			 /* and some that ended too long ago to be remembered */
};

void mp_loss_window_init(struct mp_loss_window *d);
void mp_loss_window_release(struct mp_loss_window *d);

/* Something ended, bound to a cpu (-1: to none); times do not go back. */
void mp_loss_window_end(struct mp_loss_window *d, uint64_t time_ns, int cpu);

/*
 * Events were lost, later than `from_ns` (0: not known, so since the loss before) and not later than
 * `time_ns`, on a cpu (-1: not known). What is bound to another cpu is not touched, and nothing is
 * counted twice.
 */
void mp_loss_window_loss(struct mp_loss_window *d, uint64_t from_ns, uint64_t time_ns, int cpu);

/* Another section, with a clock of its own. */
void mp_loss_window_section(struct mp_loss_window *d);

#endif
