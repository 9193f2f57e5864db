// SPDX-License-Identifier: GPL-2.0-only
#include "lib/hist/stat.h"

#include <math.h>

static const struct {
	const char *name;
	double share; /* for percentiles: the share of numbers at or below it */
} stats[MP_STATS] = {
	[MP_STAT_COUNT] = { "count", 0 },    [MP_STAT_SUM] = { "sum", 0 },
	[MP_STAT_MIN] = { "min", 0 },	     [MP_STAT_MEAN] = { "mean", 0 },
	[MP_STAT_STDDEV] = { "stddev", 0 },  [MP_STAT_P50] = { "p50", 0.5 },
	[MP_STAT_P90] = { "p90", 0.9 },	     [MP_STAT_P99] = { "p99", 0.99 },
	[MP_STAT_P999] = { "p99.9", 0.999 }, [MP_STAT_MAX] = { "max", 0 },
	[MP_STAT_OVER] = { "over", 0 },	     [MP_STAT_OVER_SHARE] = { "over_share", 0 },
};

const char *mp_dist_stat_name(enum mp_stat stat)
{
	return stats[stat].name;
}

double mp_dist_stat_of(enum mp_stat stat, const struct mp_dist *dist, bool counting)
{
	if (counting)
		return (double)dist->n;
	switch (stat) {
	case MP_STAT_COUNT:
		return (double)dist->n;
	case MP_STAT_SUM:
		return mp_loghist_sum(&dist->hist);
	case MP_STAT_MIN:
		return dist->hist.min;
	case MP_STAT_MEAN:
		return mp_loghist_mean(&dist->hist);
	case MP_STAT_STDDEV:
		return mp_loghist_stddev(&dist->hist);
	case MP_STAT_MAX:
		return dist->hist.max;
	case MP_STAT_OVER:
		return (double)dist->over.n;
	case MP_STAT_OVER_SHARE:
		if (dist->over.of == 0)
			return 0;
		return round(1e9 * (double)dist->over.n / (double)dist->over.of) / 1e9;
	case MP_STAT_P50:
	case MP_STAT_P90:
	case MP_STAT_P99:
	case MP_STAT_P999:
		break;
	case MP_STATS:
		return 0;
	}
	return mp_loghist_percentile(&dist->hist, stats[stat].share);
}
