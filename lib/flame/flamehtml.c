// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/flamehtml.h"

#include <stdlib.h>

#include "lib/draw/svg.h"

/* A name, and in how many nodes it is. */
struct use {
	uint32_t name;
	uint32_t n;
};

static int by_use(const void *a, const void *b)
{
	const struct use *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* The names that are drawn, the most frequent first; sets how many there are. */
static struct use *list_names(const struct mp_tree *t, size_t *n)
{
	size_t n_names = mp_tree_names(t), i;
	struct use *v = mp_zalloc((n_names + 1) * sizeof(*v));

	for (i = 0; i < n_names; i++)
		v[i].name = i;
	for (i = 1; i < t->n; i++)
		if (t->nodes[i].total)
			v[t->nodes[i].name].n++;
	if (n_names)
		qsort(v, n_names, sizeof(*v), by_use);
	*n = MP_COUNT_FIRST(n_names, k, v[k].n > 0);
	return v;
}

static void put_number(struct mp_buf *to, uint64_t v)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"
				      "ghijklmnopqrstuvwxyz0123456789-_";

	for (; v >= 32; v >>= 5)
		mp_buf_byte(to, letters[32 + (v & 31)]);
	mp_buf_byte(to, letters[v]);
}

/* Returns how many nodes there are. */
static size_t put_nodes(struct mp_buf *to, const struct mp_tree *t, const struct use *names,
			size_t n)
{
	uint32_t *place = mp_alloc((mp_tree_names(t) + 1) * sizeof(*place));
	struct mp_tree_walk w = { .node = 0 };
	size_t before = 0, count = 1, i;

	for (i = 0; i < n; i++)
		place[names[i].name] = i;
	put_number(to, (uint64_t)t->nodes[0].self);
	while (mp_tree_step(t, &w, true)) {
		const struct mp_tree_node *node = &t->nodes[w.node];
		size_t up = before + 1 - w.depth;

		put_number(to, 4 * (uint64_t)place[node->name] + 2 * (up > 0) + (node->self > 0));
		if (up)
			put_number(to, up);
		if (node->self)
			put_number(to, (uint64_t)node->self);
		before = w.depth;
		count++;
	}
	free(place);
	return count;
}

static void put_colours(struct mp_buf *to, enum mp_paper paper)
{
	char text[MP_RGB_TEXT];
	unsigned kind, shade;

	mp_buf_byte(to, '[');
	for (kind = 0; kind < MP_FLAME_KINDS; kind++) {
		for (shade = 0; shade < MP_SHADES; shade++) {
			mp_rgb_put(text, mp_palette_tint(kind, shade, paper));
			mp_buf_printf(to, "\"%s\",", text);
		}
	}
	mp_rgb_put(text, mp_palette_other(paper));
	mp_buf_printf(to, "\"%s\"]", text);
}

/* The data of the script, but the nodes. */
static void put_data(struct mp_buf *to, const struct mp_flame *f, const struct use *names, size_t n,
		     size_t nodes)
{
	unsigned kinds = f->tree->nodes[0].total ? mp_flame_kinds(f->tree) : 0, kind;
	size_t i;

	mp_buf_printf(to, "var D={n:%zu,icicle:%d,total:%lld,unit:", nodes, f->icicle,
		      (long long)f->tree->nodes[0].total);
	mp_svg_json(to, mp_str(f->unit));
	mp_buf_printf(to, ",kinds:[");
	for (kind = 0; kind < MP_FLAME_KINDS; kind++) {
		mp_svg_json(to, mp_str(mp_flame_kind_name(kind)));
		mp_buf_byte(to, ',');
	}
	mp_buf_printf(to, "],shades:%d,has:%u,light:", MP_SHADES, kinds);
	put_colours(to, MP_LIGHT);
	mp_buf_printf(to, ",dark:");
	put_colours(to, MP_DARK);
	mp_buf_printf(to, ",colours:\"");
	for (i = 0; i < n; i++) {
		struct mp_frame frame = mp_tree_name(f->tree, names[i].name);

		mp_buf_byte(to, (char)('A' + mp_flame_kind_of(frame.mark) * MP_SHADES +
				       mp_flame_shade(frame.name)));
	}
	mp_buf_printf(to, "\",names:[");
	for (i = 0; i < n; i++) {
		mp_buf_printf(to, i ? ",\n" : "\n");
		mp_svg_json(to, mp_flame_shown(mp_tree_name(f->tree, names[i].name).name));
	}
	mp_buf_printf(to, "]};\n");
}

static const char *page(void)
{
	/* lib/flame/flame.html, which the assembler inserts, with a NUL */
	extern const char mp_flame_html[] __asm__("mp_flame_html");

	return mp_flame_html;
}

static const char *script(void)
{
	/* the scripts below, which the assembler inserts, with a NUL */
	extern const char mp_flame_js[] __asm__("mp_flame_js");

	return mp_flame_js;
}

__asm__(".pushsection .rodata\n"
	"mp_flame_html:\n"
	".incbin \"lib/flame/flame.html\"\n"
	".byte 0\n"
	"mp_flame_js:\n"
	".incbin \"lib/draw/units.js\"\n"
	".incbin \"lib/flame/tree.js\"\n"
	".incbin \"lib/flame/words.js\"\n"
	".incbin \"lib/flame/address.js\"\n"
	".incbin \"lib/flame/graph.js\"\n"
	".incbin \"lib/flame/table.js\"\n"
	".incbin \"lib/flame/flame.js\"\n"
	".byte 0\n"
	".popsection\n");

/* Writes the page, with the title and the subtitle in the places that it has for them. */
static void put_page(struct mp_buf *to, const struct mp_flame *f)
{
	bool empty = f->tree->nodes[0].total == 0;
	const struct {
		const char *mark;
		struct mp_str text;
	} places[] = {
		{ "{TITLE}", f->title }, /* of the window */
		{ "{TITLE}", f->title },
		{ "{SUBTITLE}", empty ? f->nothing : f->subtitle },
	};
	const char *p = page(), *at;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(places); i++) {
		at = strstr(p, places[i].mark);
		mp_buf_add(to, p, at - p);
		mp_svg_text(to, places[i].text);
		p = at + strlen(places[i].mark);
	}
	mp_buf_str(to, mp_str(p));
}

void mp_flamehtml(struct mp_buf *to, const struct mp_flame *f)
{
	struct use *names;
	size_t n, nodes;

	names = list_names(f->tree, &n);
	put_page(to, f);
	mp_buf_printf(to, "<script type=\"text/plain\" id=\"nodes\">");
	nodes = put_nodes(to, f->tree, names, n);
	mp_buf_printf(to, "</script>\n<script>\n");
	put_data(to, f, names, n, nodes);
	mp_buf_printf(to, "%s</script>\n</body>\n</html>\n", script());
	free(names);
}
