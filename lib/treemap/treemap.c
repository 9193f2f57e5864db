// SPDX-License-Identifier: GPL-2.0-only
#include "lib/treemap/treemap.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/stream/unit.h"

enum {
	EDGE = 12,	/* around the map */
	TOP = 62,	/* for the title */
	FOOT = 46,	/* for the scale of colours */
	HEADER = 16,	/* the name of a frame above its children */
	PAD = 2,	/* around the children */
	LEAST_AREA = 9, /* smaller frames are drawn as one, in square px */
	LEAST_SIDE = 6, /* no children in less */
	LABEL_WIDTH = 28,
	SMALL = 11,
	LEVELS = 12,
	PATH_MAX_FRAMES = 40,
};

struct rect {
	double x, y, w, h;
};

/* A child to be placed. */
struct item {
	uint32_t node; /* 0: the frame itself, or the smaller ones */
	double weight;
	struct rect at;
};

struct drawing {
	const struct mp_treemap *m;
	struct mp_buf *to;
	bool dry;	 /* finds `greatest`, draws nothing */
	double greatest; /* greatest value of the second measure */
	const struct mp_palette *palette;
};

/* --- layout ----------------------------------------------------------------------------------- */

/* The worst ratio of sides in a row of this length, of items from `least` to `most` in area. */
static double worst(double sum, double most, double least, double side)
{
	double row = sum / side;

	return MP_MAX(row * row / least, most / (row * row));
}

/* Places the items `from` to before `end`, whose areas add up to `sum`, along the shorter side. */
static void place_row(struct item *v, size_t from, size_t end, double sum, struct rect *room)
{
	bool upright = room->w >= room->h;
	double side = upright ? room->h : room->w, depth = side > 0 ? sum / side : 0, at = 0;
	size_t i;

	for (i = from; i < end; i++) {
		double length = depth > 0 ? v[i].weight / depth : 0;

		v[i].at = upright ? (struct rect){ room->x, room->y + at, depth, length }
				  : (struct rect){ room->x + at, room->y, length, depth };
		at += length;
	}
	if (upright) {
		room->x += depth;
		room->w = MP_MAX(room->w - depth, 0.0);
	} else {
		room->y += depth;
		room->h = MP_MAX(room->h - depth, 0.0);
	}
}

/* Places items, whose weights are areas that fill the room, the greatest first. */
static void squarify(struct item *v, size_t n, struct rect room)
{
	size_t from = 0, i;

	while (from < n) {
		double side = MP_MIN(room.w, room.h), sum = v[from].weight;

		for (i = from + 1; i < n && side > 0; i++) {
			double more = sum + v[i].weight;

			if (worst(more, v[from].weight, v[i].weight, side) >
			    worst(sum, v[from].weight, v[i - 1].weight, side))
				break;
			sum = more;
		}
		if (side <= 0)
			i = n;
		place_row(v, from, i, sum, &room);
		from = i;
	}
}

static int heavier(const void *va, const void *vb)
{
	const struct item *a = va, *b = vb;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/*
 * Lists the children of a node with their areas, and the node itself, for a room of this area; the
 * last is the sum of those that are too small.
 */
static struct item *list_children(const struct mp_tree *t, uint32_t node, double area, size_t *n)
{
	const struct mp_tree_node *of = &t->nodes[node];
	double scale = area / (double)of->total, small = 0, own = (double)of->total;
	size_t cap = 2;
	struct item *v;
	uint32_t child;

	for (child = of->child; child; child = t->nodes[child].next)
		cap++;
	v = mp_alloc(cap * sizeof(*v));
	*n = 0;
	for (child = of->child; child; child = t->nodes[child].next) {
		double weight = (double)t->nodes[child].total;

		own -= weight;
		if (weight * scale < LEAST_AREA)
			small += weight;
		else
			v[(*n)++] = (struct item){ .node = child, .weight = weight * scale };
	}
	if (own * scale > 0)
		v[(*n)++] = (struct item){ .weight = own * scale };
	qsort(v, *n, sizeof(*v), heavier);
	if (small > 0)
		v[(*n)++] = (struct item){ .weight = small * scale };
	return v;
}

/* The end of the chain of single children that begins at a node. */
static uint32_t skip_chain(const struct mp_tree *t, uint32_t node)
{
	uint32_t child;

	while ((child = t->nodes[node].child) && t->nodes[child].total == t->nodes[node].total)
		node = child;
	return node;
}

/* --- a frame ---------------------------------------------------------------------------------- */

static double second_of(const struct drawing *d, uint32_t node)
{
	return d->m->second[node] / (double)d->m->tree->nodes[node].total;
}

static unsigned level_of(const struct drawing *d, uint32_t node)
{
	double share = d->greatest > 0 ? second_of(d, node) / d->greatest : 0;

	return MP_MIN((unsigned)(sqrt(MP_MAX(share, 0.0)) * LEVELS), LEVELS - 1u);
}

/* Adds the frames from the root to a node, of many the last ones. */
static void put_path(struct mp_buf *to, const struct mp_tree *t, uint32_t node)
{
	uint32_t path[PATH_MAX_FRAMES], n = 0;

	for (; node && n < PATH_MAX_FRAMES; node = t->nodes[node].parent)
		path[n++] = node;
	if (node)
		mp_buf_str(to, MP_STR("...;"));
	while (n--) {
		mp_buf_str(to, mp_tree_frame(t, path[n]).name);
		if (n)
			mp_buf_byte(to, ';');
	}
}

static void put_title(struct drawing *d, uint32_t node)
{
	const struct mp_tree *t = d->m->tree;
	struct mp_buf text = { NULL, 0, 0 };
	char amount[MP_UNIT_MAX];

	put_path(&text, t, node);
	mp_unit_put(amount, d->m->unit, (double)t->nodes[node].total);
	mp_buf_printf(&text, "\n%s (%.3g %%)", amount,
		      100.0 * (double)t->nodes[node].total / (double)t->nodes[0].total);
	if (t->nodes[node].self && t->nodes[node].child) {
		mp_unit_put(amount, d->m->unit, (double)t->nodes[node].self);
		mp_buf_printf(&text, ", itself %s", amount);
	}
	if (d->m->second) {
		mp_unit_put(amount, d->m->second_unit, second_of(d, node));
		mp_buf_printf(&text, "\n");
		mp_buf_str(&text, d->m->second_name);
		mp_buf_printf(&text, ": %s", amount);
	}
	mp_buf_printf(d->to, "<title>");
	for (size_t i = 0; i < text.len;) { /* text has no line feeds: they are escaped */
		const char *lf = memchr(text.p + i, '\n', text.len - i);
		size_t end = lf ? (size_t)(lf - text.p) : text.len;

		mp_svg_text(d->to, (struct mp_str){ text.p + i, end - i });
		if (lf)
			mp_buf_byte(d->to, '\n');
		i = end + 1;
	}
	mp_buf_printf(d->to, "</title>");
	mp_buf_release(&text);
}

static void put_rect(struct mp_buf *to, const struct rect *r)
{
	mp_buf_printf(to, " x=\"");
	mp_svg_num(to, r->x);
	mp_buf_printf(to, "\" y=\"");
	mp_svg_num(to, r->y);
	mp_buf_printf(to, "\" width=\"");
	mp_svg_num(to, r->w);
	mp_buf_printf(to, "\" height=\"");
	mp_svg_num(to, r->h);
	mp_buf_printf(to, "\"");
}

/*
 * Adds the names of a chain from its first node to its last; if they do not fit, those two; or the
 * last one.
 */
static void put_chain(struct mp_buf *to, const struct mp_tree *t, uint32_t first, uint32_t last,
		      double px)
{
	uint32_t node = first;

	mp_buf_str(to, mp_tree_frame(t, first).name);
	while (node != last && mp_svg_width(mp_buf_view(to), SMALL) < px) {
		node = t->nodes[node].child;
		mp_buf_byte(to, ';');
		mp_buf_str(to, mp_tree_frame(t, node).name);
	}
	if (node == last && mp_svg_width(mp_buf_view(to), SMALL) <= px)
		return;
	to->len = 0;
	mp_buf_str(to, mp_tree_frame(t, first).name);
	mp_buf_str(to, MP_STR("\xe2\x80\xa6"));
	mp_buf_str(to, mp_tree_frame(t, last).name);
	if (mp_svg_width(mp_buf_view(to), SMALL) <= px)
		return;
	to->len = 0;
	mp_buf_str(to, mp_tree_frame(t, last).name);
}

/* Draws the frames of a chain that ends with `node`; `class` is that of their colour. */
static void draw_frame(struct drawing *d, uint32_t first, uint32_t node, const char *class,
		       const struct rect *r)
{
	struct mp_buf chain = { NULL, 0, 0 };
	char attrs[48];

	mp_buf_printf(d->to, "<rect class=\"f %s\"", class);
	put_rect(d->to, r);
	mp_buf_byte(d->to, '>');
	put_title(d, node);
	mp_buf_printf(d->to, "</rect>\n");
	/* what is too low for a header shows its children */
	if (r->w < LABEL_WIDTH || r->h < HEADER - PAD ||
	    (d->m->tree->nodes[node].child && r->h < 2 * HEADER))
		return;
	snprintf(attrs, sizeof(attrs), "class=\"n t%s\"", class);
	put_chain(&chain, d->m->tree, first, node, r->w - 8);
	mp_svg_label(d->to, r->x + 4, r->y + 12, attrs, mp_buf_view(&chain), r->w - 8, SMALL);
	mp_buf_release(&chain);
}

static void draw_small(struct drawing *d, const struct rect *r)
{
	mp_buf_printf(d->to, "<rect class=\"f other\"");
	put_rect(d->to, r);
	mp_buf_printf(d->to, "><title>smaller frames</title></rect>\n");
}

/* Draws a node and what it contains. Rooms shrink, so that this ends after some hundred levels. */
static void draw_node(struct drawing *d, uint32_t node, unsigned hue, unsigned depth,
		      const struct rect *r)
{
	const struct mp_tree *t = d->m->tree;
	struct rect room = { r->x + PAD, r->y + PAD, r->w - 2 * PAD, r->h - 2 * PAD };
	uint32_t first = node;
	size_t n, i;
	struct item *v;
	char class[16];

	node = skip_chain(t, node);
	snprintf(class, sizeof(class), "c%u", hue * MP_SHADES + depth % MP_SHADES);
	if (d->m->second)
		snprintf(class, sizeof(class), "c%u", level_of(d, node));
	if (d->dry)
		d->greatest = MP_MAX(d->greatest, second_of(d, node));
	else
		draw_frame(d, first, node, class, r);
	if (r->w >= LABEL_WIDTH && r->h >= 2 * HEADER) {
		room.y = r->y + HEADER;
		room.h = r->h - HEADER - PAD;
	}
	if (!t->nodes[node].child || room.w < LEAST_SIDE || room.h < LEAST_SIDE)
		return;
	v = list_children(t, node, room.w * room.h, &n);
	squarify(v, n, room);
	for (i = 0; i < n; i++)
		if (v[i].node)
			draw_node(d, v[i].node, hue, depth + 1, &v[i].at);
		else if (i == n - 1 && !d->dry && v[i].weight < room.w * room.h)
			draw_small(d, &v[i].at);
	free(v);
}

/* The hue of a first frame, which depends on its bytes alone. */
static unsigned hue_of(const struct mp_tree *t, uint32_t node)
{
	struct mp_str name = mp_tree_frame(t, node).name;

	return (unsigned)(mp_hash(name.p, name.len, 0) % MP_TINTS);
}

static void draw_map(struct drawing *d)
{
	struct rect room = { EDGE, TOP, d->m->width - 2 * EDGE, d->m->height - TOP - FOOT };
	const struct mp_tree *t = d->m->tree;
	struct item *v;
	size_t n, i;

	v = list_children(t, 0, room.w * room.h, &n);
	squarify(v, n, room);
	for (i = 0; i < n; i++)
		if (v[i].node)
			draw_node(d, v[i].node, hue_of(t, v[i].node), 0, &v[i].at);
		else if (!d->dry)
			draw_small(d, &v[i].at);
	free(v);
}

/* --- colours ---------------------------------------------------------------------------------- */

/* Black or white, whichever is easier to read on a colour. */
static struct mp_rgb text_on(struct mp_rgb c)
{
	double light = 0.299 * c.r + 0.587 * c.g + 0.114 * c.b;

	return light > 140 ? (struct mp_rgb){ 0x1f, 0x23, 0x28 }
			   : (struct mp_rgb){ 0xff, 0xff, 0xff };
}

static void make_css(const struct drawing *d, struct mp_buf *css, struct mp_buf *dark)
{
	unsigned n = d->m->second ? LEVELS : MP_TINTS * MP_SHADES, i;
	struct mp_rgb c[MP_PAPERS], text[MP_PAPERS];
	char class[24];
	int paper;

	mp_buf_printf(css, ".f{stroke:#fff;stroke-width:1}.f:hover{stroke:#1f2328;stroke-width:2}"
			   "text.n{font-size:11px;pointer-events:none}\n");
	mp_buf_printf(dark, ".f{stroke:#0d1117}.f:hover{stroke:#fff}\n");
	for (i = 0; i < n; i++) {
		for (paper = 0; paper < MP_PAPERS; paper++) {
			c[paper] = d->m->second
					   ? mp_palette_at(d->palette, paper, i / (LEVELS - 1.0))
					   : mp_palette_tint(i / MP_SHADES, i % MP_SHADES, paper);
			text[paper] = text_on(c[paper]);
		}
		snprintf(class, sizeof(class), "c%u", i);
		mp_svg_fill_rule(css, dark, class, c);
		snprintf(class, sizeof(class), "n.tc%u", i);
		mp_svg_fill_rule(css, dark, class, text);
	}
	for (paper = 0; paper < MP_PAPERS; paper++)
		c[paper] = mp_palette_other(paper);
	mp_svg_fill_rule(css, dark, "other", c);
	mp_buf_byte(css, '\0');
	mp_buf_byte(dark, '\0');
}

static void draw_scale(struct drawing *d)
{
	double y = d->m->height - FOOT + 12;
	char text[MP_UNIT_MAX];
	unsigned i;

	for (i = 0; i < LEVELS; i++) {
		struct rect r = { EDGE + 16.0 * i, y, 16, 12 };

		mp_buf_printf(d->to, "<rect class=\"c%u\"", i);
		put_rect(d->to, &r);
		mp_buf_printf(d->to, "/>\n");
	}
	mp_unit_put(text, d->m->second_unit, d->greatest);
	mp_svg_label(d->to, EDGE, y + 28, "class=\"dim\"", MP_STR("0"), 0, MP_SVG_FONT);
	mp_svg_label(d->to, EDGE + 16.0 * LEVELS, y + 28, "class=\"dim\" text-anchor=\"end\"",
		     mp_str(text), 0, MP_SVG_FONT);
	mp_svg_label(d->to, EDGE + 16.0 * LEVELS + 10, y + 10, "class=\"dim\"", d->m->second_name,
		     d->m->width - 2 * EDGE - 16 * LEVELS - 10, MP_SVG_FONT);
}

/* --- the document ----------------------------------------------------------------------------- */

static void draw_head(struct drawing *d)
{
	double room = d->m->width - 2 * EDGE;

	mp_svg_label(d->to, EDGE, 26, "class=\"title\"", d->m->title, room / 1.1, MP_SVG_TITLE);
	mp_svg_label(d->to, EDGE, 46, "class=\"dim\"", d->m->subtitle, room, MP_SVG_FONT);
}

void mp_treemap_svg(struct mp_buf *to, const struct mp_treemap *m)
{
	bool any = m->tree->nodes[0].total > 0;
	struct drawing d = { .m = m, .to = to, .palette = mp_palette_find("viridis") };
	struct mp_buf css = { NULL, 0, 0 }, dark = { NULL, 0, 0 };

	if (any && m->second) {
		d.dry = true;
		draw_map(&d);
		d.dry = false;
	}
	make_css(&d, &css, &dark);
	mp_svg_begin(to, &(struct mp_svg_doc){ m->width, m->height, m->title,
					       any ? m->subtitle : m->nothing, css.p, dark.p });
	draw_head(&d);
	if (any) {
		mp_buf_printf(to, "<g>\n");
		draw_map(&d);
		mp_buf_printf(to, "</g>\n");
		if (m->second)
			draw_scale(&d);
	} else {
		mp_svg_label(to, EDGE, TOP + 30, "class=\"dim\"", m->nothing, m->width - 2 * EDGE,
			     MP_SVG_FONT);
	}
	mp_svg_end(to);
	mp_buf_release(&css);
	mp_buf_release(&dark);
}
