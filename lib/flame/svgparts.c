// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/svgparts.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/draw/svg.h"

enum {
	SIDE = MP_FLAME_SVG_SIDE,
	FRAME = MP_FLAME_SVG_ROW - 1,
	LEGEND = 34,
	TEXT_MIN = 36, /* px of a frame that has room for a name */
	PAD = 4,
	LEGEND_GAP = 16, /* px between two texts of the legend */
};

static const char kind_letters[] = "ukji";

static bool is_empty(const struct mp_flame *f)
{
	return f->tree->nodes[0].total == 0;
}

/* --- style ------------------------------------------------------------------------------------ */

/* The class of a step of a difference: "d0" (much less) to "d8". */
static void step_class(mp_flame_svg_class class, int step)
{
	snprintf(class, sizeof(mp_flame_svg_class), "d%c", '0' + step + MP_CHANGES);
}

/* The class of a slot of the libraries: "l0" to "l23", or "m". */
static void slot_class(mp_flame_svg_class class, unsigned slot)
{
	snprintf(class, sizeof(mp_flame_svg_class), slot < MP_SLOTS ? "l%u" : "m", slot);
}

static void add_change_rules(struct mp_buf *css, struct mp_buf *dark_css)
{
	struct mp_rgb colours[MP_PAPERS];
	mp_flame_svg_class class;
	unsigned paper;
	int step;

	for (step = -MP_CHANGES; step <= MP_CHANGES; step++) {
		for (paper = 0; paper < MP_PAPERS; paper++)
			colours[paper] = mp_palette_change(step, paper);
		step_class(class, step);
		mp_svg_fill_rule(css, dark_css, class, colours);
	}
}

static void add_library_rules(struct mp_buf *css, struct mp_buf *dark_css)
{
	struct mp_rgb colours[MP_PAPERS];
	mp_flame_svg_class class;
	unsigned slot, paper;

	for (slot = 0; slot < MP_SLOTS; slot++) {
		for (paper = 0; paper < MP_PAPERS; paper++)
			colours[paper] = mp_palette_area(slot, paper);
		slot_class(class, slot);
		mp_svg_fill_rule(css, dark_css, class, colours);
	}
}

/* Adds rules for the classes of frames: "u0" (user, shade 0) to "i3"; "m" for joined frames. */
static void add_rules(struct mp_buf *css, struct mp_buf *dark_css)
{
	struct mp_rgb colours[MP_PAPERS];
	unsigned kind, shade, paper;
	mp_flame_svg_class class;

	for (kind = 0; kind < MP_FLAME_KINDS; kind++) {
		for (shade = 0; shade < MP_SHADES; shade++) {
			for (paper = 0; paper < MP_PAPERS; paper++)
				colours[paper] = mp_palette_tint(kind, shade, paper);
			snprintf(class, sizeof(class), "%c%u", kind_letters[kind], shade);
			mp_svg_fill_rule(css, dark_css, class, colours);
		}
	}
	for (paper = 0; paper < MP_PAPERS; paper++)
		colours[paper] = mp_palette_other(paper);
	mp_svg_fill_rule(css, dark_css, "m", colours);
}

void mp_flame_svg_class_of(const struct mp_flame *f, uint32_t node, mp_flame_svg_class class)
{
	struct mp_frame frame;
	unsigned colour;

	switch (f->colours) {
	case MP_FLAME_BY_CHANGE:
		step_class(class, mp_flame_sides_step_of(f->sides, node));
		return;
	case MP_FLAME_BY_LIBRARY:
		slot_class(class, f->libraries->slots[f->libraries->of[f->tree->nodes[node].name]]);
		return;
	default:
		frame = mp_tree_frame(f->tree, node);
		colour = mp_flame_colour(f, &frame);
		snprintf(class, sizeof(mp_flame_svg_class), "%c%u",
			 kind_letters[colour / MP_SHADES], colour % MP_SHADES);
	}
}

struct mp_str mp_flame_svg_code_of(const struct mp_flame *f, uint32_t node)
{
	enum mp_flame_kind kind = mp_flame_kind_of(mp_tree_frame(f->tree, node).mark);
	uint32_t library = MP_FLAME_NO_LIBRARY;

	if (f->colours == MP_FLAME_BY_LIBRARY)
		library = f->libraries->of[f->tree->nodes[node].name];
	if (library != MP_FLAME_NO_LIBRARY)
		return f->libraries->names[library];
	return mp_str(kind == MP_FLAME_USER ? "" : mp_flame_kind_name(kind));
}

/* --- frames ----------------------------------------------------------------------------------- */

/* Writes an attribute of an element, with a blank before it. */
static void put_attribute(struct mp_buf *to, const char *name, double value)
{
	mp_buf_printf(to, " %s=\"", name);
	mp_svg_num(to, value);
	mp_buf_byte(to, '"');
}

void mp_flame_svg_rect(struct mp_flame_svg *p, const char *class, double x, double y, double width)
{
	mp_buf_printf(p->to, "<rect class=\"%s\"", class);
	put_attribute(p->to, "x", x);
	put_attribute(p->to, "y", y);
	put_attribute(p->to, "width", MP_MAX(width - 0.5, 0.5));
	mp_buf_printf(p->to, " height=\"%d\"/>", FRAME);
}

void mp_flame_svg_name(struct mp_flame_svg *p, struct mp_str name, double x, double y, double width)
{
	if (width < TEXT_MIN)
		return;
	p->clean.len = p->shown.len = 0;
	mp_svg_clean(&p->clean, name);
	mp_svg_fit(&p->shown, mp_buf_view(&p->clean), width - 2 * PAD, MP_SVG_FONT);
	mp_buf_printf(p->to, "<text");
	put_attribute(p->to, "x", x + PAD);
	put_attribute(p->to, "y", y + 13);
	mp_buf_byte(p->to, '>');
	mp_svg_text(p->to, mp_buf_view(&p->shown));
	mp_buf_printf(p->to, "</text>");
}

/* --- legend ----------------------------------------------------------------------------------- */

/* Draws a sample of a colour in the legend, with what it means as its tooltip. */
static void draw_swatch(struct mp_flame_svg *p, double x, const char *class, struct mp_str what)
{
	mp_buf_printf(p->to, "<rect class=\"%s\"", class);
	put_attribute(p->to, "x", x);
	put_attribute(p->to, "y", p->height - 22);
	mp_buf_printf(p->to, " width=\"12\" height=\"12\"><title>");
	mp_svg_text(p->to, what);
	mp_buf_printf(p->to, "</title></rect>\n");
}

/* Writes text in the legend. Returns where it ends. */
static double draw_meaning(struct mp_flame_svg *p, double x, struct mp_str text)
{
	mp_svg_label(p->to, x, p->height - 12, "class=\"dim\"", text, p->width - SIDE - x,
		     MP_SVG_FONT);
	return x + mp_svg_width(text, MP_SVG_FONT);
}

/* Draws the legend of the kinds of code. */
static void draw_kinds(struct mp_flame_svg *p, unsigned kinds)
{
	mp_flame_svg_class class;
	double x = SIDE;
	unsigned kind;

	for (kind = 0; kind < MP_FLAME_KINDS; kind++) {
		struct mp_str name = mp_str(mp_flame_kind_name(kind));

		if (!(kinds & 1u << kind))
			continue;
		snprintf(class, sizeof(class), "%c1", kind_letters[kind]);
		draw_swatch(p, x, class, name);
		x = draw_meaning(p, x + 18, name) + LEGEND_GAP;
	}
}

/* Draws the legend of the differences. */
static void draw_changes(struct mp_flame_svg *p)
{
	bool counts = p->f->sides->counts;
	struct mp_str none = mp_str(mp_flame_step_name(0, counts));
	double x = draw_meaning(p, SIDE, MP_STR("less")) + 6;
	mp_flame_svg_class class;
	int step;

	for (step = -MP_CHANGES; step <= MP_CHANGES; step++, x += 13) {
		step_class(class, step);
		draw_swatch(p, x, class, mp_str(mp_flame_step_name(step, counts)));
	}
	x = draw_meaning(p, x + 6, MP_STR("more")) + LEGEND_GAP;
	step_class(class, 0);
	draw_swatch(p, x, class, none);
	draw_meaning(p, x + 18, none);
}

/* A library with the weight of its frames. */
struct weighed {
	size_t library;
	double weight;
};

static int heavier(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x->library < y->library ? -1 : x->library > y->library;
}

/* Draws the legend of the heaviest libraries, as many as have room. */
static void draw_libraries(struct mp_flame_svg *p, double right)
{
	const struct mp_flame_libraries *l = p->f->libraries;
	const struct mp_tree *t = p->f->tree;
	struct weighed *v = mp_zalloc(l->n * sizeof(*v));
	mp_flame_svg_class class;
	double x = SIDE;
	size_t i;

	for (i = 0; i < l->n; i++)
		v[i].library = i;
	for (i = 1; i < t->n; i++)
		v[l->of[t->nodes[i].name]].weight += (double)t->nodes[i].total;
	qsort(v, l->n, sizeof(*v), heavier);
	for (i = 0; i < l->n && v[i].weight > 0; i++) {
		struct mp_str name = l->names[v[i].library];

		p->clean.len = 0;
		mp_svg_clean(&p->clean, name);
		if (x + 18 + mp_svg_width(mp_buf_view(&p->clean), MP_SVG_FONT) > right)
			continue;
		slot_class(class, l->slots[v[i].library]);
		draw_swatch(p, x, class, name);
		x = draw_meaning(p, x + 18, mp_buf_view(&p->clean)) + LEGEND_GAP;
	}
	free(v);
}

/* The kinds of frames that the legend names, as a set of bits; 0: it has none. */
static unsigned legend_kinds(const struct mp_flame *f)
{
	unsigned kinds =
		is_empty(f) || f->colours != MP_FLAME_BY_KIND ? 0 : mp_flame_kinds(f->tree);

	return kinds & (kinds - 1) ? kinds : 0;
}

static bool has_legend(const struct mp_flame *f)
{
	bool others = f->colours == MP_FLAME_BY_CHANGE || f->colours == MP_FLAME_BY_LIBRARY;

	return legend_kinds(f) || (others && !is_empty(f));
}

double mp_flame_svg_legend_height(const struct mp_flame *f, bool note)
{
	return note || has_legend(f) ? LEGEND : 0;
}

/* --- the document ----------------------------------------------------------------------------- */

void mp_flame_svg_begin(struct mp_flame_svg *p, struct mp_str desc)
{
	struct mp_buf css = { NULL, 0, 0 }, dark = { NULL, 0, 0 };
	double room = p->width - 2 * SIDE;

	add_rules(&css, &dark);
	if (p->f->colours == MP_FLAME_BY_CHANGE)
		add_change_rules(&css, &dark);
	if (p->f->colours == MP_FLAME_BY_LIBRARY)
		add_library_rules(&css, &dark);
	mp_buf_printf(&css, "#frames text{pointer-events:none}");
	mp_buf_byte(&css, '\0');
	mp_buf_byte(&dark, '\0');
	mp_svg_begin(p->to, &(struct mp_svg_doc){
				    .width = p->width,
				    .height = p->height,
				    .title = p->f->title,
				    .desc = desc,
				    .css = css.p,
				    .dark_css = dark.p,
			    });
	mp_svg_label(p->to, SIDE, 26, "class=\"title\"", p->f->title, room, MP_SVG_TITLE);
	mp_svg_label(p->to, SIDE, 47, "class=\"dim\"",
		     is_empty(p->f) ? p->f->nothing : p->f->subtitle, room, MP_SVG_FONT);
	if (!is_empty(p->f))
		mp_buf_printf(p->to, "<g id=\"frames\">\n");
	mp_buf_release(&css);
	mp_buf_release(&dark);
}

void mp_flame_svg_end(struct mp_flame_svg *p, const char *note)
{
	unsigned kinds = legend_kinds(p->f);
	double right = note ? p->width / 2 : p->width - SIDE;

	if (!is_empty(p->f))
		mp_buf_printf(p->to, "</g>\n");
	if (kinds)
		draw_kinds(p, kinds);
	else if (has_legend(p->f) && p->f->colours == MP_FLAME_BY_CHANGE)
		draw_changes(p);
	else if (has_legend(p->f))
		draw_libraries(p, right);
	if (note)
		mp_svg_label(p->to, p->width - SIDE, p->height - 12,
			     "class=\"dim\" text-anchor=\"end\"", mp_str(note), p->width / 2 - SIDE,
			     MP_SVG_FONT);
	mp_svg_end(p->to);
	mp_buf_release(&p->clean);
	mp_buf_release(&p->shown);
}
