/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pictures as one self-contained SVG file: text that cannot break out of where it stands, a
 * document with title, description, styles for light and dark paper, scripts. Nothing refers to
 * another file or the network. Includes palette, str.
 *
 * Names come from the traced machine and are hostile. Text of any bytes becomes well-formed UTF-8
 * of characters that XML 1.0 allows: control bytes are shown as \xHH, what is no UTF-8 (and what
 * reorders text: the bidirectional controls) as U+FFFD.
 */
#ifndef MP_DRAW_SVG_H
#define MP_DRAW_SVG_H

#include "lib/draw/palette.h"
#include "lib/core/str.h"

/* Cleaned as above, not yet escaped: for what measures or shortens text. */
void mp_svg_clean(struct mp_buf *to, struct mp_str raw);

/* Cleaned and escaped, for the text of an element and for an attribute in either quotes. */
void mp_svg_text(struct mp_buf *to, struct mp_str raw);

/*
 * Cleaned, as a JSON string with its quotes, for a script: holds none of < > & ' and so ends
 * neither the script nor a CDATA section, whether the SVG is a file of its own or stands in HTML.
 */
void mp_svg_json(struct mp_buf *to, struct mp_str raw);

/* A number for an attribute: at most two decimals, as short as it can be. */
void mp_svg_num(struct mp_buf *to, double v);

/*
 * Width in px of cleaned text at a font size, from above: by the advances of DejaVu Sans, the
 * widest of the usual sans-serif fonts; what is not ASCII counts as one em.
 */
double mp_svg_width(struct mp_str text, double font_px);

/* Adds cleaned text to `to`, with "…" for its middle if it is wider than `px`. True if it is. */
bool mp_svg_fit(struct mp_buf *to, struct mp_str text, double px, double font_px);

/*
 * A <text> of any bytes at x, y: `attrs` (static, such as "class=\"l\" text-anchor=\"end\"") goes
 * into its tag. Wider than `max_px` (0: no limit) it is shortened, with the whole in a <title>.
 */
void mp_svg_label(struct mp_buf *to, double x, double y, const char *attrs, struct mp_str raw,
		  double max_px, double font_px);

struct mp_svg_doc {
	double width, height; /* px */
	struct mp_str title;  /* raw */
	struct mp_str desc;   /* raw: what a screen reader says of the picture */
	const char *css;      /* more rules, both papers; may be NULL */
	const char *dark_css; /* more rules for dark paper only; may be NULL */
};

enum { MP_SVG_FONT = 12, MP_SVG_TITLE = 16 }; /* px of text, and of class "title" */

/*
 * Everything up to the first shape, with the paper. Classes that are there: "paper"; text: "title",
 * "dim" (less important), "mono"; lines: "axis", "grid"; "box" (of a tooltip); text that is
 * nothing else is ink.
 */
void mp_svg_begin(struct mp_buf *to, const struct mp_svg_doc *doc);

/* Rules ".CLASS{fill:...}" for both papers: call while css and dark_css are made. */
void mp_svg_fill_rule(struct mp_buf *css, struct mp_buf *dark_css, const char *class,
		      const struct mp_rgb colours[MP_PAPERS]);

/*
 * A script, which runs where the SVG is a document (not in <img>). `data` is what
 * mp_svg_json() and numbers were put together to: JavaScript, such as "var D={...};". `code` is
 * static text.
 */
void mp_svg_script(struct mp_buf *to, struct mp_str data, const char *code);
void mp_svg_end(struct mp_buf *to);

#endif
