/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How one axis of a heat map is cut: its range, so that outliers do not crush it, and the edges of
 * its bins, on lines of the grid. Includes heat.
 */
#ifndef MP_HEATMAP_BINS_H
#define MP_HEATMAP_BINS_H

#include "lib/heatmap/heat.h"

/*
 * `totals` has what each slot of the lines holds. `wanted` bins; `overflow` and `log_scale` as in
 * the style. The lines hold something.
 */
void mp_bins_make(struct mp_bins *b, const struct mp_lines *lines, const uint64_t *totals,
		  const struct mp_heat_axis *axis, size_t wanted, double overflow, bool log_scale);
void mp_bins_release(struct mp_bins *b);

#endif
