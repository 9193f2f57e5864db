/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Draws a heat map as text for a terminal. Includes heat, palette.
 */
#ifndef MP_HEATMAP_HEATASCII_H
#define MP_HEATMAP_HEATASCII_H

#include "lib/draw/palette.h"
#include "lib/heatmap/heat.h"

enum mp_ansi {
	MP_ANSI_NONE, /* text has only ASCII characters, except in names */
	MP_ANSI_256,
	MP_ANSI_TRUE,
};

/* The colours of a terminal with this $TERM and $COLORTERM (NULL: not set). */
enum mp_ansi mp_heat_ansi_of(const char *term, const char *colorterm);

/*
 * How many bins fit into `width` columns and `height` lines of a terminal; for struct
 * mp_heat_style.
 */
void mp_heat_ascii_bins(size_t width, size_t height, size_t *columns, size_t *rows);

void mp_heat_ascii(struct mp_buf *to, const struct mp_heat *h, struct mp_str title,
		   enum mp_ansi ansi, const struct mp_palette *palette, size_t width);

#endif
