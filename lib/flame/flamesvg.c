// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/flamesvg.h"

#include "lib/draw/svg.h"
#include "lib/flame/svgparts.h"

enum { SIDE = MP_FLAME_SVG_SIDE };

static const double MIN_PX = 1;

struct picture {
	struct mp_flame_svg svg;
	const struct mp_flame *f;
	struct mp_buf *to;
	double px; /* per unit of weight */
	size_t rows;
	bool deeper; /* there are frames beyond the last row */
	struct mp_buf text;
};

/* A run of narrow siblings. */
struct run {
	int64_t at, weight;
	int64_t side[MP_FLAME_SIDES]; /* weights of both sides, if there are some */
	uint64_t n;
	size_t depth;
};

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

	return MP_FLAME_SVG_TOP + (double)row * MP_FLAME_SVG_ROW;
}

/* Writes a weight, or those of both sides. */
static void put_weight(struct picture *p, int64_t weight, int64_t before, int64_t after)
{
	char text[MP_UNIT_MAX];

	p->text.len = 0;
	if (p->f->sides) {
		mp_flame_put_sides(&p->text, p->f, before, after);
	} else {
		mp_flame_put_weight(text, p->f, weight);
		mp_buf_printf(&p->text, "%s, %.2f %%", text, mp_flame_percent(p->f, weight));
	}
	mp_svg_text(p->to, mp_buf_view(&p->text));
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

/* Draws a frame; `class` has its colour, `code` says what kind of code it is. */
static void draw_frame(struct picture *p, const struct mp_tree_walk *w, struct mp_str name,
		       const char *class, struct mp_str code)
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
	mp_buf_printf(p->to, code.len ? "; " : "");
	mp_svg_text(p->to, code);
	mp_buf_printf(p->to, "</title>");
	mp_flame_svg_rect(&p->svg, class, x, y, width);
	mp_flame_svg_name(&p->svg, name, x, y, width);
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
		mp_flame_svg_rect(&p->svg, "m", SIDE + (double)r->at * p->px, y_of(p, r->depth),
				  width);
		mp_buf_printf(p->to, "</g>\n");
	}
	r->n = 0;
}

static void draw_root(struct picture *p)
{
	struct mp_tree_walk w = { .node = 0 };
	mp_flame_svg_class class = "m";

	if (p->f->colours == MP_FLAME_BY_CHANGE)
		mp_flame_svg_class_of(p->f, 0, class);
	draw_frame(p, &w, MP_STR("all"), class, MP_STR(""));
}

/* Draws a frame that is not the root. */
static void draw_node(struct picture *p, const struct mp_tree_walk *w)
{
	mp_flame_svg_class class;

	mp_flame_svg_class_of(p->f, w->node, class);
	draw_frame(p, w, mp_flame_shown(mp_tree_frame(p->f->tree, w->node).name), class,
		   mp_flame_svg_code_of(p->f, w->node));
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

void mp_flamesvg(struct mp_buf *to, const struct mp_flame *f, double width)
{
	int64_t total = f->tree->nodes[0].total;
	struct picture p = { .svg = { .f = f, .to = to, .width = width }, .f = f, .to = to };

	if (total) {
		p.px = (width - 2 * SIDE) / (double)total;
		count_rows(&p);
	}
	p.svg.height = MP_FLAME_SVG_TOP + (double)p.rows * MP_FLAME_SVG_ROW + SIDE +
		       mp_flame_svg_legend_height(f, p.deeper);
	describe(&p, &p.text);
	mp_flame_svg_begin(&p.svg, mp_buf_view(&p.text));
	if (total)
		draw_frames(&p);
	mp_flame_svg_end(&p.svg, p.deeper ? "frames farther from the root are not drawn" : NULL);
	mp_buf_release(&p.text);
}
