// SPDX-License-Identifier: GPL-2.0-only
#include "lib/fold/fold.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/stream/esc.h"

/* Value of an entry in mp_fold.events or mp_fold.stacks. */
struct weight {
	int64_t sum;
	uint64_t bad; /* not 0: its text has a bad escape */
};

void mp_fold_init(struct mp_fold *f, const struct mp_fields *by)
{
	*f = (struct mp_fold){ .by = by };
	mp_map_init(&f->events, sizeof(struct weight));
	mp_map_init(&f->stacks, sizeof(struct weight));
	f->parts = mp_alloc((by->n + 1) * sizeof(*f->parts));
}

void mp_fold_release(struct mp_fold *f)
{
	mp_map_release(&f->events);
	mp_map_release(&f->stacks);
	free(f->parts);
	f->parts = NULL;
}

void mp_fold_clear(struct mp_fold *f)
{
	mp_map_clear(&f->events);
	mp_map_clear(&f->stacks);
}

static void add_weight(struct mp_fold *f, struct weight *w, int64_t weight)
{
	if (!__builtin_add_overflow(w->sum, weight, &w->sum))
		return;
	w->sum = weight < 0 ? INT64_MIN : INT64_MAX;
	f->overflow = true;
}

/*
 * A missing field must differ from every value, even an empty one: it begins with LF, which no
 * value contains.
 */
static const struct mp_str missing = { "\n", 1 };

int mp_fold_add(struct mp_fold *f, const struct mp_rec *rec, int64_t weight, const char **why)
{
	struct mp_map *map = &f->stacks;
	struct mp_map_entry *e;
	struct weight *w;
	size_t n = 0, i;
	bool fresh;

	if (rec->kind == MP_EVENT) {
		map = &f->events;
		n = f->by->n;
		if (mp_rec_get_all(rec, f->by, f->parts) < n)
			for (i = 0; i < n; i++)
				if (!f->parts[i].p)
					f->parts[i] = missing;
	}
	if (!mp_rec_stack(rec, &f->parts[n]))
		f->parts[n] = missing;
	e = mp_map_put(map, f->parts, n + 1, &fresh);
	w = mp_map_value(e);
	if (fresh)
		for (i = 0; i <= n; i++)
			if (f->parts[i].p != missing.p && mp_esc_check(f->parts[i]) < 0)
				w->bad = true;
	if (w->bad) {
		*why = "bad escape or control byte";
		return -1;
	}
	add_weight(f, w, weight);
	return 0;
}

/* The lines to be written, made of the entries: text of the frames -> weight. */
struct folding {
	struct mp_fold *fold;
	const struct mp_fold_style *style;
	struct mp_map lines;
	struct mp_buf line;
	size_t in_line; /* frames in `line`; the first may be empty */
	struct mp_buf raw;
	struct frame {
		struct mp_str name; /* escaped */
		enum mp_mark mark;
	} * frames;
	size_t n, cap;
};

static void put_frame(struct folding *g, struct mp_str raw, enum mp_mark mark)
{
	struct mp_buf *line = &g->line;
	char *end;

	if (g->in_line++)
		mp_buf_byte(line, ';');
	mp_buf_reserve(line, 4 * raw.len + 8);
	if (g->style->stream)
		end = mp_frame_put(line->p + line->len, raw, mark);
	else
		end = mp_frame_put_folded(line->p + line->len, raw,
					  g->style->annotate ? mark : MP_MARK_NONE);
	line->len = end - line->p;
}

static void put_escaped_frame(struct folding *g, struct mp_str text, enum mp_mark mark)
{
	g->raw.len = 0;
	/* cannot fail: the escapes were checked when the entry was added */
	mp_esc_undo(&g->raw, text);
	put_frame(g, mp_buf_view(&g->raw), mark);
}

static void split_frames(struct folding *g, struct mp_str text)
{
	struct mp_str frame;

	g->n = 0;
	while (mp_rec_next_frame(&text, &frame)) {
		g->frames = mp_grow(g->frames, &g->cap, g->n + 1, sizeof(*g->frames));
		g->frames[g->n].mark = mp_frame_mark(frame, &g->frames[g->n].name);
		g->n++;
	}
}

static bool same_frame(const struct frame *a, const struct frame *b)
{
	return a->mark == b->mark && mp_str_eq(a->name, b->name);
}

/* Removes the frames that the style excludes; the order stays. */
static void choose_frames(struct folding *g)
{
	const struct mp_fold_style *s = g->style;
	size_t i, kept = 0;

	if (!s->kernel_only && !s->user_only && !s->merge_recursive)
		return;
	for (i = 0; i < g->n; i++) {
		bool kernel = g->frames[i].mark == MP_MARK_KERNEL;

		if ((s->kernel_only && !kernel) || (s->user_only && kernel))
			continue;
		if (s->merge_recursive && kept && same_frame(&g->frames[kept - 1], &g->frames[i]))
			continue;
		g->frames[kept++] = g->frames[i];
	}
	g->n = kept;
}

static void put_frames(struct folding *g, struct mp_str text)
{
	size_t i, n;

	split_frames(g, text);
	choose_frames(g);
	n = g->style->depth && g->style->depth < g->n ? g->style->depth : g->n;
	for (i = 0; i < n; i++) {
		const struct frame *f = &g->frames[g->style->reverse ? g->n - 1 - i : i];

		put_escaped_frame(g, f->name, f->mark);
	}
}

static void put_field(struct folding *g, const struct mp_field *field, struct mp_str value)
{
	char text[160];
	int n;

	if (!mp_str_eq(value, missing)) {
		put_escaped_frame(g, value, MP_MARK_NONE);
		return;
	}
	n = snprintf(text, sizeof(text), "[no %.*s]", MP_STR_ARGS(field->name));
	put_frame(g, (struct mp_str){ text, n }, MP_MARK_NONE);
}

/* Turns one entry into one line, and adds its weight to a line with the same text. */
static void fold_entry(struct folding *g, const struct mp_map_entry *e, const struct mp_fields *by)
{
	const struct weight *w = mp_map_value(e);
	struct mp_str rest = e->key, line;
	struct mp_map_entry *to;
	size_t i;

	if (w->bad)
		return;
	g->line.len = 0;
	g->in_line = 0;
	if (g->style->first.p)
		put_frame(g, g->style->first, MP_MARK_NONE);
	for (i = 0; by && i < by->n; i++) {
		const char *tab = memchr(rest.p, '\t', rest.len);
		struct mp_str value = { rest.p, tab - rest.p };

		put_field(g, &by->v[i], value);
		rest.p += value.len + 1;
		rest.len -= value.len + 1;
	}
	if (!by || (rest.len && !mp_str_eq(rest, missing)))
		put_frames(g, rest);
	if (g->in_line == 0)
		put_frame(g, MP_STR("[no stack]"), MP_MARK_NONE);
	line = mp_buf_view(&g->line);
	to = mp_map_put(&g->lines, &line, 1, NULL);
	add_weight(g->fold, mp_map_value(to), w->sum);
}

static const struct weight *weight_of(const struct mp_map_entry *e)
{
	return mp_map_value(e);
}

static int by_bytes(const void *a, const void *b)
{
	const struct mp_map_entry *x = *(const struct mp_map_entry *const *)a;
	const struct mp_map_entry *y = *(const struct mp_map_entry *const *)b;

	return mp_str_cmp(x->key, y->key);
}

static int by_weight(const void *a, const void *b)
{
	const struct mp_map_entry *x = *(const struct mp_map_entry *const *)a;
	const struct mp_map_entry *y = *(const struct mp_map_entry *const *)b;

	if (weight_of(x)->sum != weight_of(y)->sum)
		return weight_of(x)->sum > weight_of(y)->sum ? -1 : 1;
	return mp_str_cmp(x->key, y->key);
}

static void write_line(const struct folding *g, const struct mp_map_entry *e, struct mp_out *out)
{
	char number[MP_NUM_MAX], *end = mp_put_i64(number, weight_of(e)->sum);

	if (g->style->stream) {
		mp_out_write(out, number, end - number);
		mp_out_write(out, "#", 1);
		mp_out_write(out, e->key.p, e->key.len);
		mp_out_write(out, "\n", 1);
		return;
	}
	mp_out_write(out, e->key.p, e->key.len);
	mp_out_write(out, " ", 1);
	*end++ = '\n';
	mp_out_write(out, number, end - number);
}

static struct mp_fold_result write_lines(struct folding *g, struct mp_out *out)
{
	struct mp_map_entry **sorted = mp_alloc(g->lines.n * sizeof(*sorted)), *e;
	struct mp_fold_result result = { 0, 0 };
	double total = 0, min;
	size_t n = 0, i;

	mp_map_each (&g->lines, e) {
		sorted[n++] = e;
		total += (double)weight_of(e)->sum;
	}
	min = MP_MAX((double)g->style->min, g->style->min_share * total);
	qsort(sorted, n, sizeof(*sorted), g->style->by_weight ? by_weight : by_bytes);
	for (i = 0; i < n; i++) {
		if (weight_of(sorted[i])->sum == 0)
			continue;
		if (min > 0 && (double)weight_of(sorted[i])->sum < min) {
			result.below_min++;
			continue;
		}
		write_line(g, sorted[i], out);
		result.lines++;
	}
	free(sorted);
	return result;
}

struct mp_fold_result mp_fold_write(struct mp_fold *f, const struct mp_fold_style *style,
				    struct mp_out *out)
{
	struct folding g = { .fold = f, .style = style };
	struct mp_fold_result result;
	const struct mp_map_entry *e;

	mp_map_init(&g.lines, sizeof(struct weight));
	mp_map_each (&f->events, e)
		fold_entry(&g, e, f->by);
	mp_map_each (&f->stacks, e)
		fold_entry(&g, e, NULL);
	result = write_lines(&g, out);
	mp_map_release(&g.lines);
	mp_buf_release(&g.line);
	mp_buf_release(&g.raw);
	free(g.frames);
	return result;
}
