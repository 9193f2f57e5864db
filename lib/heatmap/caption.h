/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The texts of a heat map, for all forms of output. They are raw, not escaped, and contain names.
 * Includes heat.
 */
#ifndef MP_HEATMAP_CAPTION_H
#define MP_HEATMAP_CAPTION_H

#include "lib/heatmap/heat.h"

/* A sum of the weight with its unit: "1,234" or "1.23 ms". */
void mp_heat_put_sum(struct mp_buf *to, const struct mp_heat *h, uint64_t sum);

/* Writes the default title: "Latency of block requests over time". */
void mp_heat_title(struct mp_buf *to, const struct mp_heat_info *info);

/* The line below the title: the number of records, and the width of a column. */
void mp_heat_subtitle(struct mp_buf *to, const struct mp_heat *h);

/* The title of an axis, such as "time since 2026-11-20T09:19:00Z". */
void mp_heat_axis_title(struct mp_buf *to, const struct mp_heat *h, const struct mp_bins *bins,
			const struct mp_heat_axis *axis);

/*
 * Adds what the cells of the map do not show, each as a line with LF: the overflow, lost events,
 * records that could not be placed.
 */
void mp_heat_notes(struct mp_buf *to, const struct mp_heat *h);

/* The label of an overflow bin: "≥ 20 ms" above, "< 1 ms" below, "other" of names. */
void mp_heat_beyond(struct mp_buf *to, const struct mp_bins *bins, const struct mp_heat_axis *axis,
		    bool above);

/* A description in sentences, for people who cannot see the picture. */
void mp_heat_describe(struct mp_buf *to, const struct mp_heat *h);

#endif
