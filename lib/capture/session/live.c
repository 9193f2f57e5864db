// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/live.h"

#include <stdlib.h>
#include <sys/ioctl.h>

#include "lib/core/clock.h"
#include "lib/stream/esc.h"
#include "lib/stream/rec.h"

enum {
	EVERY_NS = 1000000000,
	ROWS_MAX = 1 << 16, /* rows beyond this number are counted together */
	TOP = 20,
	FRAME_LINES = 3, /* lines above and below the rows */
	COLUMNS = 3,	 /* type, name and function */
	WIDEST = 26,
};

static const struct mp_field comm = MP_FIELD_OF(KEY, "comm");

void mp_live_init(struct mp_live *l, struct mp_out *out, bool at_end, bool sums)
{
	*l = (struct mp_live){ .out = out, .at_end = at_end, .sums = sums };
	mp_map_init(&l->rows, sizeof(uint64_t));
	l->began_ns = l->shown_ns = mp_monotonic_ns();
}

/* Splits the last frame off the frames. */
static struct mp_str take_last(struct mp_str *frames)
{
	const char *semicolon = frames->len ? memrchr(frames->p, ';', frames->len) : NULL;
	size_t before = semicolon ? (size_t)(semicolon + 1 - frames->p) : 0;
	struct mp_str last = { frames->p + before, frames->len - before };

	frames->len = before ? before - 1 : 0;
	return last;
}

/*
 * Finds the function to show. The function by which the kernel was entered says more than the
 * current kernel function alone: "read > schedule_[k]".
 */
static struct mp_str innermost(struct mp_live *l, struct mp_str frames)
{
	struct mp_str last = take_last(&frames), user = last;

	while (mp_str_ends(user, MP_STR("_[k]")))
		user = take_last(&frames);
	if (user.len == 0 || user.p == last.p)
		return last;
	l->text.len = 0;
	mp_buf_printf(&l->text, "%.*s > %.*s", MP_STR_ARGS(user), MP_STR_ARGS(last));
	return mp_buf_view(&l->text);
}

void mp_live_add(struct mp_live *l, struct mp_str line)
{
	static const struct mp_str others[COLUMNS] = { MP_STR(""), MP_STR(""), MP_STR("others") };
	struct mp_str key[COLUMNS] = { MP_STR(""), MP_STR(""), MP_STR("") }, frames;
	struct mp_map_entry *row;
	struct mp_rec rec;
	uint64_t weight = 1;
	const char *why;

	if (line.len == 0 || mp_rec_parse(&rec, line.p, line.len - 1, &why) < 0)
		return;
	if (rec.kind == MP_STACK) {
		weight = MP_MAX(rec.weight, 0);
		key[0] = MP_STR("stacks");
		frames = rec.body;
		mp_rec_next_frame(&frames, &key[1]);
		key[2] = innermost(l, frames);
	} else if (rec.kind == MP_EVENT) {
		key[0] = rec.type;
		mp_rec_get(&rec, &comm, &key[1]);
		if (mp_rec_stack(&rec, &frames))
			key[2] = innermost(l, frames);
	} else {
		return;
	}
	row = l->rows.n < ROWS_MAX ? mp_map_put(&l->rows, key, COLUMNS, NULL)
				   : mp_map_find(&l->rows, key, COLUMNS);
	if (!row)
		row = mp_map_put(&l->rows, others, COLUMNS, NULL);
	*(uint64_t *)mp_map_value(row) += weight;
	l->total += weight;
}

static uint64_t count_of(const struct mp_map_entry *e)
{
	return *(uint64_t *)mp_map_value(e);
}

/*
 * Inserts a row among the greatest by its count; equal counts stay in the order in which their rows
 * came.
 */
static size_t insert(const struct mp_map_entry **top, size_t n, size_t max,
		     const struct mp_map_entry *e)
{
	size_t i;

	if (n < max)
		n++;
	else if (max == 0 || count_of(top[n - 1]) >= count_of(e))
		return n;
	for (i = n - 1; i > 0 && count_of(top[i - 1]) < count_of(e); i--)
		top[i] = top[i - 1];
	top[i] = e;
	return n;
}

/* Adds as much of a text as fits into `columns`; a character that may be wide counts as two. */
static void add_cut(struct mp_buf *b, struct mp_str text, int columns, bool pad)
{
	struct mp_buf safe = { NULL, 0, 0 };
	size_t i = 0, end;

	mp_esc_terminal(&safe, text);
	while (i < safe.len) {
		unsigned char c = safe.p[i];

		for (end = i + 1; end < safe.len && (safe.p[end] & 0xc0) == 0x80;)
			end++;
		columns -= c < 0xe1 ? 1 : 2;
		if (columns < 0)
			break;
		i = end;
	}
	mp_buf_add(b, safe.p, i);
	if (pad && columns > 0)
		mp_buf_printf(b, "%*s", columns, "");
	mp_buf_release(&safe);
}

/* Splits a row into its columns: type, name, function. */
static void split(const struct mp_map_entry *e, struct mp_str *parts)
{
	struct mp_str rest = e->key;
	size_t i;

	for (i = 0; i < COLUMNS; i++) {
		const char *tab = memchr(rest.p, '\t', rest.len);
		size_t len = tab ? (size_t)(tab - rest.p) : rest.len;

		parts[i] = (struct mp_str){ rest.p, len };
		rest.p += len + !!tab;
		rest.len -= len + !!tab;
	}
}

/* Finds the widths of all columns but the last. */
static void measure(const struct mp_map_entry **top, size_t n, int *widths)
{
	struct mp_buf safe = { NULL, 0, 0 };
	struct mp_str parts[COLUMNS];
	size_t i, k;

	for (i = 0; i < n; i++) {
		split(top[i], parts);
		for (k = 0; k < COLUMNS - 1; k++) {
			safe.len = 0;
			mp_esc_terminal(&safe, parts[k]);
			widths[k] = MP_MIN(MP_MAX(widths[k], (int)safe.len), WIDEST);
		}
	}
	mp_buf_release(&safe);
}

static void add_row(struct mp_buf *b, const struct mp_live *l, const struct mp_map_entry *e,
		    const int *widths, int width)
{
	struct mp_str parts[COLUMNS];
	struct mp_buf row = { NULL, 0, 0 };
	size_t i;

	split(e, parts);
	mp_buf_printf(&row, "%12llu %5.1f", (unsigned long long)count_of(e),
		      100.0 * (double)count_of(e) / (double)MP_MAX(l->total, 1u));
	for (i = 0; i < COLUMNS; i++) {
		bool is_last = i == COLUMNS - 1;

		mp_buf_str(&row, MP_STR("  "));
		add_cut(&row, parts[i], is_last ? width : widths[i], !is_last);
	}
	add_cut(b, mp_buf_view(&row), width, false);
	mp_buf_byte(b, '\n');
	mp_buf_release(&row);
}

static void add_line(struct mp_buf *b, int width, const char *fmt, ...) MP_PRINTF(3, 4);

static void add_line(struct mp_buf *b, int width, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mp_vasprintf(fmt, ap);
	va_end(ap);
	add_cut(b, mp_str(text), width, false);
	mp_buf_byte(b, '\n');
	free(text);
}

static void add_status(struct mp_buf *b, const struct mp_live *l, int width, uint64_t events,
		       uint64_t lost, uint64_t now, bool last)
{
	uint64_t before = last ? 0 : l->events, since_ns = last ? l->began_ns : l->shown_ns;
	double seconds = (double)(now - l->began_ns) / 1e9;

	if (l->sums)
		add_line(b, width, "%.1f s%s", seconds,
			 last ? "" : ", aggregated in the kernel until the end");
	else
		add_line(b, width, "%.1f s, %llu events, %.0f/s, %llu lost", seconds,
			 (unsigned long long)events,
			 (double)(events - before) * 1e9 / (double)(now - since_ns),
			 (unsigned long long)lost);
}

/*
 * Moves the cursor to the first line of the previous output, and clears the terminal from there on.
 */
static void add_clear(struct mp_buf *b, const struct mp_live *l)
{
	if (l->height)
		mp_buf_printf(b, "\r\033[%zuA\033[J", l->height);
}

static void draw(struct mp_live *l, uint64_t events, uint64_t lost, uint64_t now, bool last)
{
	struct winsize size = { .ws_col = 0 };
	const struct mp_map_entry *top[TOP], *e;
	struct mp_buf text = { NULL, 0, 0 };
	size_t n = 0, max, i;
	int width, widths[COLUMNS - 1] = { 4, 4 };

	ioctl(l->out->fd, TIOCGWINSZ, &size);
	width = (size.ws_col ? size.ws_col : 80) - 1;
	max = MP_MAX(size.ws_row ? size.ws_row : 24, FRAME_LINES + 1) - FRAME_LINES - 1;
	max = MP_MIN(max, TOP);
	mp_map_each (&l->rows, e)
		n = insert(top, n, max, e);
	measure(top, n, widths);
	add_clear(&text, l);
	add_status(&text, l, width, events, lost, now, last);
	add_line(&text, width, "%12s %5s  %-*s  %-*s  %s", l->sums ? "WEIGHT" : "COUNT", "%",
		 widths[0], "TYPE", widths[1], "COMM", "FUNCTION");
	for (i = 0; i < n; i++)
		add_row(&text, l, top[i], widths, width);
	if (!last)
		add_line(
			&text, width,
			"^C ends; -o FILE writes the stream; -n 10 shows 10 events with their stacks");
	l->height = n + FRAME_LINES;
	mp_out_write(l->out, text.p, text.len);
	mp_out_flush(l->out);
	mp_buf_release(&text);
}

void mp_live_show(struct mp_live *l, uint64_t events, uint64_t lost, bool last)
{
	uint64_t now = mp_monotonic_ns();

	if (!last && (l->at_end || now - l->shown_ns < EVERY_NS))
		return;
	draw(l, events, lost, now, last);
	l->shown_ns = now;
	l->events = events;
}
