/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The losses of events in a picture over time, by the bins of its horizontal axis, and how they are
 * drawn: a band over the interval of each loss, and a mark above it. Includes str only.
 */
#ifndef MP_DRAW_LOSSBINS_H
#define MP_DRAW_LOSSBINS_H

#include "lib/core/str.h"

struct mp_lossbins {
	size_t n;	 /* number of bins */
	uint64_t *lost;	 /* by bin: events whose loss was noticed there */
	double *from;	 /* by bin: since when, as a number of bins: 2.5 is amid the third bin */
	uint64_t *lossy; /* by bin: events of any loss that may have happened there */
	bool any;	 /* there is a loss in one of the bins */
};

/* Where the bins are in the picture, in px. */
struct mp_lossbins_place {
	double left, top, width, height;
};

void mp_lossbins_init(struct mp_lossbins *l, size_t n);
void mp_lossbins_release(struct mp_lossbins *l);

/*
 * `n` events were lost after `from` (as above; negative: before the first bin), which was noticed
 * in `bin`. Sums stop at INT64_MAX.
 */
void mp_lossbins_add(struct mp_lossbins *l, size_t bin, double from, uint64_t n);

/* Draws a band over intervals that overlap, and a mark for each; classes "lost" and "mark" of svg.h. */
void mp_lossbins_svg(const struct mp_lossbins *l, struct mp_buf *to,
		     const struct mp_lossbins_place *place);

/* Writes for a script {"3":"12"}: 12 events may have been lost in bin 3. */
void mp_lossbins_json(const struct mp_lossbins *l, struct mp_buf *to);

#endif
