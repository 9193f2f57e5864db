/* SPDX-License-Identifier: GPL-2.0-only */
/* The statistics of a distribution, by name. Includes dist. */
#ifndef MP_HIST_STAT_H
#define MP_HIST_STAT_H

#include "lib/hist/dist.h"

/* The statistics of a distribution; a set of them has a bit for each. */
enum mp_stat {
	MP_STAT_COUNT,
	MP_STAT_SUM,
	MP_STAT_MIN,
	MP_STAT_MEAN,
	MP_STAT_STDDEV,
	MP_STAT_P50,
	MP_STAT_P90,
	MP_STAT_P99,
	MP_STAT_P999,
	MP_STAT_MAX,
	MP_STATS_ALWAYS,		/* the statistics above need no option */
	MP_STAT_OVER = MP_STATS_ALWAYS, /* how many numbers are at or above a threshold */
	MP_STAT_OVER_SHARE,		/* which part of them, from 0 to 1 */
	MP_STATS,
};

/* The name of a statistic, such as "count" or "p99.9". */
const char *mp_dist_stat_name(enum mp_stat stat);
double mp_dist_stat_of(enum mp_stat stat, const struct mp_dist *dist, bool counting);

#endif
