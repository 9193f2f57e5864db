/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pictures as one self-contained SVG file: text that cannot end the element it is in, a document
 * with title, description, styles for light and dark paper, and a script. Nothing refers to another
 * file or the network. Includes palette, str.
 *
 * Names come from the traced machine and are hostile. Text of any bytes becomes well-formed UTF-8
 * of characters that XML 1.0 allows: control bytes are shown as \xHH; bytes that are not UTF-8, and
 * bidirectional controls, which reorder text, as U+FFFD.
 */
#ifndef MP_DRAW_SVG_H
#define MP_DRAW_SVG_H

#include "lib/core/str.h"
#include "lib/draw/palette.h"

/*
 * Adds text with unfit bytes replaced as described above, but not escaped: to measure or shorten
 * it.
 */
void mp_svg_clean(struct mp_buf *to, struct mp_str raw);

/* Adds text cleaned and escaped, for an element or an attribute in either quotes. */
void mp_svg_text(struct mp_buf *to, struct mp_str raw);

/*
 * Adds cleaned text as a JSON string with its quotes, for a script. It contains none of < > & ', so
 * it cannot end the script or a CDATA section, whether the SVG is a file of its own or part of
 * HTML.
 */
void mp_svg_json(struct mp_buf *to, struct mp_str raw);

/*
 * Adds `"files":["a","b"]` for lib/draw/command.js: the operands of a program, up to NULL; none if
 * one of them is standard input.
 */
void mp_svg_files(struct mp_buf *to, char *const *operands);

/* Adds a number for an attribute: at most two decimals, as short as possible. */
void mp_svg_num(struct mp_buf *to, double v);

/*
 * An upper bound of the width in px of cleaned text: by the advances of DejaVu Sans, the widest of
 * the usual sans-serif fonts; a character that is not ASCII counts as one em.
 */
double mp_svg_width(struct mp_str text, double font_px);

/* Adds cleaned text. If it is wider than `px`, "…" replaces its middle, and the result is true. */
bool mp_svg_fit(struct mp_buf *to, struct mp_str text, double px, double font_px);

/*
 * Adds a <text> of any bytes at x, y. `attrs` (static, such as "class=\"l\" text-anchor=\"end\"")
 * go into its tag. Text wider than `max_px` (0: no limit) is shortened; a <title> then has all of
 * it.
 */
void mp_svg_label(struct mp_buf *to, double x, double y, const char *attrs, struct mp_str raw,
		  double max_px, double font_px);

struct mp_svg_doc {
	double width, height; /* width and height of the picture in px */
	struct mp_str title;  /* raw: the title */
	struct mp_str desc;   /* raw: the description for a screen reader */
	const char *css;      /* more rules, for both papers; may be NULL */
	const char *dark_css; /* more rules for dark paper only; may be NULL */
};

enum { MP_SVG_FONT = 12, MP_SVG_TITLE = 16 }; /* font sizes in px: of text, and of class "title" */

/*
 * Begins the document and draws the paper. It defines these classes: "paper"; for text "title", "dim"
 * (less important), "mono"; for lines "axis", "grid"; "box" (of a tooltip);
 * "lost", "mark" (see lossbins.h).
 */
void mp_svg_begin(struct mp_buf *to, const struct mp_svg_doc *doc);

/* Adds rules ".CLASS{fill:...}" for both papers. */
void mp_svg_fill_rule(struct mp_buf *css, struct mp_buf *dark_css, const char *class,
		      const struct mp_rgb colours[MP_PAPERS]);

/*
 * Adds a script, which runs if the SVG is a document (not in <img>). `data` is JavaScript made with
 * mp_svg_json() and numbers, such as "var D={...};". `code` is static text.
 */
void mp_svg_script(struct mp_buf *to, struct mp_str data, const char *code);
void mp_svg_end(struct mp_buf *to);

#endif
