// SPDX-License-Identifier: GPL-2.0-only
/* Distributions and counts as aligned text. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/hist/output.h"
#include "lib/stream/esc.h"
#include "lib/stream/unit.h"

enum {
	LABEL_MAX = 2 * MP_UNIT_MAX + 8,
	BAR_MIN = 10,
	BAR_MAX = 100,
	EMPTY_MAX = 5,	 /* longer runs of empty rows become one line */
	COLUMN_MAX = 40, /* width of a value in all columns but the last */
};

/* The width of UTF-8 text: the number of bytes that begin a character. */
static size_t width_of(struct mp_str s)
{
	size_t i, n = 0;

	for (i = 0; i < s.len; i++)
		n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	return n;
}

/* Truncates a name to `width` characters, the last of which are then "...". */
static void truncate_name(struct mp_buf *text, size_t from, size_t width)
{
	struct mp_str name = { text->p + from, text->len - from };
	size_t i = 0, n = 0;

	if (width < 4 || width_of(name) <= width)
		return;
	while (n < width - 3 || ((unsigned char)name.p[i] & 0xc0) == 0x80)
		n += ((unsigned char)name.p[i++] & 0xc0) != 0x80;
	text->len = from + i;
	mp_buf_add(text, "...", 3);
}

static void put_others(struct mp_buf *to, size_t others)
{
	mp_buf_printf(to, "other (%zu %s)", others, others == 1 ? "key" : "keys");
}

/* Writes "comm = nginx, cpu = 3". */
static void put_key(struct mp_buf *to, const struct mp_dist_style *style, struct mp_str key)
{
	size_t i, from = to->len;

	for (i = 0; i < style->by->n; i++) {
		mp_buf_printf(to, "%s%.*s = ", i ? ", " : "", MP_STR_ARGS(style->by->v[i].name));
		mp_dist_put_value(to, &style->by->v[i], &key, MP_DIST_TERMINAL);
	}
	if (style->truncate)
		truncate_name(to, from, style->columns);
}

static void write_line(struct mp_out *out, struct mp_buf *line)
{
	while (line->len && line->p[line->len - 1] == ' ')
		line->len--;
	mp_buf_byte(line, '\n');
	mp_out_write(out, line->p, line->len);
	line->len = 0;
}

static void put_edge(char *to, const struct mp_dist_style *style, double v)
{
	if (*style->unit)
		mp_unit_put(to, style->unit, v);
	else if (v == floor(v) && fabs(v) < 1e15)
		snprintf(to, MP_UNIT_MAX, "%.0f", v);
	else
		snprintf(to, MP_UNIT_MAX, "%.6g", v);
}

/* Writes "1 -> 2" for whole numbers without a unit, as bcc does, else "[1 us, 2 us)". */
static void put_label(char *to, const struct mp_dist_style *style, const struct mp_dist *dist,
		      const struct mp_dist_bucket *b)
{
	char low[MP_UNIT_MAX], high[MP_UNIT_MAX];
	bool whole = !dist->hist.fraction && !*style->unit && fabs(b->low) < 1e15 &&
		     fabs(b->high) < 1e15 && b->low == floor(b->low) && b->high == floor(b->high);

	put_edge(low, style, b->low + (whole && b->sign < 0));
	put_edge(high, style, b->high - (whole && b->sign > 0));
	if (b->sign == 0 || (whole && strcmp(low, high) == 0))
		snprintf(to, LABEL_MAX, "%s", low);
	else if (whole)
		snprintf(to, LABEL_MAX, "%s -> %s", low, high);
	else
		snprintf(to, LABEL_MAX, b->sign > 0 ? "[%s, %s)" : "(%s, %s]", low, high);
}

/* Widths of a table. */
struct layout {
	size_t label, count, bar;
	uint64_t most;
	const char *heading; /* title of the column of counts */
};

static struct layout lay_out(const struct mp_dist_bucket *v, size_t n, const struct mp_dist *dist,
			     const struct mp_dist_style *style, struct mp_str heading)
{
	struct layout l = { .label = MP_MAX(style->field.len, (size_t)10), .count = heading.len };
	char text[LABEL_MAX];
	size_t i, fixed;

	for (i = 0; i < n; i++) {
		put_label(text, style, dist, &v[i]);
		l.label = MP_MAX(l.label, strlen(text));
		l.most = MP_MAX(l.most, v[i].n);
	}
	l.count = MP_MAX(l.count, (size_t)(mp_put_u64(text, l.most) - text));
	l.count = MP_MAX(l.count, (size_t)8);
	fixed = 5 + l.label + 3 + l.count + 1 + 2;
	l.bar = style->columns > fixed ? style->columns - fixed : 0;
	l.bar = MP_MIN(MP_MAX(l.bar, (size_t)BAR_MIN), (size_t)BAR_MAX);
	return l;
}

static void put_row(struct mp_buf *line, const struct layout *l, const char *label, uint64_t n)
{
	size_t stars = (size_t)((unsigned __int128)n * l->bar / l->most);

	mp_buf_printf(line, "%*s : %-*llu |", (int)l->label + 5, label, (int)l->count,
		      (unsigned long long)n);
	mp_buf_reserve(line, l->bar + 1);
	memset(line->p + line->len, '*', stars);
	memset(line->p + line->len + stars, ' ', l->bar - stars);
	line->len += l->bar;
	mp_buf_byte(line, '|');
}

static size_t empty_run(const struct mp_dist_bucket *v, size_t n)
{
	size_t i = 0;

	while (i < n && v[i].n == 0)
		i++;
	return i;
}

static void write_table(const struct mp_dist *dist, const struct mp_dist_style *style,
			struct mp_buf *line, struct mp_out *out)
{
	struct mp_str heading = style->weight.p ? style->weight : MP_STR("count");
	struct mp_dist_bucket *v;
	char label[LABEL_MAX];
	struct layout l;
	size_t n, i, empty;

	v = mp_dist_buckets(dist, style, &n);
	l = lay_out(v, n, dist, style, heading);
	mp_buf_printf(line, "%*.*s : %-*.*s  distribution", (int)l.label + 5,
		      MP_STR_ARGS(style->field), (int)l.count, MP_STR_ARGS(heading));
	write_line(out, line);
	for (i = 0; i < n; i++) {
		empty = empty_run(v + i, n - i);
		if (empty > EMPTY_MAX) {
			mp_buf_printf(line, "%*s : %zu empty rows", (int)l.label + 5, "...", empty);
			i += empty - 1;
		} else {
			put_label(label, style, dist, &v[i]);
			put_row(line, &l, label, v[i].n);
		}
		write_line(out, line);
	}
	free(v);
}

/* Writes the name of the count of --over: "over 4 ms". */
static void put_over_name(char *to, const struct mp_dist_style *style)
{
	char edge[MP_UNIT_MAX];

	put_edge(edge, style, style->over);
	snprintf(to, MP_UNIT_MAX, "over %.42s", edge);
}

/* Writes how many numbers are at or above the threshold, and which part of all: "3 (16.7 %)". */
static void put_over(char *to, const struct mp_dist *dist)
{
	char share[MP_UNIT_MAX];

	mp_unit_put(share, "%", 100 * mp_dist_stat_of(MP_STAT_OVER_SHARE, dist, false));
	snprintf(to, MP_UNIT_MAX, "%llu (%.20s)", (unsigned long long)dist->over.n, share);
}

/* Writes a statistic with its unit. */
static void put_stat(char *to, const struct mp_dist_style *style, const struct mp_dist *dist,
		     enum mp_stat stat)
{
	if (stat == MP_STAT_COUNT)
		*mp_put_u64(to, dist->n) = '\0';
	else if (stat == MP_STAT_OVER)
		put_over(to, dist);
	else
		mp_unit_put(to, style->unit, mp_dist_stat_of(stat, dist, false));
}

static void write_stats(const struct mp_dist *dist, const struct mp_dist_style *style,
			struct mp_buf *line, struct mp_out *out)
{
	char text[MP_UNIT_MAX];
	enum mp_stat s;

	for (s = MP_STAT_COUNT; s < MP_STATS_ALWAYS; s++) {
		put_stat(text, style, dist, s);
		mp_buf_printf(line, "%s", s == MP_STAT_COUNT || s == MP_STAT_P50 ? "     " : ", ");
		if (s == MP_STAT_COUNT && style->weight.p)
			mp_buf_str(line, style->weight);
		else
			mp_buf_printf(line, "%s", mp_dist_stat_name(s));
		mp_buf_printf(line, " %s", text);
		if (s == MP_STAT_STDDEV || s == MP_STAT_MAX)
			write_line(out, line);
	}
	if (!style->has_over)
		return;
	put_over_name(text, style);
	mp_buf_printf(line, "     %s: ", text);
	put_over(text, dist);
	mp_buf_str(line, mp_str(text));
	write_line(out, line);
}

static void write_tables(const struct mp_dist_list *list, const struct mp_dist_style *style,
			 struct mp_buf *line, struct mp_out *out)
{
	size_t i;

	for (i = 0; i < list->n + (list->others > 0); i++) {
		const struct mp_dist *dist = mp_dist_list_at(list, i);

		if (i)
			write_line(out, line);
		if (i == list->n)
			put_others(line, list->others);
		else if (style->by->n)
			put_key(line, style, mp_dist_list_key(list, i));
		if (line->len)
			write_line(out, line);
		write_table(dist, style, line, out);
		write_stats(dist, style, line, out);
	}
}

/* Layout: columns of numbers, right-aligned, followed by the values of the key. */
struct columns {
	size_t n;
	size_t width[MP_STATS];
	size_t value_width[64]; /* widths of the key's values; the last is not padded */
};

static const enum mp_stat shown[] = { MP_STAT_COUNT, MP_STAT_SUM, MP_STAT_MEAN,
				      MP_STAT_P50,   MP_STAT_P90, MP_STAT_P99,
				      MP_STAT_P999,  MP_STAT_MAX, MP_STAT_OVER };

static const char *column_name(const struct mp_dist_style *style, size_t i, char *text)
{
	if (!style->counting && shown[i] == MP_STAT_OVER) {
		put_over_name(text, style);
		return text;
	}
	if (!style->counting && (i || !style->weight.p))
		return mp_dist_stat_name(shown[i]);
	if (i == 1)
		return "share";
	if (i > 1) {
		snprintf(text, MP_UNIT_MAX, "%.*s", MP_STR_ARGS(style->sums->v[i - 2].name));
		return text;
	}
	if (!style->weight.p)
		return "count";
	snprintf(text, MP_UNIT_MAX, "%.*s", MP_STR_ARGS(style->weight));
	return text;
}

static void put_cell(char *text, const struct mp_dist_list *list, const struct mp_dist_style *style,
		     const struct mp_dist *dist, size_t column)
{
	if (!style->counting)
		put_stat(text, style, dist, shown[column]);
	else if (column > 1)
		mp_unit_put(text, style->sum_units[column - 2], dist->sums[column - 2]);
	else if (column == 1)
		snprintf(text, MP_UNIT_MAX, "%.1f %%", 100 * (double)dist->n / (double)list->total);
	else if (*style->weight_unit)
		mp_unit_put(text, style->weight_unit, (double)dist->n);
	else
		*mp_put_u64(text, dist->n) = '\0';
}

static void measure(struct columns *c, const struct mp_dist_list *list,
		    const struct mp_dist_style *style)
{
	char text[MP_UNIT_MAX];
	struct mp_str key;
	struct mp_buf name = { NULL, 0, 0 };
	size_t i, j;

	c->n = style->counting ? 2 + style->sums->n : MP_ARRAY_SIZE(shown) - !style->has_over;
	for (j = 0; j < c->n; j++)
		c->width[j] = MP_MAX(strlen(column_name(style, j, text)), (size_t)(j ? 7 : 10));
	for (i = 0; i < list->n + (list->others > 0); i++) {
		for (j = 0; j < c->n; j++) {
			put_cell(text, list, style, mp_dist_list_at(list, i), j);
			c->width[j] = MP_MAX(c->width[j], strlen(text));
		}
		key = mp_dist_list_key(list, i);
		for (j = 0;
		     i < list->n && j + 1 < style->by->n && j < MP_ARRAY_SIZE(c->value_width);
		     j++) {
			name.len = 0;
			mp_dist_put_value(&name, &style->by->v[j], &key, MP_DIST_TERMINAL);
			c->value_width[j] =
				MP_MAX(c->value_width[j],
				       MP_MIN(width_of(mp_buf_view(&name)), (size_t)COLUMN_MAX));
		}
	}
	for (j = 0; j < style->by->n && j < MP_ARRAY_SIZE(c->value_width); j++)
		c->value_width[j] = MP_MAX(c->value_width[j], style->by->v[j].name.len);
	mp_buf_release(&name);
}

/* Writes the values side by side; the last value takes the rest of the line. */
static void put_values(struct mp_buf *line, const struct columns *c,
		       const struct mp_dist_style *style, struct mp_str key)
{
	size_t i, from, width;

	for (i = 0; i < style->by->n; i++) {
		mp_buf_add(line, "  ", 2);
		from = line->len;
		mp_dist_put_value(line, &style->by->v[i], &key, MP_DIST_TERMINAL);
		width = width_of((struct mp_str){ line->p + from, line->len - from });
		if (i + 1 < style->by->n && i < MP_ARRAY_SIZE(c->value_width))
			for (; width < c->value_width[i]; width++)
				mp_buf_byte(line, ' ');
	}
	if (style->truncate)
		truncate_name(line, 0, style->columns);
}

static void write_rows(const struct mp_dist_list *list, const struct mp_dist_style *style,
		       struct mp_buf *line, struct mp_out *out)
{
	struct columns c = { .n = 0 };
	char text[MP_UNIT_MAX];
	size_t i, j;

	measure(&c, list, style);
	for (j = 0; j < c.n; j++)
		mp_buf_printf(line, "%s%*s", j ? " " : "", (int)c.width[j],
			      column_name(style, j, text));
	for (j = 0; j < style->by->n; j++)
		mp_buf_printf(line, "  %-*.*s",
			      (int)(j < MP_ARRAY_SIZE(c.value_width) ? c.value_width[j] : 0),
			      MP_STR_ARGS(style->by->v[j].name));
	write_line(out, line);
	for (i = 0; i < list->n + (list->others > 0); i++) {
		for (j = 0; j < c.n; j++) {
			put_cell(text, list, style, mp_dist_list_at(list, i), j);
			mp_buf_printf(line, "%s%*s", j ? " " : "", (int)c.width[j], text);
		}
		if (i < list->n) {
			put_values(line, &c, style, mp_dist_list_key(list, i));
		} else {
			mp_buf_add(line, "  ", 2);
			put_others(line, list->others);
		}
		write_line(out, line);
	}
}

void mp_dist_write_text(const struct mp_dist_list *list, const struct mp_dist_style *style,
			struct mp_out *out)
{
	struct mp_buf line = { NULL, 0, 0 };

	if (style->time) {
		mp_buf_printf(&line, "%s", style->time);
		write_line(out, &line);
	}
	if (style->counting || style->summary)
		write_rows(list, style, &line, out);
	else
		write_tables(list, style, &line, out);
	if (style->time)
		write_line(out, &line);
	mp_buf_release(&line);
}
