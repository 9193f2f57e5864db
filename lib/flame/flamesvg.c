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
	int64_t side[MP_FLAME_SIDES]; /* weights of both sides, if there are some */
	uint64_t n;
	size_t depth;
};

/* The class of a step of a difference: "d0" (much less) to "d8". */
static void step_class(char class[8], int step)
{
	snprintf(class, 8, "d%c", '0' + step + MP_CHANGES);
}

static void add_change_rules(struct mp_buf *css, struct mp_buf *dark_css)
{
	struct mp_rgb colours[MP_PAPERS];
	unsigned paper;
	char class[8];
	int step;

	for (step = -MP_CHANGES; step <= MP_CHANGES; step++) {
		for (paper = 0; paper < MP_PAPERS; paper++)
			colours[paper] = mp_palette_change(step, paper);
		step_class(class, step);
		mp_svg_fill_rule(css, dark_css, class, colours);
	}
}

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

/* Writes a weight, or those of both sides. */
static void put_weight(struct picture *p, int64_t weight, int64_t before, int64_t after)
{
	char text[MP_UNIT_MAX];

	p->clean.len = 0;
	if (p->f->sides) {
		mp_flame_put_sides(&p->clean, p->f, before, after);
	} else {
		mp_flame_put_weight(text, p->f, weight);
		mp_buf_printf(&p->clean, "%s, %.2f %%", text, mp_flame_percent(p->f, weight));
	}
	mp_svg_text(p->to, mp_buf_view(&p->clean));
}

/* Writes the weights of a node: its total, or its own. */
static void put_weight_of(struct picture *p, uint32_t i, bool own)
{
	const struct mp_tree_node *node = &p->f->tree->nodes[i];
	const struct mp_flame_side *side = p->f->sides ? p->f->sides->side : NULL;

	if (!side)
		put_weight(p, own ? node->self : node->total, 0, 0);
	else if (own)
		put_weight(p, 0, side[MP_FLAME_BEFORE].self[i], side[MP_FLAME_AFTER].self[i]);
	else
		put_weight(p, 0, side[MP_FLAME_BEFORE].total[i], side[MP_FLAME_AFTER].total[i]);
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
	put_weight_of(p, w->node, false);
	if (node->self && node->self != node->total) {
		mp_buf_printf(p->to, "; itself ");
		put_weight_of(p, w->node, true);
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
		put_weight(p, r->weight, r->side[MP_FLAME_BEFORE], r->side[MP_FLAME_AFTER]);
		mp_buf_printf(p->to, "</title>");
		put_rect(p, "m", SIDE + (double)r->at * p->px, y_of(p, r->depth), width);
		mp_buf_printf(p->to, "</g>\n");
	}
	r->n = 0;
}

static bool by_change(const struct picture *p)
{
	return p->f->colours == MP_FLAME_BY_CHANGE;
}

static void draw_root(struct picture *p)
{
	struct mp_tree_walk w = { .node = 0 };
	char class[8] = "m";

	if (by_change(p))
		step_class(class, mp_flame_sides_step_of(p->f->sides, 0));
	draw_frame(p, &w, MP_STR("all"), class, "");
}

/* Draws a frame that is not the root. */
static void draw_node(struct picture *p, const struct mp_tree_walk *w)
{
	struct mp_frame frame = mp_tree_frame(p->f->tree, w->node);
	enum mp_flame_kind kind = mp_flame_kind_of(frame.mark);
	unsigned colour = mp_flame_colour(p->f, &frame);
	char class[8];

	if (by_change(p))
		step_class(class, mp_flame_sides_step_of(p->f->sides, w->node));
	else
		snprintf(class, sizeof(class), "%c%u", kind_letters[colour / MP_SHADES],
			 colour % MP_SHADES);
	draw_frame(p, w, mp_flame_shown(frame.name), class,
		   kind == MP_FLAME_USER ? "" : mp_flame_kind_name(kind));
}

static void add_to_run(const struct picture *p, struct run *r, const struct mp_tree_walk *w)
{
	unsigned i;

	if (r->n++ == 0)
		*r = (struct run){ .at = w->at, .n = 1, .depth = w->depth };
	r->weight += p->f->tree->nodes[w->node].total;
	for (i = 0; p->f->sides && i < MP_FLAME_SIDES; i++)
		r->side[i] += p->f->sides->side[i].total[w->node];
}

static void draw_frames(struct picture *p)
{
	const struct mp_tree *t = p->f->tree;
	struct mp_tree_walk w = { .node = 0 };
	struct run run = { .n = 0 };
	bool enter = true;

	draw_root(p);
	while (mp_tree_step(t, &w, enter)) {
		enter = w.depth < p->rows && !is_narrow(p, t->nodes[w.node].total);
		if (run.n && (enter || run.depth != w.depth || run.at + run.weight != w.at))
			draw_run(p, &run);
		if (w.depth >= p->rows)
			continue;
		if (enter)
			draw_node(p, &w);
		else
			add_to_run(p, &run, &w);
	}
	draw_run(p, &run);
}

/* Draws a sample of a colour in the legend, with what it means as its tooltip. */
static void draw_swatch(struct picture *p, double x, const char *class, const char *what)
{
	mp_buf_printf(p->to, "<rect class=\"%s\"", class);
	put_attribute(p->to, "x", x);
	put_attribute(p->to, "y", p->height - 22);
	mp_buf_printf(p->to, " width=\"12\" height=\"12\"><title>%s</title></rect>\n", what);
}

/* Writes text in the legend. Returns where it ends. */
static double draw_meaning(struct picture *p, double x, const char *what)
{
	struct mp_str text = mp_str(what);

	mp_svg_label(p->to, x, p->height - 12, "class=\"dim\"", text, p->width - SIDE - x,
		     MP_SVG_FONT);
	return x + mp_svg_width(text, MP_SVG_FONT);
}

/* Draws the legend of the kinds of code. */
static void draw_kinds(struct picture *p, unsigned kinds)
{
	double x = SIDE;
	unsigned kind;
	char class[8];

	for (kind = 0; kind < MP_FLAME_KINDS; kind++) {
		if (!(kinds & 1u << kind))
			continue;
		snprintf(class, sizeof(class), "%c1", kind_letters[kind]);
		draw_swatch(p, x, class, mp_flame_kind_name(kind));
		x = draw_meaning(p, x + 18, mp_flame_kind_name(kind)) + 16;
	}
}

/* Draws the legend of the differences. */
static void draw_changes(struct picture *p)
{
	double x = draw_meaning(p, SIDE, "less") + 6;
	char class[8];
	int step;

	for (step = -MP_CHANGES; step <= MP_CHANGES; step++, x += 13) {
		step_class(class, step);
		draw_swatch(p, x, class, mp_flame_step_name(step, p->f->sides->counts));
	}
	x = draw_meaning(p, x + 6, "more") + 16;
	step_class(class, 0);
	draw_swatch(p, x, class, mp_flame_step_name(0, p->f->sides->counts));
	draw_meaning(p, x + 18, mp_flame_step_name(0, p->f->sides->counts));
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

static bool has_legend(const struct picture *p, unsigned kinds)
{
	return (kinds & (kinds - 1)) || (by_change(p) && p->f->tree->nodes[0].total);
}

static void draw(struct picture *p, unsigned kinds)
{
	struct mp_buf css = { NULL, 0, 0 }, dark = { NULL, 0, 0 }, text = { NULL, 0, 0 };
	double room = p->width - 2 * SIDE;
	bool empty = p->f->tree->nodes[0].total == 0;

	add_rules(&css, &dark);
	if (by_change(p))
		add_change_rules(&css, &dark);
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
	if (has_legend(p, kinds) && by_change(p))
		draw_changes(p);
	else if (has_legend(p, kinds))
		draw_kinds(p, kinds);
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
	unsigned kinds = total && f->colours == MP_FLAME_BY_KIND ? mp_flame_kinds(f->tree) : 0;

	if (total) {
		p.px = p.plot / (double)total;
		count_rows(&p);
	}
	p.height = TOP + (double)p.rows * ROW + SIDE;
	if (has_legend(&p, kinds) || p.deeper)
		p.height += LEGEND;
	draw(&p, kinds);
	mp_buf_release(&p.clean);
	mp_buf_release(&p.shown);
}
