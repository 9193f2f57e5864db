// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads what bpftrace prints at its end: maps whose keys have stacks, and histograms. The shapes
 * are those of bpftrace 0.17, src/output.cpp and src/bpftrace.cpp (get_stack).
 */
#include "lib/import/counted.h"
#include "lib/import/format.h"

/* A map of stacks: a record begins with "@NAME[" and ends with "]: VALUE". */
struct state {
	struct mp_import *im;
	struct mp_import_frames frames;
	struct mp_buf map;   /* "@NAME" of the record or the histogram */
	struct mp_buf keys;  /* the parts of the key that are not stacks */
	struct mp_buf stack; /* of a histogram: that of its key, root first */
	bool in_record;
	bool in_histogram;
	uint64_t rows; /* rows of histograms so far: the TIME of the next one */
};

/* Length of "@NAME" at the start of a line; 0 if there is none. */
static size_t map_name(struct mp_str line)
{
	size_t n = 1;

	if (!line.len || *line.p != '@')
		return 0;
	while (n < line.len &&
	       (mp_import_letter(line.p[n]) || mp_import_digit(line.p[n]) || line.p[n] == '_'))
		n++;
	return n;
}

/* Where "]: VALUE" begins in a line that ends with it; line.len if it does not. */
static size_t closing(struct mp_str line, struct mp_str *value)
{
	size_t n = line.len;

	while (n > 2 && memcmp(line.p + n - 3, "]: ", 3) != 0)
		n--;
	*value = mp_str_skip(line, n);
	return n > 2 ? n - 3 : line.len;
}

/* Adds a part of the key that is not a stack: ", bash, 12" */
static void add_key(struct state *s, struct mp_str text)
{
	while (text.len && (*text.p == ',' || *text.p == ' '))
		text = mp_str_skip(text, 1);
	while (text.len && (text.p[text.len - 1] == ',' || text.p[text.len - 1] == ' '))
		text.len--;
	if (text.len && s->keys.len)
		mp_buf_add(&s->keys, ", ", 2);
	mp_buf_str(&s->keys, text);
}

static void forget(struct state *s)
{
	s->in_record = s->in_histogram = false;
	s->keys.len = s->stack.len = 0;
	s->frames.n = s->frames.bytes = 0;
	s->frames.truncated = false;
}

/* Keeps the frames for all rows of a histogram. */
static void keep_stack(struct state *s)
{
	struct mp_import_frames *f = &s->frames;

	s->stack.len = 0;
	for (; f->n; f->n--) {
		if (s->stack.len)
			mp_buf_byte(&s->stack, ';');
		mp_buf_str(&s->stack, f->v[f->n - 1]);
	}
}

/* The record is complete: `value` follows its key; empty if a histogram does. */
static void finish(struct state *s, struct mp_str value)
{
	struct mp_import *im = s->im;
	int64_t weight;

	s->in_record = false;
	if (!value.len) {
		s->in_histogram = true;
		keep_stack(s);
		return;
	}
	if (mp_num_i64(value, &weight) < 0 && mp_import_digits(value) == value.len) {
		mp_import_bad(im, "the count is out of range");
	} else if (mp_num_i64(value, &weight) < 0) {
		mp_import_skip(im, MP_STR("map-values"));
	} else {
		if (s->keys.len)
			mp_import_frame_name(&s->frames, mp_buf_view(&s->keys), MP_MARK_NONE);
		mp_import_counted_begin(im, mp_buf_view(&s->map), MP_STR("count"));
		mp_import_counted_write(im, &s->frames, weight);
	}
	forget(s);
}

/* "@NAME[": the key has a stack if the line ends there, or if what ends there is an empty one. */
static void begin(struct state *s, struct mp_str line)
{
	size_t name = map_name(line), end;
	struct mp_str value, key;

	forget(s);
	s->map.len = 0;
	mp_buf_str(&s->map, (struct mp_str){ line.p, name });
	line = mp_str_skip(line, name);
	if (mp_str_eq(line, MP_STR(": "))) {
		s->in_histogram = true;
		return;
	}
	if (!line.len || *line.p != '[') {
		mp_import_skip(s->im, MP_STR("map-values"));
		return;
	}
	line = mp_str_skip(line, 1);
	end = closing(line, &value);
	key = (struct mp_str){ line.p, end };
	add_key(s, key);
	if (end == line.len)
		s->in_record = true;
	else if (!value.len || !key.len || *key.p == ',')
		finish(s, value);
	else
		mp_import_skip(s->im, MP_STR("map-values"));
}

/* A line within a record: a frame, a part of the key, or the end. */
static void within(struct state *s, struct mp_str line)
{
	struct mp_str value;
	size_t end;

	if (*line.p == '\t' || mp_str_starts(line, MP_STR("    "))) {
		mp_import_counted_frame(&s->frames, *line.p == '\t' ? mp_str_skip(line, 1) : line,
					*line.p == '\t');
		return;
	}
	end = closing(line, &value);
	add_key(s, (struct mp_str){ line.p, end });
	if (end < line.len)
		finish(s, value);
}

/* --- histograms ------------------------------------------------------------------------------- */

/* Parses a limit of a row, "-12" or "4K"; the letters are powers of 1024. */
static bool parse_limit(struct mp_str s, int64_t *v)
{
	static const char units[] = "KMGTPE";
	const char *unit = s.len ? strchr(units, s.p[s.len - 1]) : NULL;
	unsigned shift = 0;

	if (unit && *unit) {
		shift = 10 * (unsigned)(unit - units + 1);
		s.len--;
	}
	return s.len && mp_num_i64(s, v) == 0 &&
	       !__builtin_mul_overflow(*v, (int64_t)1 << shift, v);
}

struct row {
	int64_t low, high; /* from `low` to below `high` */
	bool open;	   /* there is no `high` */
	struct mp_str count;
};

/*
 * Parses "[4K, 8K)   12 |@@@   |", "[0]   12 |@@|", "(..., 0)   1 |@|" and "[9, ...)   1 |@|". A
 * row without a lower limit gets the greatest whole number below its upper one.
 */
static bool parse_row(struct mp_str line, struct row *row)
{
	size_t end = mp_import_find(line, "|"), n, comma;
	struct mp_str range, rest;

	if (!mp_str_ends(line, MP_STR("|")) || (*line.p != '[' && *line.p != '(') ||
	    end == line.len - 1)
		return false;
	n = MP_MIN(mp_import_find(line, ")"), mp_import_find(line, "]"));
	if (n >= end)
		return false;
	range = (struct mp_str){ line.p + 1, n - 1 };
	rest = (struct mp_str){ line.p + n + 1, end - n - 1 };
	row->count = mp_import_trim(rest);
	comma = mp_import_find(range, ", ");
	row->open = false;
	if (!row->count.len || mp_import_digits(row->count) != row->count.len)
		return false;
	if (comma == range.len) {
		row->high = 0;
		return parse_limit(range, &row->low) &&
		       !__builtin_add_overflow(row->low, 1, &row->high);
	}
	rest = mp_str_skip(range, comma + 2);
	range.len = comma;
	row->open = mp_str_eq(rest, MP_STR("..."));
	if (!row->open && !parse_limit(rest, &row->high))
		return false;
	if (!mp_str_eq(range, MP_STR("...")))
		return parse_limit(range, &row->low);
	return !row->open && !__builtin_sub_overflow(row->high, 1, &row->low);
}

static void histogram(struct state *s, struct mp_str line)
{
	struct mp_import *im = s->im;
	struct row row;

	if (!parse_row(line, &row)) {
		mp_import_bad(im, "not a row of a histogram");
		return;
	}
	if (im->open != MP_EVENT) {
		mp_import_end(im);
		json_decref(im->origin);
		im->origin = NULL;
		mp_import_begin(im, MP_EVENT, "none");
	}
	mp_import_event(im, s->rows++, MP_STR("bpftrace:hist"));
	mp_import_field(im, ".map", mp_buf_view(&s->map));
	if (s->keys.len)
		mp_import_field(im, ".key", mp_buf_view(&s->keys));
	mp_import_integer(im, ".low", row.low);
	if (!row.open)
		mp_import_integer(im, ".high", row.high);
	mp_import_number(im, ".count", row.count);
	if (s->stack.len) {
		mp_buf_add(&im->line, "\tstack=", 7);
		mp_buf_str(&im->line, mp_buf_view(&s->stack));
	}
	mp_import_write(im);
}

static void parse(struct mp_import *im)
{
	struct state s = { .im = im };
	struct mp_str line;

	im->source = "bpftrace";
	mp_import_frames_init(&s.frames);
	while (mp_import_line(im, &line)) {
		if (s.in_record && line.len)
			within(&s, line);
		else if (!line.len)
			forget(&s);
		else if (s.in_histogram)
			histogram(&s, line);
		else if (map_name(line))
			begin(&s, line);
		else if (!mp_str_starts(line, MP_STR("Attach")))
			mp_import_skip(im, MP_STR("printed-lines"));
	}
	if (s.in_record && !im->truncated)
		mp_import_bad(im, "the input ends within the key of a map");
	mp_import_frames_release(&s.frames);
	mp_buf_release(&s.map);
	mp_buf_release(&s.keys);
	mp_buf_release(&s.stack);
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	size_t name = map_name(line);
	struct mp_str rest = mp_str_skip(line, name), value;
	int64_t weight;
	struct row row;

	if (first && mp_str_starts(line, MP_STR("Attach")) &&
	    mp_import_find(line, " probe") < line.len)
		return MP_IMPORT_CERTAIN;
	if (name && rest.len && *rest.p == '[')
		return rest.len == 1 || mp_str_ends(rest, MP_STR(", ")) ||
				       closing(rest, &value) < rest.len
			       ? MP_IMPORT_DISTINCT
			       : MP_IMPORT_POSSIBLE;
	if (*line.p == '[' || *line.p == '(')
		return parse_row(line, &row) ? MP_IMPORT_DISTINCT : MP_IMPORT_UNLIKE;
	if (*line.p == ']' || *line.p == ',')
		return closing(line, &value) < line.len && mp_num_i64(value, &weight) == 0
			       ? MP_IMPORT_LIKE
			       : MP_IMPORT_UNLIKE;
	return name ? MP_IMPORT_POSSIBLE : MP_IMPORT_UNLIKE;
}

const struct mp_import_format mp_import_bpftrace = { "bpftrace", looks_like, NULL, parse };
