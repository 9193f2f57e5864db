// SPDX-License-Identifier: GPL-2.0-only
#include "lib/fold/fold.h"

#include <stdlib.h>

#include "lib/fold/common_name.h"
#include "lib/stream/esc.h"

/* Value of an entry in mp_fold.events or mp_fold.stacks. */
struct weight {
	int64_t sum;
	bool bad;   /* its text has a bad escape */
	bool plain; /* it is written as it is, unless the style changes it */
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
	mp_buf_release(&f->frames.raw);
	mp_buf_release(&f->key);
	free(f->frames.v);
	f->frames = (struct mp_fold_frames){ .v = NULL };
	free(f->parts);
	f->parts = NULL;
}

void mp_fold_clear(struct mp_fold *f)
{
	mp_map_clear(&f->events);
	mp_map_clear(&f->stacks);
}

static const char bad_escape[] = "bad escape or control byte";

/*
 * A missing field must differ from every value, even an empty one: it begins with LF, which no
 * value contains.
 */
static const struct mp_str missing = { "\n", 1 };

/* Sets the parts of a key: the fields of an event, and the stack. Returns how many fields. */
static size_t get_parts(struct mp_fold *f, const struct mp_rec *rec)
{
	size_t n = 0, i;

	if (rec->kind == MP_EVENT) {
		n = f->by->n;
		if (mp_rec_names(rec, f->by, f->parts) < n)
			for (i = 0; i < n; i++)
				if (!f->parts[i].p)
					f->parts[i] = missing;
	}
	if (!mp_rec_stack(rec, &f->parts[n]))
		f->parts[n] = missing;
	return n;
}

typedef unsigned char block __attribute__((vector_size(16)));

/* Those of 16 bytes that a plain stack does not have. */
static block find_special(const char *bytes)
{
	block b;

	memcpy(&b, bytes, sizeof(b));
	return (block)((b < 0x20) | (b == 0x7f) | (b == '\\') | (b == '[') | (b == '@') |
		       (b == '#') | (b == '{') | (b == ','));
}

/*
 * Whether the frames of a stack certainly have no escape, mark or place, and nothing that
 * mp_frame_write() escapes.
 */
static bool is_plain(struct mp_str stack)
{
	static const char ends[] = "0123456789.;";
	const char *blank = stack.p;
	char tail[sizeof(block)];
	block special;
	uint64_t any[2];
	size_t i, at;

	memset(tail, 'x', sizeof(tail));
	memcpy(tail, stack.p + stack.len - stack.len % sizeof(tail), stack.len % sizeof(tail));
	special = find_special(tail);
	for (at = 0; at + sizeof(block) <= stack.len; at += sizeof(block))
		special |= find_special(stack.p + at);
	memcpy(any, &special, sizeof(any));
	if (any[0] | any[1])
		return false;
	while ((blank = memchr(blank, ' ', stack.p + stack.len - blank))) {
		i = ++blank - stack.p;
		if (i == stack.len || memchr(ends, *blank, sizeof(ends) - 1))
			return false;
	}
	return stack.len > 0;
}

int mp_fold_add(struct mp_fold *f, const struct mp_rec *rec, int64_t weight, const char **why)
{
	struct mp_map *map = rec->kind == MP_EVENT ? &f->events : &f->stacks;
	size_t n = get_parts(f, rec), i;
	struct mp_map_entry *e;
	struct weight *w;
	bool fresh;

	e = mp_map_put(map, f->parts, n + 1, &fresh);
	w = mp_map_value(e);
	if (fresh && map == &f->stacks)
		w->plain = is_plain(f->parts[0]);
	for (i = 0; fresh && !w->plain && i <= n; i++)
		if (f->parts[i].p != missing.p && mp_esc_check(f->parts[i]) < 0)
			w->bad = true;
	if (w->bad) {
		*why = bad_escape;
		return -1;
	}
	mp_fold_sum(&w->sum, weight, &f->overflow);
	return 0;
}

int mp_fold_values(struct mp_fold *f, const struct mp_rec *rec, struct mp_buf *to, const char **why)
{
	size_t n = get_parts(f, rec), i;

	*why = bad_escape;
	for (i = 0; i < n; i++) {
		if (f->parts[i].p != missing.p && mp_esc_check(f->parts[i]) < 0)
			return -1;
		if (i)
			mp_buf_byte(to, '\t');
		mp_buf_str(to, f->parts[i]);
	}
	return 0;
}

void mp_fold_add_values(struct mp_fold *f, struct mp_str values, struct mp_str frames,
			int64_t weight)
{
	/* the key is all parts, joined by TABs: the values already are */
	struct mp_str parts[2] = { values, frames };
	size_t none = f->by->n == 0;
	struct weight *w = mp_map_value(mp_map_put(&f->events, parts + none, 2 - none, NULL));

	mp_fold_sum(&w->sum, weight, &f->overflow);
}

static void add_frame(struct mp_fold_frames *u, size_t start, enum mp_mark mark)
{
	u->v = mp_grow(u->v, &u->cap, u->n + 1, sizeof(*u->v));
	u->v[u->n++] =
		(struct mp_frame){ .name = { u->raw.p + start, u->raw.len - start }, .mark = mark };
}

static void add_escaped(struct mp_fold_frames *u, struct mp_str text, enum mp_mark mark)
{
	size_t start = u->raw.len;

	u->bad |= mp_esc_undo(&u->raw, text) < 0;
	add_frame(u, start, mark);
}

static bool same_frame(const struct mp_frame *a, const struct mp_frame *b)
{
	return a->mark == b->mark && mp_str_eq(a->name, b->name);
}

/* Removes frames from number `first` on that the style excludes; the order stays. */
static void choose_frames(struct mp_fold_frames *u, const struct mp_fold_style *s, size_t first)
{
	size_t i, kept = first;

	if (!s->kernel_only && !s->user_only && !s->merge_recursive)
		return;
	for (i = first; i < u->n; i++) {
		bool kernel = u->v[i].mark == MP_MARK_KERNEL;

		if ((s->kernel_only && !kernel) || (s->user_only && kernel))
			continue;
		if (s->merge_recursive && kept > first && same_frame(&u->v[kept - 1], &u->v[i]) &&
		    (s->files || mp_str_eq(u->v[kept - 1].place, u->v[i].place)))
			continue;
		u->v[kept++] = u->v[i];
	}
	u->n = kept;
}

/* Keeps `n` frames from number `first` on, from the root or, in reverse, from the leaf. */
static void order_frames(struct mp_fold_frames *u, const struct mp_fold_style *s, size_t first)
{
	struct mp_frame *f = u->v + first, swap;
	size_t n = u->n - first, i;

	for (i = 0; s->reverse && i < n / 2; i++) {
		swap = f[i];
		f[i] = f[n - 1 - i];
		f[n - 1 - i] = swap;
	}
	if (s->depth && s->depth < n)
		u->n = first + s->depth;
}

void mp_fold_globs_add(struct mp_fold_globs *globs, const char *glob)
{
	globs->v = mp_grow(globs->v, &globs->cap, globs->n + 1, sizeof(*globs->v));
	mp_glob_init(&globs->v[globs->n++], mp_str(glob));
}

/* The text of a stack from the first frame on that a glob matches; p == NULL: there is none. */
static struct mp_str find_frame(const struct mp_fold_globs *globs, const struct mp_fold_style *s,
				struct mp_str text)
{
	struct mp_str from = text, frame, name;
	size_t i;

	for (; mp_rec_next_frame(&text, &frame); from = text) {
		mp_frame_mark(frame, &name);
		if (s->lines || s->files)
			mp_frame_place(&name, NULL);
		for (i = 0; i < globs->n; i++)
			if (mp_glob_match(&globs->v[i], name))
				return from;
	}
	return (struct mp_str){ NULL, 0 };
}

/*
 * Whether the style excludes an escaped stack, p == NULL: an event without one. If not, `*text`
 * becomes the part that it shows.
 */
static bool excludes(const struct mp_fold_style *s, struct mp_str *text)
{
	if (s->focus.n && !find_frame(&s->focus, s, *text).p)
		return true;
	if (s->ignore.n && find_frame(&s->ignore, s, *text).p)
		return true;
	if (s->show_from.n)
		*text = find_frame(&s->show_from, s, *text);
	return s->show_from.n && !text->p;
}

/*
 * The file of a frame: what is before the id in the module of its place, or the module in the name
 * of an unknown frame, without brackets. An inlined function is in the file of its caller.
 */
static struct mp_str file_of(const struct mp_fold_frames *u, struct mp_str *name, enum mp_mark mark)
{
	struct mp_place place;
	struct mp_str file = { "", 0 };

	if (mp_frame_place(name, &place)) {
		const char *colon = memrchr(place.module.p, ':', place.module.len);

		file = place.module;
		file.len = colon ? (size_t)(colon - file.p) : file.len;
	} else if (!mp_fold_is_unknown(*name, &file) && mark == MP_MARK_INLINED && u->n) {
		return u->v[u->n - 1].place;
	}
	if (file.len > 2 && file.p[0] == '[' && file.p[file.len - 1] == ']')
		file = (struct mp_str){ file.p + 1, file.len - 2 };
	return file;
}

/* Adds a frame as the style wants its name, with its place or file if the style keeps it. */
static void add_styled(struct mp_fold_frames *u, const struct mp_fold_style *s, struct mp_str name,
		       enum mp_mark mark)
{
	struct mp_str place = { "", 0 };
	size_t start, len = name.len;

	if (s->files)
		place = file_of(u, &name, mark);
	else if (s->lines && mp_frame_place(&name, NULL))
		place = (struct mp_str){ name.p + name.len, len - name.len };
	if (s->merge_unknown && mp_fold_is_unknown(name, &name) && !s->files)
		place.len = 0;
	add_escaped(u, s->common_names ? mp_fold_common_name(name) : name, mark);
	if (s->files) {
		u->v[u->n - 1].place = place;
		return;
	}
	start = u->raw.len;
	mp_buf_str(&u->raw, place);
	u->v[u->n - 1].place = (struct mp_str){ u->raw.p + start, place.len };
}

static void add_stack(struct mp_fold_frames *u, const struct mp_fold_style *s, struct mp_str text)
{
	size_t first = u->n;
	struct mp_str frame, name;

	while (mp_rec_next_frame(&text, &frame)) {
		enum mp_mark mark = mp_frame_mark(frame, &name);

		add_styled(u, s, name, mark);
	}
	choose_frames(u, s, first);
	order_frames(u, s, first);
}

static void add_field(struct mp_fold_frames *u, const struct mp_field *field, struct mp_str value)
{
	size_t start = u->raw.len;

	if (!mp_str_eq(value, missing)) {
		add_escaped(u, value, MP_MARK_NONE);
		return;
	}
	mp_buf_str(&u->raw, MP_STR("[no "));
	mp_buf_str(&u->raw, field->name);
	mp_buf_byte(&u->raw, ']');
	add_frame(u, start, MP_MARK_NONE);
}

/*
 * Begins a stack of `len` bytes after these fields: reserves room for all names, so that none is
 * moved. What adds a name must not reserve more than a byte beyond it, as mp_buf_printf() does.
 */
static void begin(struct mp_fold_frames *u, size_t len, const struct mp_fields *by)
{
	size_t room = len + 16, i;

	for (i = 0; by && i < by->n; i++)
		room += by->v[i].name.len + 8;
	u->n = 0;
	u->raw.len = 0;
	u->bad = u->excluded = false;
	mp_buf_reserve(&u->raw, room);
}

/* Makes the frames of an entry. */
static void unfold(struct mp_fold_frames *u, const struct mp_fold_style *s, struct mp_str key,
		   const struct mp_fields *by)
{
	struct mp_str rest = key, none = { NULL, 0 };
	bool has_stack;
	size_t i;

	begin(u, key.len, by);
	for (i = 0; by && i < by->n; i++) {
		const char *tab = memchr(rest.p, '\t', rest.len);
		struct mp_str value = { rest.p, tab - rest.p };

		add_field(u, &by->v[i], value);
		rest = mp_str_skip(rest, value.len + 1);
	}
	has_stack = !by || (rest.len && !mp_str_eq(rest, missing));
	if (excludes(s, has_stack ? &rest : &none)) {
		u->excluded = true;
		u->bad |= has_stack && mp_esc_check(rest) < 0;
		return;
	}
	if (has_stack)
		add_stack(u, s, rest);
	if (u->n == 0 && !s->first.p) {
		mp_buf_str(&u->raw, MP_STR("[no stack]"));
		add_frame(u, 0, MP_MARK_NONE);
	}
}

static void visit_frames(struct mp_fold *f, mp_fold_visit *visit, void *arg, int64_t weight)
{
	f->excluded += f->frames.excluded;
	f->visited += !f->frames.excluded;
	if (!f->frames.excluded)
		visit(arg, f->frames.v, f->frames.n, weight);
}

/* With `plain`, plain stacks go there as they are. */
static void each(struct mp_fold *f, const struct mp_fold_style *style, struct mp_fold_lines *plain,
		 mp_fold_visit *visit, void *arg)
{
	const struct mp_map *maps[] = { &f->events, &f->stacks };
	const struct mp_map_entry *e;
	const struct weight *w;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(maps); i++) {
		mp_map_each (maps[i], e) {
			w = mp_map_value(e);
			if (w->bad)
				continue;
			if (plain && w->plain) {
				mp_fold_lines_add(plain, e->key, w->sum);
				f->visited++;
				continue;
			}
			unfold(&f->frames, style, e->key, maps[i] == &f->events ? f->by : NULL);
			visit_frames(f, visit, arg, w->sum);
		}
	}
}

void mp_fold_each(struct mp_fold *f, const struct mp_fold_style *style, mp_fold_visit *visit,
		  void *arg)
{
	each(f, style, NULL, visit, arg);
}

int mp_fold_pass(struct mp_fold *f, const struct mp_fold_style *style, const struct mp_rec *rec,
		 mp_fold_visit *visit, void *arg, const char **why)
{
	struct mp_str key = rec->body;
	size_t n, i;

	if (rec->kind == MP_EVENT) {
		n = get_parts(f, rec);
		f->key.len = 0;
		for (i = 0; i <= n; i++) {
			if (i)
				mp_buf_byte(&f->key, '\t');
			mp_buf_str(&f->key, f->parts[i]);
		}
		key = mp_buf_view(&f->key);
	}
	unfold(&f->frames, style, key, rec->kind == MP_EVENT ? f->by : NULL);
	if (f->frames.bad) {
		*why = bad_escape;
		return -1;
	}
	visit_frames(f, visit, arg, rec->kind == MP_EVENT ? 1 : rec->weight);
	return 0;
}

void mp_fold_report(const struct mp_fold *f)
{
	if (f->excluded && !f->visited)
		mp_say("--focus, --ignore and --show-from exclude every stack");
}

/* Whether a plain stack is the same line. */
static bool keeps_plain(const struct mp_fold_style *s)
{
	return !s->focus.n && !s->ignore.n && !s->show_from.n && !s->kernel_only && !s->user_only &&
	       !s->lines && !s->files && !s->merge_unknown && !s->common_names &&
	       !s->merge_recursive && !s->reverse && !s->depth && !s->first.p;
}

size_t mp_fold_bytes(const struct mp_fold *f)
{
	return mp_map_bytes(&f->events) + mp_map_bytes(&f->stacks);
}

/* What turns stacks into lines. */
struct pouring {
	const struct mp_fold_style *style;
	struct mp_fold_lines *lines;
	struct mp_buf line;
};

static void put_frame(struct pouring *g, const struct mp_frame *frame)
{
	struct mp_frame shown = *frame;
	struct mp_buf *line = &g->line;
	char *end;

	if (!g->style->stream && !g->style->annotate)
		shown.mark = MP_MARK_NONE;
	mp_buf_reserve(line, 4 * shown.name.len + shown.place.len + 12);
	end = mp_frame_write(line->p + line->len, &shown, !g->style->stream);
	line->len = end - line->p;
}

/* Adds a stack as a line. A first frame is not part of it until the line is written. */
static void pour_stack(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	struct pouring *g = arg;
	size_t i;

	g->line.len = 0;
	for (i = 0; i < n; i++) {
		if (i || g->style->first.p)
			mp_buf_byte(&g->line, ';');
		put_frame(g, &frames[i]);
	}
	mp_fold_lines_copy(g->lines, mp_buf_view(&g->line), weight);
}

/* Adds the lines of all stacks to the batch, into which they may point. */
static void pour(struct mp_fold *f, const struct mp_fold_style *style, struct mp_fold_lines *lines)
{
	struct pouring g = { .style = style, .lines = lines };

	each(f, style, keeps_plain(style) ? lines : NULL, pour_stack, &g);
	mp_buf_release(&g.line);
}

void mp_fold_pour(struct mp_fold *f, const struct mp_fold_style *style, struct mp_fold_lines *lines)
{
	pour(f, style, lines);
	mp_fold_lines_seal(lines);
	f->overflow |= lines->overflow;
	mp_fold_clear(f);
}

enum {
	RANK_BYTES = 10, /* 7 bits each */
};

/* What writes lines. */
struct writing {
	const struct mp_fold_style *style;
	struct mp_out *out;
	struct mp_fold_lines by_weight;
	struct mp_buf ranked; /* a line for it */
	double min;
	struct mp_buf first; /* the style's first frame as text */
	struct mp_fold_result result;
};

static void write_line(void *arg, struct mp_str line, size_t kept, int64_t weight)
{
	struct writing *w = arg;
	char number[MP_NUM_MAX], *end;

	(void)kept;
	if (weight == 0)
		return;
	if (w->min > 0 && (double)weight < w->min) {
		w->result.below_min++;
		return;
	}
	w->result.lines++;
	end = mp_put_i64(number, weight);
	if (w->style->stream) {
		mp_out_write(w->out, number, end - number);
		mp_out_write(w->out, "#", 1);
		mp_out_write(w->out, w->first.p, w->first.len);
		mp_out_write(w->out, line.p, line.len);
		mp_out_write(w->out, "\n", 1);
		return;
	}
	mp_out_write(w->out, w->first.p, w->first.len);
	mp_out_write(w->out, line.p, line.len);
	mp_out_write(w->out, " ", 1);
	*end++ = '\n';
	mp_out_write(w->out, number, end - number);
}

/* Adds a line after bytes that sort it by its weight, the greatest first. No byte is NUL. */
static void sort_by_weight(void *arg, struct mp_str line, size_t kept, int64_t weight)
{
	struct writing *w = arg;
	uint64_t rank = (uint64_t)INT64_MAX - (uint64_t)weight;
	int i;

	(void)kept;
	w->ranked.len = 0;
	for (i = RANK_BYTES; i-- > 0;)
		mp_buf_byte(&w->ranked, (char)(1 + (rank >> 7 * i & 0x7f)));
	mp_buf_str(&w->ranked, line);
	mp_fold_lines_copy(&w->by_weight, mp_buf_view(&w->ranked), weight);
	if (mp_fold_lines_is_full(&w->by_weight, 0))
		mp_fold_lines_seal(&w->by_weight);
}

static void write_ranked(void *arg, struct mp_str line, size_t kept, int64_t weight)
{
	write_line(arg, mp_str_skip(line, RANK_BYTES), kept, weight);
}

static void set_first(struct writing *w)
{
	struct mp_frame first = { .name = w->style->first };

	if (!first.name.p)
		return;
	mp_buf_reserve(&w->first, 4 * first.name.len + 12);
	w->first.len = mp_frame_write(w->first.p, &first, !w->style->stream) - w->first.p;
}

struct mp_fold_result mp_fold_write(struct mp_fold *f, const struct mp_fold_style *style,
				    struct mp_fold_lines *lines, struct mp_out *out)
{
	struct writing w = { .style = style, .out = out };

	set_first(&w);
	pour(f, style, lines);
	w.min = MP_MAX((double)style->min, style->min_share * lines->total);
	if (style->by_weight) {
		mp_fold_lines_init(&w.by_weight, lines->limit);
		mp_fold_lines_each(lines, sort_by_weight, &w);
		mp_fold_lines_each(&w.by_weight, write_ranked, &w);
		mp_buf_release(&w.ranked);
		mp_fold_lines_release(&w.by_weight);
	} else {
		mp_fold_lines_each(lines, write_line, &w);
	}
	f->overflow |= lines->overflow;
	mp_fold_clear(f);
	mp_buf_release(&w.first);
	return w.result;
}
