/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes counts by key as a two-way table: the last field of the key makes columns, the others
 * rows. Includes output.
 */
#ifndef MP_HIST_CROSSTAB_H
#define MP_HIST_CROSSTAB_H

#include "lib/hist/output.h"

/*
 * Text has at most `top` rows (0: all) and as many columns as fit, and "other" for the rest. TSV
 * has at most `top` rows and all columns. `style->by` is that of `d`.
 */
void mp_crosstab_write_text(const struct mp_dists *d, enum mp_dist_order order, size_t top,
			    const struct mp_dist_style *style, struct mp_out *out);
void mp_crosstab_write_tsv(const struct mp_dists *d, enum mp_dist_order order, size_t top,
			   const struct mp_dist_style *style, struct mp_out *out);

#endif
