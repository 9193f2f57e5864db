// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/flamehtml.h"

#include "lib/draw/embed.h"
#include "lib/draw/packed.h"
#include "lib/draw/svg.h"
#include "lib/flame/flamedata.h"
#include "lib/stats/compare.h"

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

static void put_changes(struct mp_buf *to, enum mp_paper paper)
{
	char text[MP_RGB_TEXT];
	int step;

	mp_buf_byte(to, '[');
	for (step = -MP_CHANGES; step <= MP_CHANGES; step++) {
		mp_rgb_put(text, mp_palette_change(step, paper));
		mp_buf_printf(to, "\"%s\",", text);
	}
	mp_buf_byte(to, ']');
}

void mp_flamehtml_changes(struct mp_buf *to, bool counts)
{
	int step;

	mp_buf_printf(to, "light:");
	put_changes(to, MP_LIGHT);
	mp_buf_printf(to, ",dark:");
	put_changes(to, MP_DARK);
	mp_buf_printf(to, ",steps:[");
	for (step = -MP_CHANGES; step <= MP_CHANGES; step++)
		mp_buf_printf(to, "\"%s\",", mp_flame_step_name(step, counts));
	mp_buf_byte(to, ']');
}

void mp_flamehtml_kinds(struct mp_buf *to, const struct mp_tree *t)
{
	unsigned kinds = t->nodes[0].total ? mp_flame_kinds(t) : 0, kind;

	mp_buf_printf(to, "kinds:[");
	for (kind = 0; kind < MP_FLAME_KINDS; kind++) {
		mp_svg_json(to, mp_str(mp_flame_kind_name(kind)));
		mp_buf_byte(to, ',');
	}
	mp_buf_printf(to, "],shades:%d,has:%u,light:", MP_SHADES, kinds);
	put_colours(to, MP_LIGHT);
	mp_buf_printf(to, ",dark:");
	put_colours(to, MP_DARK);
}

static void put_slots(struct mp_buf *to, enum mp_paper paper)
{
	char text[MP_RGB_TEXT];
	unsigned slot;

	mp_buf_byte(to, '[');
	for (slot = 0; slot <= MP_FLAME_NO_SLOT; slot++) {
		mp_rgb_put(text, mp_flame_library_colour(slot, paper));
		mp_buf_printf(to, "\"%s\",", text);
	}
	mp_buf_byte(to, ']');
}

/* Writes the names of the libraries, and the slots and the colours of their palette. */
static void put_libraries(struct mp_buf *to, const struct mp_flame_libraries *l)
{
	size_t i;

	mp_buf_printf(to, ",libraries:{names:[");
	for (i = 0; i < l->n; i++) {
		mp_svg_json(to, l->names[i]);
		mp_buf_byte(to, ',');
	}
	mp_buf_printf(to, "],slots:[");
	for (i = 0; i < l->n; i++)
		mp_buf_printf(to, "%u,", l->slots[i]);
	mp_buf_printf(to, "],light:");
	put_slots(to, MP_LIGHT);
	mp_buf_printf(to, ",dark:");
	put_slots(to, MP_DARK);
	mp_buf_byte(to, '}');
}

/*
 * Writes what the script needs to compare sides. It calculates by an approximation that is at most
 * a fifteenth too small (see lib/flame/change.js), so that it needs a level that is so much lower.
 */
static void put_sides(struct mp_buf *to, const struct mp_flame *f)
{
	static const char *const measures[] = { "share", "absolute", "work" };
	const struct mp_flame_sides *s = f->sides;

	if (!s)
		return;
	mp_buf_printf(to, ",sides:{measure:\"%s\",own:%s,exposure:[%.17g,%.17g],z:%.6g,",
		      measures[s->measure], s->own ? "true" : "false",
		      s->side[MP_FLAME_BEFORE].exposure, s->side[MP_FLAME_AFTER].exposure,
		      s->counts ? mp_compare_student_t(s->level / 1.07, 1e9) : 0);
	mp_flamehtml_changes(to, s->counts);
	mp_buf_printf(to, ",names:[");
	mp_svg_json(to, mp_str(s->side[MP_FLAME_BEFORE].name));
	mp_buf_byte(to, ',');
	mp_svg_json(to, mp_str(s->side[MP_FLAME_AFTER].name));
	mp_buf_printf(to, "]}");
}

/* Writes the names and the units of two weights. */
static void put_weights(struct mp_buf *to, const struct mp_flame *f)
{
	unsigned i;

	if (!f->weights.sides)
		return;
	mp_buf_printf(to, ",weights:{names:[");
	for (i = 0; i < MP_FLAME_SIDES; i++) {
		mp_svg_json(to, f->weights.names[i]);
		mp_buf_byte(to, ',');
	}
	mp_buf_printf(to, "],units:[");
	for (i = 0; i < MP_FLAME_SIDES; i++) {
		mp_svg_json(to, mp_str(f->weights.units[i]));
		mp_buf_byte(to, ',');
	}
	mp_buf_printf(to, "]}");
}

/* Writes what the script knows before it has unpacked the names and the stacks. */
static void put_head(struct mp_buf *to, const struct mp_flame *f, const struct mp_flamedata *d)
{
	size_t i;

	mp_buf_printf(to, "var D={nodes:%zu,stacks:%zu,icicle:%s,colours:\"%s\",total:%lld,unit:",
		      d->nodes, d->stacks, f->icicle ? "true" : "false",
		      mp_flame_colours_name(f->colours), (long long)f->tree->nodes[0].total);
	mp_svg_json(to, mp_str(f->unit));
	mp_buf_byte(to, ',');
	mp_flamehtml_kinds(to, f->tree);
	put_sides(to, f);
	put_weights(to, f);
	if (f->libraries)
		put_libraries(to, f->libraries);
	if (f->chart)
		mp_buf_printf(to, ",chart:true");
	mp_buf_printf(to, ",sizes:[");
	for (i = 0; i < MP_FLAMEDATA_PARTS; i++)
		mp_buf_printf(to, "%zu,", d->parts[i].len);
	mp_buf_printf(to, "]};\n");
}

static void put_packed(struct mp_buf *to, const struct mp_flamedata *d)
{
	struct mp_buf all = { NULL, 0, 0 };
	size_t i;

	for (i = 0; i < MP_FLAMEDATA_PARTS; i++)
		mp_buf_str(&all, mp_buf_view(&d->parts[i]));
	mp_packed_put(to, mp_buf_view(&all));
	mp_buf_release(&all);
}

static MP_EMBED(page, ".incbin \"lib/flame/flame.html\"\n");
static MP_EMBED(script, ".incbin \"lib/draw/units.js\"\n"
			".incbin \"lib/draw/packed.js\"\n"
			".incbin \"lib/flame/tree.js\"\n"
			".incbin \"lib/draw/words.js\"\n"
			".incbin \"lib/draw/fragment.js\"\n"
			".incbin \"lib/draw/ticks.js\"\n"
			".incbin \"lib/flame/change.js\"\n"
			".incbin \"lib/flame/stacks.js\"\n"
			".incbin \"lib/flame/chart.js\"\n"
			".incbin \"lib/flame/address.js\"\n"
			".incbin \"lib/flame/graph.js\"\n"
			".incbin \"lib/flame/table.js\"\n"
			".incbin \"lib/flame/flame.js\"\n");

void mp_flamehtml_page(struct mp_buf *to, const char *page, struct mp_str title,
		       struct mp_str subtitle)
{
	const struct {
		const char *mark;
		struct mp_str text;
	} places[] = {
		{ "{TITLE}", title }, /* of the window */
		{ "{TITLE}", title },
		{ "{SUBTITLE}", subtitle },
	};
	const char *p = page, *at;
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
	bool empty = f->tree->nodes[0].total == 0;
	struct mp_flamedata d;

	mp_flamedata_make(&d, f);
	mp_flamehtml_page(to, page(), f->title, empty ? f->nothing : f->subtitle);
	mp_buf_printf(to, "<script type=\"text/plain\" id=\"data\">");
	put_packed(to, &d);
	mp_buf_printf(to, "</script>\n<script>\n");
	put_head(to, f, &d);
	mp_buf_printf(to, "%s</script>\n</body>\n</html>\n", script());
	mp_flamedata_release(&d);
}
