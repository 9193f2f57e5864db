/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a heat map says in words, for all ways to draw it. Raw text, not escaped: names are in it.
 * Includes heat.
 */
#ifndef MP_HEATMAP_CAPTION_H
#define MP_HEATMAP_CAPTION_H

#include "lib/heatmap/heat.h"

/* "1,234,567" */
void mp_heat_put_count(struct mp_buf *to, uint64_t n);

/* A sum of the weight with its unit: "1,234" or "1.23 ms". */
void mp_heat_put_sum(struct mp_buf *to, const struct mp_heat *h, uint64_t sum);

/* "dur of block:block_rq_complete over time": what is seen if no --title is given. */
void mp_heat_title(struct mp_buf *to, const struct mp_heat_info *info);

/* A line below it: how many, and how large a cell is. */
void mp_heat_subtitle(struct mp_buf *to, const struct mp_heat *h);

/* What an axis is called, "time since 2026-11-20T09:19:00Z" and the like. */
void mp_heat_axis_title(struct mp_buf *to, const struct mp_heat *h, const struct mp_bins *bins,
			const struct mp_heat_axis *axis);

/*
 * Each thing that is not drawn as a cell of the map, as a line with LF: what is in the overflow,
 * lost, skipped.
 */
void mp_heat_notes(struct mp_buf *to, const struct mp_heat *h);

/* "> 20 ms": the bin above the last (or "< ...", below the first; names: "other"). */
void mp_heat_beyond(struct mp_buf *to, const struct mp_bins *bins, const struct mp_heat_axis *axis,
		    bool above);

/* The whole in sentences, for those who do not see it. */
void mp_heat_describe(struct mp_buf *to, const struct mp_heat *h);

#endif
