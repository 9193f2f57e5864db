/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What static pictures of stacks have in common: the document with title and legend, and frames as
 * rectangles with their names. Includes flame.
 */
#ifndef MP_FLAME_SVGPARTS_H
#define MP_FLAME_SVGPARTS_H

#include "lib/flame/flame.h"

enum {
	MP_FLAME_SVG_SIDE = 10, /* px beside the frames */
	MP_FLAME_SVG_TOP = 62,	/* px above them */
	MP_FLAME_SVG_ROW = 18,	/* height of a row */
};

/* A class of the style for a frame: "u0", "d8", "l23", "m" (no colour of its own). */
typedef char mp_flame_svg_class[8];

/* A picture. Zeroed but for f, to, width and height, in px. */
struct mp_flame_svg {
	const struct mp_flame *f;
	struct mp_buf *to;
	double width, height;

	/* private */
	struct mp_buf clean, shown;
};

/* Height in px of the legend, and of a note beside it; 0 if there is neither. */
double mp_flame_svg_legend_height(const struct mp_flame *f, bool note);

/* Begins the document, up to the first frame. `desc` is for a screen reader. */
void mp_flame_svg_begin(struct mp_flame_svg *p, struct mp_str desc);

/* Ends it with the legend and, if `note` is not NULL, a text beside it. */
void mp_flame_svg_end(struct mp_flame_svg *p, const char *note);

/* The class of a frame other than the root by f->colours. */
void mp_flame_svg_class_of(const struct mp_flame *f, uint32_t node, mp_flame_svg_class class);

/* What kind of code it is, or by library the name of that; "" if it is unknown. */
struct mp_str mp_flame_svg_code_of(const struct mp_flame *f, uint32_t node);

/* Draws a rectangle with its upper left corner at x, y; and the name of a frame that is so wide. */
void mp_flame_svg_rect(struct mp_flame_svg *p, const char *class, double x, double y, double width);
void mp_flame_svg_name(struct mp_flame_svg *p, struct mp_str name, double x, double y,
		       double width);

#endif
