// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/live.h"

#include <stdlib.h>

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
	*l = (struct mp_live){ .at_end = at_end, .sums = sums };
	mp_screen_init(&l->screen, out);
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

/* Adds as much of a text from the stream as fits into a column. */
static void add_cell(struct mp_buf *b, struct mp_str text, size_t columns, bool pad)
{
	struct mp_buf safe = { NULL, 0, 0 };

	mp_esc_terminal(&safe, text);
	mp_screen_cut(b, mp_buf_view(&safe), columns, pad);
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
		    const int *widths, size_t width)
{
	struct mp_str parts[COLUMNS];
	size_t i;

	split(e, parts);
	mp_buf_printf(b, "%12llu %5.1f", (unsigned long long)count_of(e),
		      100.0 * (double)count_of(e) / (double)MP_MAX(l->total, 1u));
	for (i = 0; i < COLUMNS; i++) {
		bool is_last = i == COLUMNS - 1;

		mp_buf_str(b, MP_STR("  "));
		add_cell(b, parts[i], is_last ? width : (size_t)widths[i], !is_last);
	}
	mp_buf_byte(b, '\n');
}

static void add_status(struct mp_buf *b, const struct mp_live *l, uint64_t events, uint64_t lost,
		       uint64_t now, bool last)
{
	uint64_t before = last ? 0 : l->events, since_ns = last ? l->began_ns : l->shown_ns;
	double seconds = (double)(now - l->began_ns) / 1e9;

	if (l->sums)
		mp_buf_printf(b, "%.1f s%s\n", seconds,
			      last ? "" : ", aggregated in the kernel until the end");
	else
		mp_buf_printf(b, "%.1f s, %llu events, %.0f/s, %llu lost\n", seconds,
			      (unsigned long long)events,
			      (double)(events - before) * 1e9 / (double)(now - since_ns),
			      (unsigned long long)lost);
}

static void draw(struct mp_live *l, uint64_t events, uint64_t lost, uint64_t now, bool last)
{
	const struct mp_map_entry *top[TOP], *e;
	struct mp_buf text = { NULL, 0, 0 };
	size_t n = 0, columns, max, i;
	int widths[COLUMNS - 1] = { 4, 4 };

	mp_screen_size(&l->screen, &columns, &max);
	max = MP_MIN(MP_MAX(max, (size_t)FRAME_LINES) - FRAME_LINES, (size_t)TOP);
	mp_map_each (&l->rows, e)
		n = insert(top, n, max, e);
	measure(top, n, widths);
	add_status(&text, l, events, lost, now, last);
	mp_buf_printf(&text, "%12s %5s  %-*s  %-*s  %s\n", l->sums ? "WEIGHT" : "COUNT", "%",
		      widths[0], "TYPE", widths[1], "COMM", "FUNCTION");
	for (i = 0; i < n; i++)
		add_row(&text, l, top[i], widths, columns);
	if (!last)
		mp_buf_str(&text, MP_STR("^C ends; -o FILE writes the stream; "
					 "-n 10 shows 10 events with their stacks\n"));
	mp_screen_show(&l->screen, mp_buf_view(&text));
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
