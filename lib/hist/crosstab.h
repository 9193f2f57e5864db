/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counts by key as a table of two ways: the last field of the key goes across, the others down.
 * Includes distout.
 */
#ifndef MP_HIST_CROSSTAB_H
#define MP_HIST_CROSSTAB_H

#include "lib/hist/output.h"

/*
 * As text: at most `top` rows (0: all), and as many columns as fit; what does not is in "other". As
 * TSV: at most `top` rows, all columns. `style->by` is that of `d`.
 */
void mp_crosstab_write_text(const struct mp_dists *d, enum mp_dist_order order, size_t top,
			    const struct mp_dist_style *style, struct mp_out *out);
void mp_crosstab_write_tsv(const struct mp_dists *d, enum mp_dist_order order, size_t top,
			   const struct mp_dist_style *style, struct mp_out *out);

#endif
