// SPDX-License-Identifier: GPL-2.0-only
#include "lib/heatmap/heatascii.h"

#include <stdlib.h>

#include "lib/heatmap/caption.h"
#include "lib/stream/esc.h"

enum { LABEL = 12, NAME_LINES = 12, AROUND = 9, CELL_MAX = 12, SCALE = 18 };

static const char ramp[] = ".:-=+*#%@";

struct text {
	struct mp_buf *to;
	const struct mp_heat *h;
	enum mp_ansi ansi;
	const struct mp_palette *palette;
	size_t width; /* of the terminal */
	size_t each;  /* characters per bin */
};

enum mp_ansi mp_heat_ansi_of(const char *term, const char *colorterm)
{
	if (!term || !*term || strcmp(term, "dumb") == 0)
		return MP_ANSI_NONE;
	if (colorterm && (strcmp(colorterm, "truecolor") == 0 || strcmp(colorterm, "24bit") == 0))
		return MP_ANSI_TRUE;
	return strstr(term, "256color") ? MP_ANSI_256 : MP_ANSI_NONE;
}

void mp_heat_ascii_bins(size_t width, size_t height, size_t *columns, size_t *rows)
{
	*columns = width > LABEL + 12 ? width - LABEL - 2 : 10;
	*rows = height > AROUND + 4 ? height - AROUND : 4;
}

static bool later_byte(char c)
{
	return (c & 0xc0) == 0x80;
}

/* Writes text in `width` characters, right- or left-aligned; truncated text ends in '~'. */
static void put_fit(struct mp_buf *to, struct mp_str raw, size_t width, bool right)
{
	struct mp_buf text = { NULL, 0, 0 };
	size_t n = 0, len = 0, i;

	mp_esc_terminal(&text, raw);
	for (i = 0; i < text.len; i++)
		n += !later_byte(text.p[i]);
	for (i = 0; right && n + i < width; i++)
		mp_buf_byte(to, ' ');
	for (i = 0; len < text.len; len++) {
		i += !later_byte(text.p[len]);
		if (n > width && i == width)
			break;
	}
	mp_buf_add(to, text.p ? text.p : "", len);
	if (n > width)
		mp_buf_byte(to, '~');
	for (i = n; !right && i < width; i++)
		mp_buf_byte(to, ' ');
	mp_buf_release(&text);
}

/* Writes text on as many lines as it takes, broken at blanks where there are any. */
static void put_wrapped(struct mp_buf *to, struct mp_str raw, size_t width)
{
	struct mp_buf text = { NULL, 0, 0 };
	struct mp_str rest;

	mp_esc_terminal(&text, raw);
	rest = mp_buf_view(&text);
	do {
		size_t n = 0, len = 0, blank = 0;

		for (; len < rest.len && (n < width || later_byte(rest.p[len])); len++) {
			if (rest.p[len] == ' ' && len)
				blank = len;
			n += !later_byte(rest.p[len]);
		}
		if (len < rest.len && rest.p[len] != ' ' && blank)
			len = blank;
		mp_buf_add(to, rest.p ? rest.p : "", len);
		mp_buf_byte(to, '\n');
		len += len < rest.len && rest.p[len] == ' ';
		rest = mp_str_skip(rest, len);
	} while (rest.len);
	mp_buf_release(&text);
}

/* Replaces the sign "≥" of captions. */
static void make_ascii(struct mp_buf *text)
{
	static const char sign[] = "\xe2\x89\xa5";
	size_t from, to = 0;

	for (from = 0; from < text->len; from++) {
		if (mp_str_starts(mp_str_skip(mp_buf_view(text), from), MP_STR(sign))) {
			text->p[to++] = '>';
			text->p[to++] = '=';
			from += sizeof(sign) - 2;
		} else {
			text->p[to++] = text->p[from];
		}
	}
	text->len = to;
}

static void put_notes(struct mp_buf *to, struct mp_str notes, size_t width)
{
	while (notes.len) {
		size_t len = (const char *)memchr(notes.p, '\n', notes.len) - notes.p;

		put_wrapped(to, (struct mp_str){ notes.p, len }, width);
		notes = mp_str_skip(notes, len + 1);
	}
}

static unsigned to_256(struct mp_rgb c)
{
	return 16 + 36 * ((c.r * 5 + 127) / 255) + 6 * ((c.g * 5 + 127) / 255) +
	       (c.b * 5 + 127) / 255;
}

static void put_share(struct text *t, double share, size_t times)
{
	struct mp_rgb c = mp_palette_at(t->palette, MP_DARK, share);
	size_t level = MP_MIN((size_t)(share * (sizeof(ramp) - 1)), sizeof(ramp) - 2);

	if (t->ansi == MP_ANSI_TRUE)
		mp_buf_printf(t->to, "\033[48;2;%u;%u;%um", c.r, c.g, c.b);
	else if (t->ansi == MP_ANSI_256)
		mp_buf_printf(t->to, "\033[48;5;%um", to_256(c));
	while (times--)
		mp_buf_byte(t->to, t->ansi ? ' ' : ramp[level]);
	if (t->ansi)
		mp_buf_printf(t->to, "\033[0m");
}

static void put_cell(struct text *t, size_t x, size_t y)
{
	uint64_t v = mp_heat_cell(t->h, x, y);
	size_t times = x < t->h->x.n ? t->each : 1;

	if (v)
		put_share(t, mp_heat_share(t->h, v), times);
	else
		mp_buf_printf(t->to, "%*s", (int)times, "");
}

static void end_line(struct mp_buf *to)
{
	while (to->len && to->p[to->len - 1] == ' ')
		to->len--;
	mp_buf_byte(to, '\n');
}

static void put_row(struct text *t, size_t y, struct mp_str label)
{
	const struct mp_bins *b = &t->h->x;
	bool below = mp_heat_column(t->h, b->n) > 0;
	size_t x;

	put_fit(t->to, label, LABEL, true);
	mp_buf_byte(t->to, ' ');
	if (below && !b->names) {
		put_cell(t, b->n, y);
		mp_buf_byte(t->to, ' ');
	}
	mp_buf_byte(t->to, '|');
	for (x = 0; x < b->n; x++)
		put_cell(t, x, y);
	if (below && b->names) {
		mp_buf_byte(t->to, ' ');
		put_cell(t, b->n, y);
	}
	if (mp_heat_column(t->h, b->n + 1)) {
		mp_buf_byte(t->to, ' ');
		put_cell(t, b->n + 1, y);
	}
	end_line(t->to);
}

static void put_beyond(struct text *t, bool above)
{
	struct mp_buf label = { NULL, 0, 0 };

	mp_heat_beyond(&label, &t->h->y, &t->h->info->y, above);
	make_ascii(&label);
	put_row(t, t->h->y.n + above, mp_buf_view(&label));
	mp_buf_release(&label);
}

/* The bin at a place from 0 to 1 on the axis. */
static size_t bin_at(const struct mp_bins *b, double at)
{
	size_t i = 0;

	if (b->axis.kind == MP_AXIS_TIME || b->whole)
		return MP_MIN((size_t)(MP_MAX(at, 0.0) * b->n), b->n - 1);
	while (i + 1 < b->n && mp_axis_at(&b->axis, b->edge[i + 1]) <= at + 1e-9)
		i++;
	return i;
}

static void put_rows(struct text *t)
{
	const struct mp_bins *b = &t->h->y;
	struct mp_str *labels = mp_zalloc((b->n + 1) * sizeof(*labels));
	struct mp_tick ticks[MP_TICKS_MAX];
	size_t n, i;

	n = b->names ? 0 : mp_axis_ticks(&b->axis, (double)b->n * 14, true, 12, ticks);
	for (i = 0; i < n; i++)
		if (!ticks[i].minor)
			labels[bin_at(b, ticks[i].at)] = mp_str(ticks[i].label);
	if (!b->names && mp_heat_row(t->h, b->n + 1))
		put_beyond(t, true);
	for (i = 0; i < b->n; i++) {
		size_t y = b->names ? i : b->n - 1 - i;

		put_row(t, y, b->names ? b->name[y] : labels[y].p ? labels[y] : MP_STR(""));
	}
	if (mp_heat_row(t->h, b->n))
		put_beyond(t, false);
	free(labels);
}

static void put_indent(struct text *t)
{
	const struct mp_bins *b = &t->h->x;

	mp_buf_printf(t->to, "%*s", LABEL + 1 + (!b->names && mp_heat_column(t->h, b->n) ? 2 : 0),
		      "");
}

static void put_x_ticks(struct text *t)
{
	const struct mp_bins *b = &t->h->x;
	size_t width = b->n * t->each, n, i, at, used = 0;
	/* what precedes the ticks is the indent, which is wider where there is a column below */
	size_t room = t->width - LABEL - 2 - (mp_heat_column(t->h, b->n) ? 2 : 0);
	struct mp_tick ticks[MP_TICKS_MAX];

	n = mp_axis_ticks(&b->axis, (double)width * 8, false, 12, ticks);
	put_indent(t);
	mp_buf_byte(t->to, ' ');
	for (i = 0; i < n; i++) {
		size_t len = strlen(ticks[i].label);

		at = bin_at(b, ticks[i].at) * t->each;
		if (ticks[i].minor || at < used || at + len > room)
			continue;
		mp_buf_printf(t->to, "%*s%s", (int)(at - used), "", ticks[i].label);
		used = at + len;
		if (used < width) {
			mp_buf_byte(t->to, ' ');
			used++;
		}
	}
	end_line(t->to);
}

/* Writes names side by side if all fit, else vertically. */
static void put_x_names(struct text *t)
{
	const struct mp_bins *b = &t->h->x;
	struct mp_buf *names = mp_zalloc((b->n + 1) * sizeof(*names));
	size_t i, k, longest = 0;

	for (i = 0; i < b->n; i++) {
		mp_esc_terminal(&names[i], b->name[i]);
		longest = MP_MAX(longest, names[i].len);
	}
	if (longest < t->each) {
		put_indent(t);
		mp_buf_byte(t->to, ' ');
		for (i = 0; i < b->n; i++)
			put_fit(t->to, mp_buf_view(&names[i]), t->each, false);
		end_line(t->to);
	}
	for (k = 0; longest >= t->each && k < MP_MIN(longest, (size_t)NAME_LINES); k++) {
		put_indent(t);
		mp_buf_byte(t->to, ' ');
		for (i = 0; i < b->n; i++) {
			char c = k < names[i].len ? names[i].p[k] : ' ';

			mp_buf_printf(t->to, "%-*c", (int)t->each, c >= ' ' && c <= '~' ? c : '?');
		}
		end_line(t->to);
	}
	for (i = 0; i < b->n; i++)
		mp_buf_release(&names[i]);
	free(names);
}

static void put_lost(struct text *t)
{
	size_t x, k;

	if (!t->h->losses.any)
		return;
	put_fit(t->to, MP_STR("lost"), LABEL, true);
	mp_buf_printf(t->to, "%*s ", !t->h->x.names && mp_heat_column(t->h, t->h->x.n) ? 3 : 1, "");
	for (x = 0; x < t->h->x.n; x++)
		for (k = 0; k < t->each; k++)
			mp_buf_byte(t->to, t->h->losses.lossy[x] ? '!' : ' ');
	end_line(t->to);
}

static void put_legend(struct text *t)
{
	size_t used = LABEL + sizeof("  of a cell: 1 ") + strlen(t->h->info->weight) +
		      MP_UNIT_MAX / 4,
	       n, i;
	uint64_t max = t->h->max;

	n = t->width > used ? MP_MIN(t->width - used, (size_t)SCALE) : 0;
	mp_buf_printf(t->to, "%*s ", n ? LABEL : 0, "");
	mp_buf_printf(t->to, " %s of a cell: 1 ", t->h->info->weight);
	for (i = 0; max && i < n; i++)
		put_share(t, (i + 0.5) / (double)n, 1);
	mp_buf_printf(t->to, n ? "" : "to");
	mp_buf_byte(t->to, ' ');
	mp_heat_put_sum(t->to, t->h, max);
	mp_buf_byte(t->to, '\n');
}

void mp_heat_ascii(struct mp_buf *to, const struct mp_heat *h, struct mp_str title,
		   enum mp_ansi ansi, const struct mp_palette *palette, size_t width)
{
	struct text t = { to, h, ansi, palette, MP_MAX(width, LABEL + 12UL), 1 };
	struct mp_buf text = { NULL, 0, 0 };
	size_t columns, rows;

	mp_heat_ascii_bins(width, 0, &columns, &rows);
	columns -= 2 * ((mp_heat_column(h, h->x.n) > 0) + (mp_heat_column(h, h->x.n + 1) > 0));
	t.each = MP_MIN(MP_MAX(columns / h->x.n, (size_t)1), (size_t)CELL_MAX);
	mp_heat_subtitle(&text, h);
	put_wrapped(to, title, width);
	put_wrapped(to, mp_buf_view(&text), width);
	put_lost(&t);
	put_rows(&t);
	put_indent(&t);
	mp_buf_byte(to, '+');
	for (rows = 0; rows < h->x.n * t.each; rows++)
		mp_buf_byte(to, '-');
	mp_buf_byte(to, '\n');
	if (h->x.names)
		put_x_names(&t);
	else
		put_x_ticks(&t);
	put_legend(&t);
	text.len = 0;
	mp_heat_notes(&text, h);
	make_ascii(&text);
	put_notes(to, mp_buf_view(&text), width);
	mp_buf_release(&text);
}
