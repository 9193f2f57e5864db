// SPDX-License-Identifier: GPL-2.0-only
#include "lib/timeline/timelinehtml.h"

#include <stdlib.h>

#include "lib/draw/embed.h"
#include "lib/draw/packed.h"
#include "lib/draw/svg.h"
#include "lib/timeline/timelinedata.h"

/* The states of tasks have colours of their own: a hue and a shade; hue -1: that of "other". */
static const struct {
	const char *name;
	int hue;
	unsigned shade;
} states[] = {
	{ "run", 2, 2 },       { "guest", 2, 0 }, { "wait", 0, 2 },
	{ "preempted", 0, 3 }, { "sleep", 1, 3 }, { "block", 1, 0 },
	{ "stopped", 3, 1 },   { "idle", -1, 0 }, { "unknown", 3, 3 },
};

/* The names that have colours: the labels of categories, or their types. */
struct names {
	struct mp_map map; /* name -> nothing */
	struct mp_str *v;
	unsigned *slots;
	struct mp_rgb taken[MP_ARRAY_SIZE(states) + 1]; /* the colours of states in the picture */
	size_t n_taken;
};

static struct mp_str name_of(const struct mp_timeline_category *c)
{
	return c->label.p ? c->label : c->type;
}

/* The colour of a state, the same on both papers: text on it is dark. Returns false for others. */
static bool find_state(struct mp_str name, struct mp_rgb *colour)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(states); i++) {
		if (!mp_str_eq(name, mp_str(states[i].name)))
			continue;
		*colour = states[i].hue < 0
				  ? mp_palette_other(MP_LIGHT)
				  : mp_palette_tint(states[i].hue, states[i].shade, MP_LIGHT);
		return true;
	}
	return false;
}

static void find_names(struct names *names, const struct mp_timeline *t)
{
	struct mp_map_entry *e;
	struct mp_str name;
	size_t i;

	names->n_taken = 0;
	mp_map_init(&names->map, sizeof(uint32_t));
	for (i = 0; i < t->n_categories; i++) {
		name = name_of(&t->categories[i]);
		mp_map_put(&names->map, &name, 1, NULL);
	}
	names->v = mp_alloc((names->map.n + 1) * sizeof(*names->v));
	names->slots = mp_alloc((names->map.n + 1) * sizeof(*names->slots));
	i = 0;
	mp_map_each (&names->map, e) {
		*(uint32_t *)mp_map_value(e) = i;
		names->v[i++] = e->key;
		if (find_state(e->key, &names->taken[names->n_taken]))
			names->n_taken++;
	}
	mp_palette_assign(names->v, names->map.n, names->slots);
}

/* Whether a state of the picture has nearly this colour. */
static bool is_taken(const struct names *names, struct mp_rgb c)
{
	size_t i;

	for (i = 0; i < names->n_taken; i++) {
		struct mp_rgb state = names->taken[i];

		if (abs(state.r - c.r) + abs(state.g - c.g) + abs(state.b - c.b) < 90)
			return true;
	}
	return false;
}

static struct mp_rgb colour_of(const struct names *names, struct mp_str name, enum mp_paper paper)
{
	const struct mp_map_entry *e = mp_map_find(&names->map, &name, 1);
	unsigned slot = names->slots[*(const uint32_t *)mp_map_value(e)], i;
	struct mp_rgb c;

	if (find_state(name, &c))
		return c;
	for (i = 0; i < MP_SLOTS; i++) {
		c = mp_palette_slot((slot + i) % MP_SLOTS, paper);
		if (!is_taken(names, c))
			break;
	}
	return c;
}

/* The colours of categories. */
static void put_colours(struct mp_buf *to, const struct mp_timeline *t, const struct names *names,
			enum mp_paper paper)
{
	char text[MP_RGB_TEXT];
	size_t i;

	for (i = 0; i < t->n_categories; i++) {
		mp_rgb_put(text, colour_of(names, name_of(&t->categories[i]), paper));
		mp_buf_printf(to, "\"%s\",", text);
	}
}

static void put_fields(struct mp_buf *to, const struct mp_timeline *t)
{
	size_t i;

	for (i = 0; i < t->rows.n; i++) {
		mp_svg_json(to, t->rows.v[i].name);
		mp_buf_byte(to, ',');
	}
}

/* Writes what the script knows before it has unpacked the data. */
static void put_head(struct mp_buf *to, const struct mp_timeline *t,
		     const struct mp_timeline_page *page, const struct mp_buf *parts)
{
	uint64_t from = t->begin_ns, end = t->end_ns;
	struct names names;
	size_t i;

	if (t->windowed && t->window.placed) {
		from = MP_MIN(MP_MAX(from, t->window.begin_ns), end);
		end = MP_MAX(MP_MIN(end, t->window.end_ns), from);
	}
	mp_buf_printf(
		to,
		"var D={unit:\"ns\",base:\"%llu\",from:%llu,to:%llu,end:%llu,n_rows:%zu,singles:%zu,"
		"arrows:%zu,levels:[%u,%llu,%zu],counters:[%u,%llu,%zu],file:",
		(unsigned long long)t->begin_ns, (unsigned long long)(from - t->begin_ns),
		(unsigned long long)MP_MAX(end - t->begin_ns, 1),
		(unsigned long long)MP_MAX(t->end_ns - t->begin_ns, 1), t->n_rows, t->singles.n,
		t->n_arrows, t->levels.shift,
		(unsigned long long)(t->begin_ns % (1ULL << t->levels.shift)), t->levels.n,
		t->counters.shift, (unsigned long long)(t->begin_ns % (1ULL << t->counters.shift)),
		t->counters.n);
	mp_svg_json(to, mp_str(page->file ? page->file : ""));
	mp_buf_printf(to, ",fields:[");
	put_fields(to, t);
	find_names(&names, t);
	mp_buf_printf(to, "],light:[");
	put_colours(to, t, &names, MP_LIGHT);
	mp_buf_printf(to, "],dark:[");
	put_colours(to, t, &names, MP_DARK);
	mp_buf_printf(to, "],sizes:[");
	for (i = 0; i < MP_TIMELINEDATA_PARTS; i++)
		mp_buf_printf(to, "%zu,", parts[i].len);
	mp_buf_printf(to, "]};\n");
	free(names.v);
	free(names.slots);
	mp_map_release(&names.map);
}

static void put_packed(struct mp_out *out, struct mp_buf *parts)
{
	struct mp_buf all = { NULL, 0, 0 }, packed = { NULL, 0, 0 };
	size_t i;

	for (i = 0; i < MP_TIMELINEDATA_PARTS; i++) {
		mp_buf_str(&all, mp_buf_view(&parts[i]));
		mp_buf_release(&parts[i]);
	}
	mp_packed_put(&packed, mp_buf_view(&all));
	mp_buf_release(&all);
	mp_out_write(out, packed.p, packed.len);
	mp_buf_release(&packed);
}

static MP_EMBED(html, ".incbin \"lib/timeline/timeline.html\"\n");
static MP_EMBED(script, ".incbin \"lib/draw/units.js\"\n"
			".incbin \"lib/draw/packed.js\"\n"
			".incbin \"lib/draw/words.js\"\n"
			".incbin \"lib/draw/fragment.js\"\n"
			".incbin \"lib/draw/ticks.js\"\n"
			".incbin \"lib/timeline/model.js\"\n"
			".incbin \"lib/timeline/view.js\"\n"
			".incbin \"lib/timeline/scene.js\"\n"
			".incbin \"lib/draw/link.js\"\n"
			".incbin \"lib/timeline/timeline.js\"\n");

static void put_page(struct mp_buf *to, const struct mp_timeline_page *page)
{
	const struct {
		const char *mark;
		struct mp_str text;
	} places[] = {
		{ "{TITLE}", page->title }, /* of the window */
		{ "{TITLE}", page->title },
		{ "{SUBTITLE}", page->subtitle },
	};
	const char *p = html(), *at;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(places); i++) {
		at = strstr(p, places[i].mark);
		mp_buf_add(to, p, at - p);
		mp_svg_text(to, places[i].text);
		p = at + strlen(places[i].mark);
	}
	mp_buf_str(to, mp_str(p));
}

void mp_timelinehtml(struct mp_out *out, struct mp_timeline *t, const struct mp_timeline_page *page)
{
	struct mp_buf parts[MP_TIMELINEDATA_PARTS], text = { NULL, 0, 0 }, head = { NULL, 0, 0 };

	if (!t->events)
		t->begin_ns = t->end_ns = 0;
	mp_timelinedata_make(parts, t);
	put_head(&head, t, page, parts);
	put_page(&text, page);
	mp_buf_printf(&text, "<script type=\"text/plain\" id=\"data\">");
	mp_out_write(out, text.p, text.len);
	put_packed(out, parts);
	text.len = 0;
	mp_buf_printf(&text, "</script>\n<script>\n");
	mp_buf_str(&text, mp_buf_view(&head));
	mp_buf_printf(&text, "%s</script>\n</body>\n</html>\n", script());
	mp_out_write(out, text.p, text.len);
	mp_buf_release(&text);
	mp_buf_release(&head);
}
