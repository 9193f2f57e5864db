// SPDX-License-Identifier: GPL-2.0-only
#include "lib/srcline/frames.h"

#include <stdlib.h>

#include "lib/fold/common_name.h"

void mp_srcline_frames_init(struct mp_srcline_frames *f)
{
	*f = (struct mp_srcline_frames){ .paths = false };
	mp_srcline_modules_init(&f->modules);
	mp_map_init(&f->texts, sizeof(struct mp_str));
	mp_map_init(&f->folded_texts, sizeof(struct mp_str));
}

void mp_srcline_frames_release(struct mp_srcline_frames *f)
{
	mp_srcline_modules_release(&f->modules);
	mp_map_release(&f->texts);
	mp_map_release(&f->folded_texts);
	mp_buf_release(&f->line);
	mp_buf_release(&f->frame);
}

/* A frame of the output. */
struct shown {
	struct mp_str name, path; /* raw */
	uint64_t line;		  /* 0: unknown */
	enum mp_mark mark;
	bool symbol; /* a name from a symbol table, without a line */
};

/* Takes a frame off the answer, which has "LINE PATH\nNAME\0" for each. False: there is none. */
static bool next_frame(struct mp_str *answer, struct shown *to)
{
	size_t len = strnlen(answer->p, answer->len), blank, lf;
	struct mp_str text = { answer->p, len };
	const char *at = memchr(text.p, ' ', text.len);
	const char *end = memrchr(text.p, '\n', text.len);

	if (!at || !end || end < at)
		return false;
	blank = at - text.p;
	lf = end - text.p;
	if (mp_num_u64((struct mp_str){ text.p, blank }, &to->line) < 0)
		return false;
	to->path = (struct mp_str){ at + 1, lf - blank - 1 };
	to->name = mp_str_skip(text, lf + 1);
	*answer = mp_str_skip(*answer, MP_MIN(len + 1, answer->len));
	return true;
}

static struct mp_str last_part(struct mp_str path)
{
	const char *slash = memrchr(path.p, '/', path.len);

	return slash ? mp_str_skip(path, slash + 1 - path.p) : path;
}

/* Appends the text of a frame to f->frame. */
static void add_frame(struct mp_srcline_frames *f, const struct shown *s, bool folded)
{
	struct mp_str path = f->paths ? s->path : last_part(s->path);
	struct mp_frame frame = { .mark = s->mark };
	struct mp_buf name = { NULL, 0, 0 };

	mp_buf_str(&name, s->name.len ? s->name : MP_STR("[unknown]"));
	if (!s->symbol) {
		mp_buf_str(&name, MP_STR(" ("));
		mp_buf_str(&name, path.len ? path : MP_STR("?"));
		if (s->line)
			mp_buf_printf(&name, ":%llu)", (unsigned long long)s->line);
		else
			mp_buf_str(&name, MP_STR(":?)"));
	}
	if (f->frame.len)
		mp_buf_byte(&f->frame, ';');
	frame.name = mp_buf_view(&name);
	mp_buf_reserve(&f->frame, 4 * frame.name.len + 12);
	f->frame.len = mp_frame_write(f->frame.p + f->frame.len, &frame, folded) - f->frame.p;
	mp_buf_release(&name);
}

/*
 * Makes the text of a frame in f->frame. False: there is no line information. The function keeps
 * its name and its mark; kernel code inlined in it is marked as kernel code.
 */
static bool make_text(struct mp_srcline_frames *f, struct mp_str text, bool folded)
{
	struct mp_str name, rest = { f->answer, 0 };
	enum mp_mark mark = mp_frame_mark(text, &name);
	struct mp_buf raw = { NULL, 0, 0 };
	struct mp_place place;
	struct shown s;
	bool known;

	f->frame.len = 0;
	if (!mp_frame_place(&name, &place))
		return false;
	f->placed++;
	rest.len = mp_srcline_modules_lines(&f->modules, &place, f->answer);
	known = mp_esc_undo(&raw, name) == 0 && !mp_fold_is_unknown(name, &name);
	while (next_frame(&rest, &s)) {
		bool inlined = f->frame.len > 0;

		s.symbol = !inlined && !known && s.name.len && !s.path.len && !s.line;
		if (!inlined && (known || !s.name.len))
			s.name = mp_buf_view(&raw);
		s.mark = inlined && mark != MP_MARK_KERNEL ? MP_MARK_INLINED : mark;
		if (!inlined && !s.path.len && !s.symbol)
			break;
		add_frame(f, &s, folded);
	}
	mp_buf_release(&raw);
	return f->frame.len > 0;
}

/* The text of a frame in the output. */
static struct mp_str text_of(struct mp_srcline_frames *f, struct mp_str frame, bool folded)
{
	struct mp_map *map = folded ? &f->folded_texts : &f->texts;
	struct mp_map_entry *e;
	struct mp_str *text;
	bool fresh;

	if (!memchr(frame.p, '@', frame.len))
		return frame;
	e = mp_map_put(map, &frame, 1, &fresh);
	text = mp_map_value(e);
	if (fresh)
		*text = make_text(f, frame, folded)
				? mp_arena_str(&map->arena, mp_buf_view(&f->frame))
				: e->key;
	return *text;
}

struct mp_str mp_srcline_frames_line(struct mp_srcline_frames *f, const struct mp_rec *rec)
{
	struct mp_str frames, frame;
	const char *end = rec->line.p + rec->line.len, *after;
	bool first = true;

	if (!mp_rec_stack(rec, &frames) || !memchr(frames.p, '@', frames.len))
		return rec->line;
	after = frames.p + frames.len;
	f->line.len = 0;
	mp_buf_add(&f->line, rec->line.p, frames.p - rec->line.p);
	while (mp_rec_next_frame(&frames, &frame)) {
		if (!first)
			mp_buf_byte(&f->line, ';');
		first = false;
		mp_buf_str(&f->line, text_of(f, frame, rec->kind == MP_FOLDED));
	}
	mp_buf_add(&f->line, after, end - after);
	if (f->line.len < MP_LINE_MAX)
		return mp_buf_view(&f->line);
	f->too_long++;
	return rec->line;
}
