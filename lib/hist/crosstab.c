// SPDX-License-Identifier: GPL-2.0-only
#include "lib/hist/crosstab.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/stream/unit.h"

enum { NAME_MAX_WIDTH = 32 };

/* A row or a column. */
struct line {
	struct mp_str key;
	uint64_t total;
	size_t at;    /* its position in the table; the last position is that of "other" */
	size_t width; /* width of the text of a column */
};

struct table {
	const struct mp_dist_style *style;
	struct mp_map rows, columns; /* key -> index of lines */
	struct line *row, *column;
	size_t row_cap, column_cap;
	struct line **row_order, **column_order;
	size_t n_rows, n_columns; /* how many of them are shown */
	size_t other_rows, other_columns;
	uint64_t *cells; /* (n_rows + 1) * (n_columns + 1) */
};

static struct line *line_of(struct mp_map *map, struct line **lines, size_t *cap, struct mp_str key)
{
	bool fresh;
	struct mp_map_entry *e = mp_map_put(map, &key, 1, &fresh);
	size_t *index = mp_map_value(e);

	if (fresh) {
		*index = map->n - 1;
		*lines = mp_grow(*lines, cap, map->n, sizeof(**lines));
		(*lines)[*index] = (struct line){ .key = e->key };
	}
	return &(*lines)[*index];
}

/* Splits off the last value of a key. */
static void split(struct mp_str key, struct mp_str *row, struct mp_str *column)
{
	const char *tab = memrchr(key.p, '\t', key.len);

	*row = (struct mp_str){ key.p, tab ? (size_t)(tab - key.p) : 0 };
	*column = key;
	if (tab) {
		column->p = tab + 1;
		column->len -= row->len + 1;
	}
}

static int by_name(const void *a, const void *b)
{
	const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;

	return mp_str_cmp(x->key, y->key);
}

static int by_total(const void *a, const void *b)
{
	const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return by_name(a, b);
}

/* Numbers come first, ordered by value; then text, ordered by bytes; then a missing value. */
static int by_value(const void *a, const void *b)
{
	const struct line *x = *(struct line *const *)a, *y = *(struct line *const *)b;
	bool missing_x = x->key.len && *x->key.p == '\n',
	     missing_y = y->key.len && *y->key.p == '\n';
	int64_t v, w;
	bool number_x = mp_num_any(x->key, &v) == 0, number_y = mp_num_any(y->key, &w) == 0;

	if (missing_x != missing_y)
		return missing_x ? 1 : -1;
	if (number_x != number_y)
		return number_x ? -1 : 1;
	if (number_x && v != w)
		return v < w ? -1 : 1;
	return by_name(a, b);
}

/*
 * Sorts lines by `first`, and the first `shown` of them by `order`. Sets their positions; all
 * others get the next position. Returns the lines in that order, allocated.
 */
static struct line **place(struct line *lines, size_t n, size_t shown,
			   int (*first)(const void *, const void *),
			   int (*order)(const void *, const void *))
{
	struct line **v = mp_alloc(n * sizeof(struct line *));
	size_t i;

	for (i = 0; i < n; i++)
		v[i] = &lines[i];
	qsort(v, n, sizeof(struct line *), first);
	qsort(v, shown, sizeof(struct line *), order);
	for (i = 0; i < n; i++)
		v[i]->at = MP_MIN(i, shown);
	return v;
}

static void put_number(char *text, const struct mp_dist_style *style, uint64_t n)
{
	if (*style->weight_unit)
		mp_unit_put(text, style->weight_unit, (double)n);
	else
		*mp_put_u64(text, n) = '\0';
}

static const struct mp_field *across(const struct mp_dist_style *style)
{
	return &style->by->v[style->by->n - 1];
}

/* How many columns fit into `room`, taking the greatest first. */
static size_t columns_that_fit(struct table *t, size_t room)
{
	struct line **v = mp_alloc(t->columns.n * sizeof(struct line *));
	struct mp_buf name = { NULL, 0, 0 };
	size_t i, used = 0, n = 0, needed = 0;
	struct mp_str value;
	char text[MP_UNIT_MAX];

	for (i = 0; i < t->columns.n; i++) {
		v[i] = &t->column[i];
		name.len = 0;
		value = v[i]->key;
		mp_dist_put_value(&name, across(t->style), &value, MP_DIST_TERMINAL);
		put_number(text, t->style, v[i]->total);
		v[i]->width = MP_MAX(MP_MAX(name.len, strlen(text)), (size_t)5) + 1;
		needed += v[i]->width;
	}
	qsort(v, t->columns.n, sizeof(struct line *), by_total);
	for (room -= needed > room ? 8 : 0; n < t->columns.n; n++) {
		used += v[n]->width;
		if (n && used > room)
			break;
	}
	free(v);
	mp_buf_release(&name);
	return n;
}

static void fill(struct table *t, const struct mp_dists *d)
{
	const struct mp_map_entry *e;
	struct mp_str row, column;

	t->cells = mp_zalloc((t->n_rows + 1) * (t->n_columns + 1) * sizeof(*t->cells));
	mp_map_each (&d->map, e) {
		const struct mp_dist *dist = mp_map_value(e);
		size_t i, j;

		if (dist->bad || dist->n == 0)
			continue;
		split(e->key, &row, &column);
		i = line_of(&t->rows, &t->row, &t->row_cap, row)->at;
		j = line_of(&t->columns, &t->column, &t->column_cap, column)->at;
		t->cells[i * (t->n_columns + 1) + j] += dist->n;
	}
}

static size_t row_name_width(const struct table *t, struct mp_buf *name);

/* `fit`: show only as many columns as fit into the width of the text. */
static void build(struct table *t, const struct mp_dists *d, enum mp_dist_order order, size_t top,
		  bool fit)
{
	struct mp_buf name = { NULL, 0, 0 };
	const struct mp_map_entry *e;
	struct mp_str row, column;
	size_t width;

	mp_map_init(&t->rows, sizeof(size_t));
	mp_map_init(&t->columns, sizeof(size_t));
	mp_map_each (&d->map, e) {
		const struct mp_dist *dist = mp_map_value(e);

		if (dist->bad || dist->n == 0)
			continue;
		split(e->key, &row, &column);
		line_of(&t->rows, &t->row, &t->row_cap, row)->total += dist->n;
		line_of(&t->columns, &t->column, &t->column_cap, column)->total += dist->n;
	}
	t->n_rows = top && top < t->rows.n ? top : t->rows.n;
	t->other_rows = t->rows.n - t->n_rows;
	t->row_order =
		place(t->row, t->rows.n, t->n_rows, order == MP_DIST_BY_NAME ? by_name : by_total,
		      order == MP_DIST_BY_NAME ? by_name : by_total);
	width = row_name_width(t, &name) + 12;
	t->n_columns = t->columns.n;
	if (fit)
		t->n_columns = columns_that_fit(
			t, t->style->columns > width + 20 ? t->style->columns - width : 20);
	t->other_columns = t->columns.n - t->n_columns;
	t->column_order = place(t->column, t->columns.n, t->n_columns, by_total, by_value);
	fill(t, d);
	mp_buf_release(&name);
}

static void release(struct table *t)
{
	mp_map_release(&t->rows);
	mp_map_release(&t->columns);
	free(t->row);
	free(t->column);
	free(t->row_order);
	free(t->column_order);
	free(t->cells);
}

/* The row at a position of the table; NULL for "other". */
static const struct line *row_at(const struct table *t, size_t i)
{
	return i < t->n_rows ? t->row_order[i] : NULL;
}

static void put_row_name(struct mp_buf *to, const struct table *t, const struct line *line)
{
	struct mp_str rest;
	size_t i;

	if (!line) {
		mp_buf_printf(to, "other (%zu)", t->other_rows);
		return;
	}
	rest = line->key;
	for (i = 0; i + 1 < t->style->by->n; i++) {
		if (i)
			mp_buf_byte(to, ' ');
		mp_dist_put_value(to, &t->style->by->v[i], &rest, MP_DIST_TERMINAL);
	}
}

static size_t row_name_width(const struct table *t, struct mp_buf *name)
{
	size_t i, width = sizeof("other (123)") - 1;

	for (i = 0; i < t->n_rows; i++) {
		name->len = 0;
		put_row_name(name, t, row_at(t, i));
		width = MP_MAX(width, name->len);
	}
	return MP_MIN(width, (size_t)NAME_MAX_WIDTH);
}

static void write_line(struct mp_out *out, struct mp_buf *line)
{
	mp_buf_byte(line, '\n');
	mp_out_write(out, line->p, line->len);
	line->len = 0;
}

static void write_heading(const struct table *t, size_t width, struct mp_buf *line,
			  struct mp_out *out)
{
	struct mp_buf name = { NULL, 0, 0 };
	size_t i;

	for (i = 0; i + 1 < t->style->by->n; i++)
		mp_buf_printf(line, "%s%.*s", i ? " " : "", MP_STR_ARGS(t->style->by->v[i].name));
	mp_buf_printf(line, " \\ %.*s", MP_STR_ARGS(across(t->style)->name));
	mp_buf_printf(line, "%*s", (int)(width > line->len ? width - line->len : 0), "");
	for (i = 0; i < t->n_columns; i++) {
		struct mp_str value = t->column_order[i]->key;

		name.len = 0;
		mp_dist_put_value(&name, across(t->style), &value, MP_DIST_TERMINAL);
		mp_buf_printf(line, " %*.*s", (int)t->column_order[i]->width - 1,
			      MP_STR_ARGS(mp_buf_view(&name)));
	}
	if (t->other_columns)
		mp_buf_printf(line, "   other");
	mp_buf_printf(line, " %10s", "total");
	write_line(out, line);
	mp_buf_release(&name);
}

void mp_crosstab_write_text(const struct mp_dists *d, enum mp_dist_order order, size_t top,
			    const struct mp_dist_style *style, struct mp_out *out)
{
	struct table t = { .style = style };
	struct mp_buf line = { NULL, 0, 0 };
	char text[MP_UNIT_MAX];
	size_t i, j, width;

	build(&t, d, order, top, true);
	width = row_name_width(&t, &line);
	line.len = 0;
	if (style->time) {
		mp_buf_printf(&line, "%s", style->time);
		write_line(out, &line);
	}
	write_heading(&t, width, &line, out);
	for (i = 0; i < t.n_rows + (t.other_rows > 0); i++) {
		uint64_t total = 0;

		put_row_name(&line, &t, row_at(&t, i));
		mp_buf_printf(&line, "%*s", (int)(width > line.len ? width - line.len : 0), "");
		for (j = 0; j <= t.n_columns; j++) {
			uint64_t n = t.cells[i * (t.n_columns + 1) + j];

			total += n;
			if (j == t.n_columns && !t.other_columns)
				break;
			put_number(text, style, n);
			mp_buf_printf(&line, " %*s",
				      j < t.n_columns ? (int)t.column_order[j]->width - 1 : 7,
				      text);
		}
		put_number(text, style, total);
		mp_buf_printf(&line, " %10s", text);
		write_line(out, &line);
	}
	if (style->time)
		write_line(out, &line);
	mp_buf_release(&line);
	release(&t);
}

void mp_crosstab_write_tsv(const struct mp_dists *d, enum mp_dist_order order, size_t top,
			   const struct mp_dist_style *style, struct mp_out *out)
{
	struct table t = { .style = style };
	struct mp_buf line = { NULL, 0, 0 };
	size_t i, j, k;

	build(&t, d, order, top, false);
	if (style->time)
		mp_buf_printf(&line, "interval\t");
	for (i = 0; i + 1 < style->by->n; i++)
		mp_buf_printf(&line, "%.*s\t", MP_STR_ARGS(style->by->v[i].name));
	for (j = 0; j < t.n_columns; j++) {
		struct mp_str value = t.column_order[j]->key;

		mp_dist_put_value(&line, across(style), &value, MP_DIST_CELL);
		mp_buf_byte(&line, '\t');
	}
	mp_buf_printf(&line, "total");
	write_line(out, &line);
	for (i = 0; i < t.n_rows + (t.other_rows > 0); i++) {
		const struct line *row = row_at(&t, i);
		struct mp_str rest = row ? row->key : (struct mp_str){ NULL, 0 };
		uint64_t total = 0;

		if (style->time)
			mp_buf_printf(&line, "%s\t", style->time);
		for (k = 0; k + 1 < style->by->n; k++) {
			mp_dist_put_value(&line, &style->by->v[k], &rest, MP_DIST_CELL);
			mp_buf_byte(&line, '\t');
		}
		for (j = 0; j < t.n_columns; j++) {
			uint64_t n = t.cells[i * (t.n_columns + 1) + j];

			total += n;
			mp_buf_printf(&line, "%llu\t", (unsigned long long)n);
		}
		mp_buf_printf(&line, "%llu", (unsigned long long)total);
		write_line(out, &line);
	}
	mp_buf_release(&line);
	release(&t);
}
