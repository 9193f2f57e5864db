// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stats/linear.h"

#include <math.h>
#include <stdlib.h>

enum {
	CHOSEN_MAX = 2000, /* the most counts before a width is chosen */
	WRITTEN_MAX = 128, /* the most counts in a text */
};

/* The widths to choose from: powers of `base`. */
static const struct radix {
	int64_t base;
	int least, most;
	int64_t scale; /* 1 / base^least */
} radices[2] = { { 10, -6, 18, 1000000 }, { 2, -10, 62, 1024 } };

static const struct radix *radix(const struct mp_linear *l)
{
	return &radices[l->binary];
}

void mp_linear_init(struct mp_linear *l, double width, bool binary)
{
	*l = (struct mp_linear){ .width = width, .binary = binary };
	l->exponent = radix(l)->least;
	l->by = 1;
}

void mp_linear_release(struct mp_linear *l)
{
	free(l->block);
	l->block = NULL;
	l->n = l->cap = l->at = 0;
	l->total = 0;
}

static __int128 power(const struct mp_linear *l, int exponent)
{
	__int128 p = 1;

	while (exponent-- > 0)
		p *= radix(l)->base;
	return p;
}

static __int128 floor_div(__int128 v, __int128 by)
{
	return v >= 0 ? v / by : -((-v + by - 1) / by);
}

static double floor_near(double v)
{
	double whole = round(v);

	return fabs(v - whole) <= 1e-12 * fabs(whole) ? whole : floor(v);
}

/*
 * Finds the index of a number's count while no width is chosen. Returns false if it is beyond 2^63.
 */
static bool chosen_index(const struct mp_linear *l, double v, int64_t *index)
{
	double scale = (double)radix(l)->scale;
	__int128 least;

	if (!(fabs(v) < 0x1p63))
		return false;
	if (v == floor(v) && l->exponent >= 0) {
		*index = (int64_t)v / l->by - ((int64_t)v % l->by < 0);
		return true;
	}
	if (v == floor(v))
		least = (__int128)v * radix(l)->scale;
	else
		least = (__int128)(fabs(v) < 0x1p33 ? floor_near(v * scale) : floor(v) * scale);
	least = floor_div(least, power(l, l->exponent - radix(l)->least));
	*index = (int64_t)least;
	return least == *index;
}

static bool index_of(const struct mp_linear *l, double v, int64_t *index)
{
	double quotient;

	if (l->width == 0)
		return chosen_index(l, v, index);
	quotient = floor_near(v / l->width);
	*index = fabs(quotient) < 0x1p62 ? (int64_t)quotient : 0;
	return fabs(quotient) < 0x1p62;
}

static uint64_t *counts(const struct mp_linear *l)
{
	return l->block ? l->block + l->at : NULL;
}

static void give_up(struct mp_linear *l)
{
	mp_linear_release(l);
	l->too_wide = true;
}

/* Merges each base (2 or 10) neighbouring counts into one. */
static void coarsen(struct mp_linear *l)
{
	int64_t first = (int64_t)floor_div(l->first, radix(l)->base);
	uint64_t *c = counts(l);
	size_t i, to;

	for (i = 0; i < l->n; i++) {
		uint64_t n = c[i];

		to = (size_t)((int64_t)floor_div(l->first + (int64_t)i, radix(l)->base) - first);
		c[i] = 0;
		c[to] += n;
	}
	l->n = l->n ? (size_t)((int64_t)floor_div(l->first + (int64_t)l->n - 1, radix(l)->base) -
			       first) +
			       1
		    : 0;
	l->first = first;
	l->exponent++;
	l->by = (int64_t)power(l, l->exponent);
}

/*
 * Makes room for [first, last]. The block at least doubles, with spare room on the side that grew.
 */
static void make_room(struct mp_linear *l, int64_t first, int64_t last)
{
	size_t need = (size_t)(last - first) + 1, cap = 1, at;
	uint64_t *block;

	if (l->n && first == l->first && l->at + need <= l->cap) {
		l->n = need;
		return;
	}
	if (l->n && (size_t)(l->first - first) <= l->at &&
	    need <= l->cap - l->at + (l->first - first)) {
		l->at -= (size_t)(l->first - first);
		l->first = first;
		l->n = need;
		return;
	}
	while (cap < 2 * need)
		cap *= 2;
	block = mp_zalloc(cap * sizeof(*block));
	at = l->n && first < l->first ? cap - need : 0;
	if (l->n)
		memcpy(block + at + (l->first - first), counts(l), l->n * sizeof(*block));
	free(l->block);
	l->block = block;
	l->cap = cap;
	l->at = at;
	l->first = first;
	l->n = need;
}

/* Whether the range [first, last] has too many counts. */
static bool too_many(const struct mp_linear *l, int64_t first, int64_t last)
{
	uint64_t span = (uint64_t)last - (uint64_t)first;

	return span >= (l->width == 0 ? (uint64_t)CHOSEN_MAX : (uint64_t)MP_LINEAR_ROWS_MAX);
}

/* Adds to the count at an index; the counts become coarser if there are too many. */
static void add_index(struct mp_linear *l, int64_t index, uint64_t weight)
{
	int64_t first = l->n ? MP_MIN(l->first, index) : index;
	int64_t last = l->n ? MP_MAX(l->first + (int64_t)l->n - 1, index) : index;

	while (too_many(l, first, last)) {
		if (l->width != 0 || l->exponent >= radix(l)->most) {
			give_up(l);
			return;
		}
		coarsen(l);
		index = (int64_t)floor_div(index, radix(l)->base);
		first = (int64_t)floor_div(first, radix(l)->base);
		last = (int64_t)floor_div(last, radix(l)->base);
	}
	if (first != l->first || last != l->first + (int64_t)l->n - 1 || l->n == 0)
		make_room(l, first, last);
	counts(l)[index - l->first] += weight;
	l->total += weight;
}

void mp_linear_add(struct mp_linear *l, double value, uint64_t weight)
{
	int64_t index;

	if (l->too_wide || weight == 0)
		return;
	while (!index_of(l, value, &index)) {
		if (l->width != 0 || l->exponent >= radix(l)->most) {
			give_up(l);
			return;
		}
		coarsen(l);
	}
	add_index(l, index, weight);
}

static void add_counts(struct mp_linear *l, int exponent, int64_t first, const uint64_t *c,
		       size_t n)
{
	int64_t index;
	size_t i;
	int e;

	for (i = 0; i < n && !l->too_wide; i++) {
		if (c[i] == 0)
			continue;
		index = first + (int64_t)i;
		for (e = exponent; e < l->exponent; e++)
			index = (int64_t)floor_div(index, radix(l)->base);
		add_index(l, index, c[i]);
	}
}

int mp_linear_merge(struct mp_linear *to, const struct mp_linear *from)
{
	if (to->width != from->width || to->binary != from->binary)
		return -1;
	if (from->too_wide)
		give_up(to);
	while (!to->too_wide && to->exponent < from->exponent)
		coarsen(to);
	add_counts(to, from->exponent, from->first, counts(from), from->n);
	return 0;
}

static void sum_rows(const struct mp_linear *l, int64_t by, struct mp_linear_rows *rows)
{
	int64_t last = (int64_t)floor_div(l->first + (int64_t)l->n - 1, by);
	size_t i;

	rows->first = (int64_t)floor_div(l->first, by);
	rows->n = l->n ? (size_t)(last - rows->first) + 1 : 0;
	rows->counts = mp_zalloc(rows->n * sizeof(*rows->counts));
	for (i = 0; i < l->n; i++)
		rows->counts[(int64_t)floor_div(l->first + (int64_t)i, by) - rows->first] +=
			counts(l)[i];
}

void mp_linear_rows(const struct mp_linear *l, size_t max, bool whole, struct mp_linear_rows *rows)
{
	static const int steps[2][3] = { { 1, 2, 5 }, { 1, 1, 1 } };
	int64_t by = 1, decade = 1, last;
	size_t i = 0;

	rows->width = l->width;
	if (l->width != 0) {
		sum_rows(l, 1, rows);
		return;
	}
	if (whole && l->exponent < 0)
		by = decade = (int64_t)power(l, -l->exponent);
	for (;; by = decade * steps[l->binary][i]) {
		last = (int64_t)floor_div(l->first + (int64_t)l->n - 1, by);
		if ((uint64_t)(last - (int64_t)floor_div(l->first, by)) < max)
			break;
		i = (i + 1) % MP_ARRAY_SIZE(steps[0]);
		decade *= i == 0 || l->binary ? radix(l)->base : 1;
	}
	sum_rows(l, by, rows);
	rows->width = l->exponent < 0 ? (double)by / (double)power(l, -l->exponent)
				      : (double)by * (double)power(l, l->exponent);
}

static void put_head(const struct mp_linear *l, struct mp_buf *to)
{
	char width[MP_LOGHIST_SUM_MAX];

	mp_loghist_put_number(width, l->width);
	mp_buf_printf(to, "%s:", width);
}

bool mp_linear_write(const struct mp_linear *l, size_t *cursor, struct mp_buf *to)
{
	const char *before = "";
	size_t written = 0;

	if (l->too_wide && *cursor == 0) {
		put_head(l, to);
		mp_buf_byte(to, 'x');
		++*cursor;
		return true;
	}
	if (*cursor >= l->n)
		return false;
	put_head(l, to);
	mp_buf_printf(to, "%s%d:", l->binary ? "b" : "", l->width == 0 ? l->exponent : 0);
	for (; *cursor < l->n && written < WRITTEN_MAX; ++*cursor) {
		uint64_t n = counts(l)[*cursor];

		if (n == 0)
			continue;
		mp_buf_printf(to, "%s%lld*%llu", before, (long long)(l->first + (int64_t)*cursor),
			      (unsigned long long)n);
		before = ",";
		written++;
	}
	return true;
}

static bool next_piece(struct mp_str *rest, char at, struct mp_str *piece)
{
	const char *p = rest->p ? memchr(rest->p, at, rest->len) : NULL;

	if (!p)
		return false;
	*piece = (struct mp_str){ rest->p, p - rest->p };
	rest->len -= piece->len + 1;
	rest->p = p + 1;
	return true;
}

/* Adds the counts of a text. With `l` NULL, only checks the text. */
static int read_counts(struct mp_linear *l, int exponent, struct mp_str rest)
{
	struct mp_str count, index;
	uint64_t n, total = 0;
	int64_t i;

	while (rest.p) {
		if (!next_piece(&rest, ',', &count)) {
			count = rest;
			rest.p = NULL;
		}
		if (!next_piece(&count, '*', &index) || mp_num_i64(index, &i) < 0 ||
		    mp_num_u64(count, &n) < 0 || n == 0 || i < -INT64_MAX / 2 ||
		    i > INT64_MAX / 2 || __builtin_add_overflow(total, n, &total))
			return -1;
		if (l)
			add_counts(l, exponent, i, &n, 1);
	}
	return 0;
}

int mp_linear_read(struct mp_linear *l, struct mp_str rest)
{
	struct mp_str width, exponent;
	int64_t e;
	double w;

	if (!next_piece(&rest, ':', &width) || mp_num_decimal(width, &w) < 0 || w != l->width)
		return -1;
	if (mp_str_eq(rest, MP_STR("x"))) {
		give_up(l);
		return 0;
	}
	if (!next_piece(&rest, ':', &exponent) || (exponent.len && *exponent.p == 'b') != l->binary)
		return -1;
	exponent.p += l->binary;
	exponent.len -= l->binary;
	if (mp_num_i64(exponent, &e) < 0 || read_counts(NULL, 0, rest) < 0)
		return -1;
	if (w == 0 ? e < radix(l)->least || e > radix(l)->most : e != 0)
		return -1;
	while (w == 0 && !l->too_wide && l->exponent < e)
		coarsen(l);
	read_counts(l, (int)e, rest);
	return 0;
}
