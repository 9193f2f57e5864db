/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A loss is told behind the events among which it happened. What ended in between, and has been
 * written, may be wrong: this remembers when the latest ended, to count them. Includes base only.
 */
#ifndef MP_DOUBT_H
#define MP_DOUBT_H

#include "lib/core/base.h"

enum { MP_DOUBT_KEPT = 1 << 16 };

struct mp_doubt {
	struct mp_doubt_end *ends; /* a ring */
	uint64_t n;		   /* of this section */
	uint64_t last_loss_ns;	   /* likewise */
	uint64_t doubtful;	   /* all in all */
	bool more;		   /* and some that ended too long ago to be remembered */
};

void mp_doubt_init(struct mp_doubt *d);
void mp_doubt_release(struct mp_doubt *d);

/* Something ended, bound to a cpu (-1: to none); times do not go back. */
void mp_doubt_end(struct mp_doubt *d, uint64_t time_ns, int cpu);

/*
 * Events were lost, later than `from_ns` (0: not known, so since the loss before) and not later than
 * `time_ns`, on a cpu (-1: not known). What is bound to another cpu is not touched, and nothing is
 * counted twice.
 */
void mp_doubt_loss(struct mp_doubt *d, uint64_t from_ns, uint64_t time_ns, int cpu);

/* Another section, with a clock of its own. */
void mp_doubt_section(struct mp_doubt *d);

#endif
