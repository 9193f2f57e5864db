// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the stacks that the tools of bcc print by default, over several lines: frames, perhaps the
 * thread, and a number, then an empty line. The shapes are those of the code that prints them in
 * bcc 0.26: tools/offcputime.py, profile.py and stackcount.py. With -f the tools print folded text.
 */
#include "lib/import/counted.h"
#include "lib/import/format.h"

static const struct tool {
	struct mp_str head, inside; /* how the first line begins, and what it has */
	const char *name, *weight;
} tools[] = {
	{ { "Tracing off-CPU time (us) of ", 29 }, { " stack", 6 }, "offcputime", "us" },
	{ { "Sampling at ", 12 }, { " stack", 6 }, "profile", "count" },
	{ { "Tracing ", 8 }, { " functions for \"", 16 }, "stackcount", "count" },
};

struct state {
	struct mp_import *im;
	const struct tool *tool;
	struct mp_import_frames frames;
	/* the last two lines of a record: the thread, or another frame, and the number */
	struct mp_buf held[2];
	size_t n_held;
	bool divided; /* the record has "--" */
};

static const struct tool *find_tool(struct mp_str line)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(tools); i++)
		if (mp_str_starts(line, tools[i].head) &&
		    mp_import_find(line, tools[i].inside.p) < line.len)
			return &tools[i];
	return NULL;
}

/*
 * A frame, which -v precedes by an address in 16 columns; "--", or what is printed for a user stack that
 * is missing, follows those of the kernel.
 */
static void add_frame(struct state *s, struct mp_str line)
{
	struct mp_str text = mp_import_trim(line);
	bool address = text.len > MP_COMM_WIDTH + 1 && text.p[MP_COMM_WIDTH] == ' ' &&
		       text.p[MP_COMM_WIDTH + 1] != ' ';
	bool divider = mp_str_eq(text, MP_STR("--"));

	if (!s->divided && (divider || mp_str_eq(text, MP_STR("[Missed User Stack]")))) {
		mp_import_counted_kernel(&s->frames);
		s->divided = true;
		if (divider)
			return;
	}
	mp_import_counted_frame(&s->frames, text, address);
}

/* The name in "-                NAME (PID)", or of stackcount in "NAME [PID]". */
static bool find_thread(struct mp_str line, const struct tool *tool, struct mp_str *name)
{
	bool counted = strcmp(tool->name, "stackcount") == 0;
	struct mp_str s = mp_str_skip(line, 4);
	size_t n;

	if (!mp_str_ends(s, counted ? MP_STR("]") : MP_STR(")")))
		return false;
	n = mp_import_digits_start(s, s.len - 1);
	if (n == s.len - 1 || n < 2 || s.p[n - 1] != (counted ? '[' : '(') || s.p[n - 2] != ' ')
		return false;
	s.len = n - 2;
	if (!counted) {
		if (!mp_str_starts(s, MP_STR("-                ")))
			return false;
		s = mp_str_skip(s, MP_COMM_WIDTH + 1);
	}
	*name = s;
	return s.len <= MP_COMM_MAX;
}

static void forget(struct state *s)
{
	s->n_held = 0;
	s->divided = false;
	s->frames.n = s->frames.bytes = 0;
	s->frames.truncated = false;
}

/* An empty line ends a record. */
static void finish(struct state *s)
{
	struct mp_str thread, number = { NULL, 0 };
	int64_t weight;

	if (s->n_held)
		number = mp_import_trim(mp_buf_view(&s->held[s->n_held - 1]));
	if (mp_num_i64(number, &weight) < 0) {
		mp_import_bad(s->im, "no number after the frames");
		forget(s);
		return;
	}
	if (s->n_held == 2 && find_thread(mp_buf_view(&s->held[0]), s->tool, &thread))
		mp_import_frame_name(&s->frames, thread, MP_MARK_NONE);
	else if (s->n_held == 2)
		add_frame(s, mp_buf_view(&s->held[0]));
	mp_import_counted_write(s->im, &s->frames, weight);
	forget(s);
}

static void hold(struct state *s, struct mp_str line)
{
	struct mp_buf first = s->held[0];

	if (s->n_held == 2) {
		add_frame(s, mp_buf_view(&first));
		s->held[0] = s->held[1];
		s->held[1] = first;
		s->n_held--;
	}
	s->held[s->n_held].len = 0;
	mp_buf_str(&s->held[s->n_held++], line);
}

static void parse(struct mp_import *im)
{
	struct state s = { .im = im, .tool = &tools[MP_ARRAY_SIZE(tools) - 1] };
	const struct tool *tool;
	struct mp_str line;

	im->source = "bcc";
	mp_import_frames_init(&s.frames);
	while (mp_import_line(im, &line)) {
		tool = find_tool(line);
		if (tool) {
			s.tool = tool;
			mp_import_counted_begin(im, mp_str(tool->name), mp_str(tool->weight));
		} else if (mp_str_starts(line, MP_STR("  "))) {
			mp_import_counted_begin(im, mp_str(s.tool->name), mp_str(s.tool->weight));
			if (line.len >= 4)
				hold(&s, line);
			else
				mp_import_bad(im, "neither a frame nor a number");
		} else if (!line.len) {
			if (s.n_held)
				finish(&s);
		} else if (!mp_str_starts(line, MP_STR("Detaching...")) &&
			   !mp_str_eq(line, MP_STR("^C"))) {
			mp_import_skip(im, MP_STR("printed-lines"));
		}
	}
	if (s.n_held && !im->truncated)
		finish(&s);
	mp_import_frames_release(&s.frames);
	mp_buf_release(&s.held[0]);
	mp_buf_release(&s.held[1]);
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	return first && find_tool(line) ? MP_IMPORT_CERTAIN : MP_IMPORT_UNLIKE;
}

const struct mp_import_format mp_import_bcc = { "bcc", looks_like, NULL, parse };
