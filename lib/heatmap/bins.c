// SPDX-License-Identifier: GPL-2.0-only
#include "lib/heatmap/bins.h"

#include <math.h>
#include <stdlib.h>

#include "lib/core/natural.h"

/* A slot of the grid, and what decides its bin. */
struct entry {
	unsigned slot;
	int64_t line;
	struct mp_str name;
	uint64_t total;
};

static int by_line(const void *a, const void *b)
{
	int64_t x = ((const struct entry *)a)->line, y = ((const struct entry *)b)->line;

	return (x > y) - (x < y);
}

static int by_total(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return mp_natural_cmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
	return mp_natural_cmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static struct entry *list_slots(const struct mp_lines *l, const uint64_t *totals, size_t *n)
{
	struct entry *v = mp_alloc((l->top + 1) * sizeof(*v));
	size_t i;

	for (i = 0, *n = 0; i < l->top; i++)
		if (l->used[i])
			v[(*n)++] = (struct entry){ i, l->line[i], l->name[i], totals[i] };
	return v;
}

/* --- names ------------------------------------------------------------------------------------ */

/* The names with the greatest totals, in natural order or in that of their totals. */
static void cut_names(struct mp_bins *b, const struct mp_lines *l, struct entry *v, size_t n,
		      const struct mp_bins_style *style)
{
	size_t i;

	qsort(v, n, sizeof(*v), by_total);
	b->n = MP_MIN(n, style->wanted);
	b->others = n - b->n;
	if (!style->by_weight)
		qsort(v, b->n, sizeof(*v), by_name);
	b->name = mp_alloc((b->n + 1) * sizeof(*b->name));
	for (i = 0; i < n; i++) {
		b->bin[v[i].slot] = MP_MIN(i, b->n);
		if (i < b->n)
			b->name[i] = v[i].name;
	}
	b->bin[l->max] = b->n;
	b->names = true;
}

/* --- whole and decimal numbers: bins of equally many lines ------------------------------------ */

/* The first bin begins at line `first`; each bin has `each` lines. */
struct cut {
	int64_t first;
	uint64_t each;
};

/* Adds lines at both ends of a single one, which would be the whole axis. */
static void widen(const struct mp_lines *l, int64_t margin, int64_t *first, int64_t *last)
{
	int64_t more = (int64_t)ldexp((double)margin, -l->level);

	if (*first != *last)
		return;
	if (__builtin_sub_overflow(*first, more, first))
		*first = INT64_MIN;
	if (__builtin_add_overflow(*last, more, last))
		*last = INT64_MAX;
	if (*first < 0 && l->first >= 0) {
		*last -= *first;
		*first = 0;
	}
}

/* Puts a single x in the middle. */
static void cut_single(struct mp_bins *b, const struct mp_lines *l, size_t wanted, const char *unit)
{
	double half = MP_MAX(fabs(l->low) / 2, 0.5), each;
	size_t i;

	b->n = wanted | 1;
	each = half / b->n * 2;
	b->edge = mp_alloc((b->n + 1) * sizeof(*b->edge));
	for (i = 0; i <= b->n; i++)
		b->edge[i] = l->low + ((double)i - b->n / 2.0) * each;
	for (i = 0; i < l->top; i++)
		b->bin[i] = b->n / 2;
	b->axis = (struct mp_axis){ MP_AXIS_LINEAR, b->edge[0], b->edge[b->n], unit };
}

/*
 * Makes at most `wanted` bins from the first line to the last. If all values are whole numbers,
 * each bin covers equally many whole numbers.
 */
static struct cut cut_range(struct mp_bins *b, const struct mp_lines *l, int64_t first,
			    int64_t last, size_t wanted)
{
	bool units = l->kind == MP_DECIMAL && l->whole && l->level < 0 && l->level > -52;
	uint64_t unit = units ? 1ull << -l->level : 1;
	uint64_t lines = (uint64_t)last - (uint64_t)first + unit;
	struct cut cut = { first, lines / wanted + (lines % wanted != 0) };

	cut.each = (cut.each + unit - 1) / unit * unit;
	b->n = lines / cut.each + (lines % cut.each != 0);
	return cut;
}

/* The lower edge of bin i. */
static int64_t cut_line(const struct cut *cut, size_t i)
{
	uint64_t ahead;
	int64_t line;

	if (__builtin_mul_overflow(cut->each, (uint64_t)i, &ahead) ||
	    __builtin_add_overflow(cut->first, ahead, &line))
		return INT64_MAX;
	return line;
}

/*
 * Finds the range of lines without outliers, which have at most the share `allowed` of the sum at
 * either end.
 */
static void trim(const struct entry *v, size_t n, double allowed, int64_t *first, int64_t *last)
{
	double below = 0, above = 0, body;
	size_t i = 0, k = n - 1;

	while (i < k && below + v[i].total <= allowed)
		below += v[i++].total;
	while (k > i && above + v[k].total <= allowed)
		above += v[k--].total;
	body = (double)v[k].line - (double)v[i].line + 1;
	if ((double)v[n - 1].line - (double)v[k].line > body)
		*last = v[k].line;
	if ((double)v[i].line - (double)v[0].line > body)
		*first = v[i].line;
}

static double total_of(const struct entry *v, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += v[i].total;
	return sum;
}

static int64_t times(int64_t v, int64_t factor)
{
	int64_t product;

	return __builtin_mul_overflow(v, factor, &product) ? INT64_MAX : product;
}

static void cut_lines(struct mp_bins *b, const struct mp_lines *l, const struct entry *v, size_t n,
		      const struct mp_bins_style *style)
{
	int64_t first = v[0].line, last = v[n - 1].line;
	int64_t factor = l->kind == MP_WHOLE ? style->factor : 1;
	struct cut cut;
	size_t i;

	if (l->kind == MP_DECIMAL)
		trim(v, n, style->overflow * total_of(v, n), &first, &last);
	if (style->end) {
		first = 0;
		last = (style->end / factor - 1) >> l->level;
	}
	if (l->kind == MP_DECIMAL && first == last) {
		cut_single(b, l, style->wanted, style->unit);
		return;
	}
	widen(l, style->margin, &first, &last);
	cut = cut_range(b, l, first, last, style->wanted);
	b->edge = mp_alloc((b->n + 1) * sizeof(*b->edge));
	if (l->kind == MP_WHOLE)
		b->whole = mp_alloc((b->n + 1) * sizeof(*b->whole));
	for (i = 0; i <= b->n; i++) {
		int64_t line = cut_line(&cut, i);

		b->edge[i] = mp_grid_line_begin(l, line) * factor;
		if (b->whole)
			b->whole[i] = times(mp_grid_line_begin_whole(l, line), factor);
	}
	if (style->end && b->whole[b->n] > style->end)
		b->edge[b->n] = b->whole[b->n] = style->end;
	for (i = 0; i < n; i++) {
		uint64_t at = ((uint64_t)v[i].line - (uint64_t)cut.first) / cut.each;

		b->bin[v[i].slot] = v[i].line < cut.first ? b->n : at >= b->n ? b->n + 1 : at;
	}
	b->axis = (struct mp_axis){ MP_AXIS_LINEAR, b->edge[0], b->edge[b->n], style->unit };
}

/* --- values: bins on a linear or logarithmic scale, edges on lines ---------------------------- */

static double at_scale(bool log_scale, double v)
{
	return log_scale ? log(v) : v;
}

/*
 * The range of an axis of values: all values except outliers that would leave less than half of the
 * axis to the others.
 */
static void choose_range(const struct mp_lines *l, const struct entry *v, size_t n, double overflow,
			 bool log_scale, double *low, double *high)
{
	double allowed = overflow * total_of(v, n), below = 0, above = 0, a, b, body, least;
	size_t i = 0, k = n - 1, first;

	while (log_scale && i < k && mp_grid_line_begin(l, v[i].line) <= 0)
		i++;
	first = i;
	while (i < k && below + v[i].total <= allowed)
		below += v[i++].total;
	while (k > i && above + v[k].total <= allowed)
		above += v[k--].total;
	*low = MP_MAX(l->low, mp_grid_line_begin(l, v[first].line));
	*high = l->high;
	a = MP_MAX(*low, mp_grid_line_begin(l, v[i].line));
	b = MP_MIN(*high, mp_grid_line_begin(l, v[k].line + 1));
	/* no value has a logarithm: all are in the bin below the range */
	if (log_scale && !(*high > 0)) {
		*low = 1;
		*high = 10;
		return;
	}
	least = log_scale ? log(2) : MP_MAX(fabs(a), fabs(b)) / 4;
	body = MP_MAX(at_scale(log_scale, b) / 2 - at_scale(log_scale, a) / 2, least / 2);
	if (at_scale(log_scale, *high) / 2 - at_scale(log_scale, b) / 2 > body)
		*high = b;
	if (at_scale(log_scale, a) / 2 - at_scale(log_scale, *low) / 2 > body)
		*low = a;
}

/*
 * Begins the axis at 0 if at most half of it stays empty then; puts a single value in the middle.
 */
static void round_range(bool log_scale, double *low, double *high)
{
	bool single = *high <= *low;

	if (log_scale && single) {
		*low /= 3.2;
		*high = MP_MIN(*high * 3.2, 1.7e308);
	} else if (log_scale) {
		return;
	} else if (single) {
		double v = *low;

		*low = v < 0 ? MP_MAX(2 * v, -1.7e308) : 0;
		*high = v > 0 ? MP_MIN(2 * v, 1.7e308) : v < 0 ? 0 : 1;
	} else if (*low > 0 && *low < *high / 2) {
		*low = 0;
	} else if (*high < 0 && *high > *low / 2) {
		*high = 0;
	}
}

/* The least product of one of the factors and a power of ten that is not below `v`. */
static double round_up(double v)
{
	static const double steps[] = { 1, 1.25, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10 };
	double tens = pow(10, floor(log10(v)));
	size_t i = 0;

	while (i < MP_ARRAY_SIZE(steps) - 1 && steps[i] * tens < v * (1 - 1e-9))
		i++;
	return steps[i] * tens;
}

/* The start of the first line that begins at or above `v`. */
static double snap(const struct mp_lines *l, double v)
{
	int64_t line = mp_grid_line_of(l, &(struct mp_grid_coord){ .real = v }, l->level);
	double begin = mp_grid_line_begin(l, line);

	return begin < v ? mp_grid_line_begin(l, line + 1) : begin;
}

/*
 * Height of the bins of a linear axis: a round number where lines are fine enough, else a multiple
 * of lines, so that no bin has more lines than its neighbours.
 */
static double bin_height(const struct mp_lines *l, double low, double high, size_t wanted)
{
	double each = (high / 2 - low / 2) / wanted * 2, line, size = MP_MAX(fabs(low), fabs(high));

	line = l->level > 52 ? size : ldexp(1, ilogb(size) - 52 + l->level);
	if (each < 1e-290)
		return ceil(each / 5e-324) * 5e-324;
	if (l->whole && line <= 1)
		return ceil(each < 100 ? each * (1 - 1e-9) : round_up(each));
	if (line <= each / 64)
		return round_up(each);
	return ceil(each / line) * line;
}

/* begin + i * each, computed without overflow. */
static double step(double begin, double each, size_t i)
{
	if (fabs(begin) < 1e300 && each < 1e300)
		return begin + i * each;
	return (begin / 1024 + i * (each / 1024)) * 1024;
}

/* Makes edges from `low` up to the first above `high`; at most `wanted` + 2 bins. */
static void cut_values(struct mp_bins *b, const struct mp_lines *l, double low, double high,
		       size_t wanted, bool log_scale)
{
	double each =
		log_scale ? (log(high) - log(low)) / wanted : bin_height(l, low, high, wanted);
	double begin = log_scale ? low : floor(low / each) * each;
	size_t i, n = 0;

	b->edge = mp_alloc((wanted + 4) * sizeof(*b->edge));
	for (i = 0; i < wanted + 3; i++) {
		double v = log_scale ? low * exp(i * each) : step(begin, each, i);

		if (i == 0)
			v = mp_grid_line_begin(
				l,
				mp_grid_line_of(l, &(struct mp_grid_coord){ .real = v }, l->level));
		else
			v = snap(l, l->whole ? snap(l, ceil(v * (1 - 1e-12))) : v);
		if (n && !(v > b->edge[n - 1]))
			continue;
		b->edge[n++] = v;
		if (v > high)
			break;
	}
	if (n < 2) /* the range is within one line */
		b->edge[n++] = mp_grid_line_begin(
			l,
			mp_grid_line_of(l, &(struct mp_grid_coord){ .real = high }, l->level) + 1);
	b->n = n - 1;
}

static void place_values(struct mp_bins *b, const struct mp_lines *l, const struct entry *v,
			 size_t n)
{
	size_t at = 0, i;

	for (i = 0; i < n; i++) {
		double begin = mp_grid_line_begin(l, v[i].line);

		while (at <= b->n && begin >= b->edge[at])
			at++;
		b->bin[v[i].slot] = at == 0 ? b->n : at > b->n ? b->n + 1 : at - 1;
	}
}

void mp_bins_make(struct mp_bins *b, const struct mp_lines *l, const uint64_t *totals,
		  const struct mp_bins_style *style)
{
	bool log_scale = style->log_scale;
	double low, high;
	struct entry *v;
	size_t n;

	*b = (struct mp_bins){ .bin = mp_zalloc((l->max + 1) * sizeof(*b->bin)) };
	v = list_slots(l, totals, &n);
	if (l->kind == MP_NAMES) {
		cut_names(b, l, v, n, style);
		free(v);
		return;
	}
	qsort(v, n, sizeof(*v), by_line);
	if (l->kind == MP_VALUE) {
		choose_range(l, v, n, style->overflow, log_scale, &low, &high);
		round_range(log_scale, &low, &high);
		if (log_scale && l->whole)
			low = MP_MAX(floor(low), 1.0);
		cut_values(b, l, low, high, style->wanted, log_scale);
		place_values(b, l, v, n);
		b->axis = (struct mp_axis){ log_scale ? MP_AXIS_LOG : MP_AXIS_LINEAR, b->edge[0],
					    b->edge[b->n], style->unit };
	} else {
		cut_lines(b, l, v, n, style);
	}
	free(v);
}

void mp_bins_release(struct mp_bins *b)
{
	free(b->edge);
	free(b->whole);
	free(b->name);
	free(b->bin);
}
