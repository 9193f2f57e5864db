// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/flamesvg.h"

#include <stdio.h>

enum {
	SIDE = 10,
	TOP = 62,
	ROW = 18,
	FRAME = ROW - 1,
	LEGEND = 34,
	TEXT_MIN = 36, /* px of a frame that has room for a name */
	PAD = 4,
};

static const double MIN_PX = 1;
static const char kind_letters[] = "ukji";

struct picture {
	const struct mp_flame *f;
	struct mp_buf *to;
	double width, plot, height;
	double px; /* per unit of weight */
	size_t rows;
	bool deeper; /* there are frames beyond the last row */
	struct mp_buf clean, shown;
};

/* A run of narrow siblings. */
struct run {
	int64_t at, weight;
	uint64_t n;
	size_t depth;
};

/* Adds rules for the classes of frames: "u0" (user, shade 0) to "i3"; "m" for joined frames. */
static void add_rules(struct mp_buf *css, struct mp_buf *dark_css)
{
	struct mp_rgb colours[MP_PAPERS];
	unsigned kind, shade, paper;
	char class[8];

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

static bool is_narrow(const struct picture *p, int64_t weight)
{
	return (double)weight * p->px < MIN_PX;
}

/* How many rows there are with a frame that is wide enough. */
static void count_rows(struct picture *p)
{
	const struct mp_tree *t = p->f->tree;
	struct mp_tree_walk w = { .node = 0 };
	bool enter = true;

	p->rows = 1;
	while (mp_tree_step(t, &w, enter)) {
		enter = !is_narrow(p, t->nodes[w.node].total);
		if (!enter && p->rows > w.depth)
			continue;
		p->deeper |= w.depth >= MP_FLAMESVG_ROWS;
		enter &= w.depth < MP_FLAMESVG_ROWS;
		p->rows = MP_MIN(MP_MAX(p->rows, w.depth + 1), (size_t)MP_FLAMESVG_ROWS);
	}
}

static double y_of(const struct picture *p, size_t depth)
{
	size_t row = p->f->icicle ? depth : p->rows - 1 - depth;

	return TOP + (double)row * ROW;
}

static void put_attribute(struct mp_buf *to, const char *name, double value)
{
	mp_buf_printf(to, " %s=\"", name);
	mp_svg_num(to, value);
	mp_buf_byte(to, '"');
}

static void put_rect(struct picture *p, const char *class, double x, double y, double width)
{
	mp_buf_printf(p->to, "<rect class=\"%s\"", class);
	put_attribute(p->to, "x", x);
	put_attribute(p->to, "y", y);
	put_attribute(p->to, "width", MP_MAX(width - 0.5, 0.5));
	mp_buf_printf(p->to, " height=\"%d\"/>", FRAME);
}

static void put_weight(struct picture *p, int64_t weight)
{
	char text[MP_UNIT_MAX];

	mp_flame_put_weight(text, p->f, weight);
	mp_svg_text(p->to, mp_str(text));
	mp_buf_printf(p->to, ", %.2f %%", mp_flame_percent(p->f, weight));
}

/* Draws a frame; `class` has its colour. */
static void draw_frame(struct picture *p, const struct mp_tree_walk *w, struct mp_str name,
		       const char *class, const char *kind)
{
	const struct mp_tree_node *node = &p->f->tree->nodes[w->node];
	double x = SIDE + (double)w->at * p->px, y = y_of(p, w->depth);
	double width = (double)node->total * p->px;

	mp_buf_printf(p->to, "<g><title>");
	mp_svg_text(p->to, name);
	mp_buf_printf(p->to, "\n");
	put_weight(p, node->total);
	if (node->self && node->self != node->total) {
		mp_buf_printf(p->to, "; itself ");
		put_weight(p, node->self);
	}
	mp_buf_printf(p->to, "%s%s</title>", *kind ? "; " : "", kind);
	put_rect(p, class, x, y, width);
	if (width >= TEXT_MIN) {
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
	mp_buf_printf(p->to, "</g>\n");
}

static void draw_run(struct picture *p, struct run *r)
{
	double width = (double)r->weight * p->px;

	if (r->n && width >= 0.1) {
		mp_buf_printf(p->to, "<g><title>%llu frame%s narrower than 1 px\n",
			      (unsigned long long)r->n, mp_plural(r->n));
		put_weight(p, r->weight);
		mp_buf_printf(p->to, "</title>");
		put_rect(p, "m", SIDE + (double)r->at * p->px, y_of(p, r->depth), width);
		mp_buf_printf(p->to, "</g>\n");
	}
	r->n = 0;
}

static void draw_root(struct picture *p)
{
	struct mp_tree_walk w = { .node = 0 };

	draw_frame(p, &w, MP_STR("all"), "m", "");
}

static void draw_frames(struct picture *p)
{
	const struct mp_tree *t = p->f->tree;
	struct mp_tree_walk w = { .node = 0 };
	struct run run = { .n = 0 };
	bool enter = true;
	char class[8];

	draw_root(p);
	while (mp_tree_step(t, &w, enter)) {
		const struct mp_tree_node *node = &t->nodes[w.node];
		struct mp_frame frame = mp_tree_frame(t, w.node);
		enum mp_flame_kind kind = mp_flame_kind_of(frame.mark);
		unsigned colour;

		enter = w.depth < p->rows && !is_narrow(p, node->total);
		if (run.n && (enter || run.depth != w.depth || run.at + run.weight != w.at))
			draw_run(p, &run);
		if (w.depth >= p->rows)
			continue;
		if (!enter) {
			if (run.n++ == 0)
				run = (struct run){ w.at, 0, 1, w.depth };
			run.weight += node->total;
			continue;
		}
		colour = mp_flame_colour(p->f, &frame);
		snprintf(class, sizeof(class), "%c%u", kind_letters[colour / MP_SHADES],
			 colour % MP_SHADES);
		draw_frame(p, &w, mp_flame_shown(frame.name), class,
			   kind == MP_FLAME_USER ? "" : mp_flame_kind_name(kind));
	}
	draw_run(p, &run);
}

/* Says which colour is which kind of code, if there are several. */
static void draw_legend(struct picture *p, unsigned kinds)
{
	double x = SIDE, y = p->height - 22;
	unsigned kind;
	char class[8];

	for (kind = 0; kind < MP_FLAME_KINDS; kind++) {
		struct mp_str name = mp_str(mp_flame_kind_name(kind));

		if (!(kinds & 1u << kind))
			continue;
		snprintf(class, sizeof(class), "%c1", kind_letters[kind]);
		mp_buf_printf(p->to, "<rect class=\"%s\"", class);
		put_attribute(p->to, "x", x);
		put_attribute(p->to, "y", y);
		mp_buf_printf(p->to, " width=\"12\" height=\"12\"/>");
		mp_svg_label(p->to, x + 18, y + 10, "class=\"dim\"", name, 0, MP_SVG_FONT);
		x += 18 + mp_svg_width(name, MP_SVG_FONT) + 16;
	}
}

static void describe(const struct picture *p, struct mp_buf *to)
{
	if (p->f->tree->nodes[0].total == 0) {
		mp_buf_str(to, p->f->nothing);
		return;
	}
	mp_buf_str(to, p->f->subtitle);
	mp_buf_printf(to, ". Flame graph of %zu rows; the root is at the %s.", p->rows,
		      p->f->icicle ? "top" : "bottom");
}

static void draw(struct picture *p, unsigned kinds)
{
	struct mp_buf css = { NULL, 0, 0 }, dark = { NULL, 0, 0 }, text = { NULL, 0, 0 };
	double room = p->width - 2 * SIDE;
	bool empty = p->f->tree->nodes[0].total == 0;

	add_rules(&css, &dark);
	mp_buf_printf(&css, "#frames text{pointer-events:none}");
	mp_buf_byte(&css, '\0');
	mp_buf_byte(&dark, '\0');
	describe(p, &text);
	mp_svg_begin(p->to, &(struct mp_svg_doc){
				    .width = p->width,
				    .height = p->height,
				    .title = p->f->title,
				    .desc = mp_buf_view(&text),
				    .css = css.p,
				    .dark_css = dark.p,
			    });
	mp_svg_label(p->to, SIDE, 26, "class=\"title\"", p->f->title, room, MP_SVG_TITLE);
	mp_svg_label(p->to, SIDE, 47, "class=\"dim\"", empty ? p->f->nothing : p->f->subtitle, room,
		     MP_SVG_FONT);
	if (!empty) {
		mp_buf_printf(p->to, "<g id=\"frames\">\n");
		draw_frames(p);
		mp_buf_printf(p->to, "</g>\n");
	}
	if (kinds & (kinds - 1))
		draw_legend(p, kinds);
	if (p->deeper)
		mp_svg_label(p->to, p->width - SIDE, p->height - 12,
			     "class=\"dim\" text-anchor=\"end\"",
			     MP_STR("frames farther from the root are not drawn"), room / 2,
			     MP_SVG_FONT);
	mp_svg_end(p->to);
	mp_buf_release(&css);
	mp_buf_release(&dark);
	mp_buf_release(&text);
}

void mp_flamesvg(struct mp_buf *to, const struct mp_flame *f, double width)
{
	int64_t total = f->tree->nodes[0].total;
	struct picture p = { .f = f, .to = to, .width = width, .plot = width - 2 * SIDE };
	unsigned kinds = total && !f->by_name ? mp_flame_kinds(f->tree) : 0;

	if (total) {
		p.px = p.plot / (double)total;
		count_rows(&p);
	}
	p.height = TOP + (double)p.rows * ROW + SIDE;
	if ((kinds & (kinds - 1)) || p.deeper)
		p.height += LEGEND;
	draw(&p, kinds);
	mp_buf_release(&p.clean);
	mp_buf_release(&p.shown);
}
