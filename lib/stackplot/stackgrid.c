// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stackplot/stackgrid.h"

#include <math.h>
#include <stdlib.h>

#include "lib/core/natural.h"
#include "lib/stackplot/stackrow.h"

enum {
	LEVEL_UNIT = 18, /* at this level the width is 1; at level 0 it is 1e-9 */
	LEVEL_MAX = 2 * (308 + 9),
	VALUES_A_BIN = 4,
	FEW_BINS = 100,
};

#define NEARLY 0.95 /* an interval of sampling is a little longer than was asked for */

static const double exact_max = 9007199254740992.0; /* 2^53 */

void mp_stackgrid_init(struct mp_stackgrid *g, const struct mp_stackgrid_style *style)
{
	*g = (struct mp_stackgrid){ .style = *style };
	mp_map_init(&g->rows, sizeof(struct mp_stackgrid_row));
}

static void free_rows(struct mp_map *rows)
{
	struct mp_map_entry *e;

	mp_map_each (rows, e) {
		struct mp_stackgrid_row *r = mp_map_value(e);

		free(r->sums);
		free(r->counts);
	}
	mp_map_release(rows);
}

void mp_stackgrid_release(struct mp_stackgrid *g)
{
	free_rows(&g->rows);
	free(g->rest);
	free(g->lost);
	free(g->lost_from);
}

/* 1, 2, 10, 20, 100 ... by level; 1 at level `zero`. */
static double step(int level, int zero)
{
	return pow(10, (level - zero) / 2) * (level & 1 ? 2 : 1);
}

static double width_of(int level)
{
	/* divides, since a double represents 1e9 exactly, but not 1e-9 */
	return level < LEVEL_UNIT ? step(level, 0) / 1e9 : step(level, LEVEL_UNIT);
}

double mp_stackgrid_width(const struct mp_stackgrid *g)
{
	return width_of(g->level);
}

void mp_stackgrid_wide(struct mp_stackgrid *g, double width)
{
	while (g->level < LEVEL_MAX && width_of(g->level) < width * (1 - 1e-12))
		g->level++;
}

static struct mp_stackgrid_bins bins_of(const struct mp_stackgrid *g)
{
	return (struct mp_stackgrid_bins){ g->style.bins, g->style.mean, g->low, g->high };
}

static size_t slot(const struct mp_stackgrid *g, int64_t bin)
{
	struct mp_stackgrid_bins bins = bins_of(g);

	return mp_stackgrid_slot(&bins, bin);
}

/* --- coarser bins ----------------------------------------------------------------------------- */

static void coarsen_rows(struct mp_stackgrid *g, int factor)
{
	struct mp_stackgrid_bins bins = bins_of(g);
	double *sums = mp_alloc(g->style.bins * sizeof(*sums));
	uint32_t *counts = mp_alloc(g->style.bins * sizeof(*counts));
	struct mp_map_entry *e;

	mp_map_each (&g->rows, e) {
		struct mp_stackgrid_row *r = mp_map_value(e);

		mp_stackgrid_row_coarsen(&bins, r, factor, sums, counts);
	}
	free(sums);
	free(counts);
}

/* Merges the bins of mp_stackgrid.rest; if the values are means, averages them. */
static void coarsen_rest(struct mp_stackgrid *g, int factor)
{
	double *rest = mp_zalloc(g->style.bins * sizeof(*rest));
	uint64_t i;

	for (i = 0; i <= (uint64_t)g->high - (uint64_t)g->low; i++) {
		int64_t bin = g->low + (int64_t)i;

		rest[slot(g, mp_stackgrid_floor_div(bin, factor))] +=
			g->rest[slot(g, bin)] / (g->style.mean ? factor : 1);
	}
	free(g->rest);
	g->rest = rest;
}

/* Notes `n` lost events in a slot. */
static void put_lost(struct mp_stackgrid *g, size_t at, uint64_t n, int64_t from)
{
	if (!g->lost[at] || from < g->lost_from[at])
		g->lost_from[at] = from;
	g->lost[at] = mp_count_sum(g->lost[at], n);
}

static void new_losses(struct mp_stackgrid *g)
{
	g->lost = mp_zalloc(g->style.bins * sizeof(*g->lost));
	g->lost_from = mp_zalloc(g->style.bins * sizeof(*g->lost_from));
}

static void coarsen_losses(struct mp_stackgrid *g, int factor)
{
	int64_t *from = g->lost_from;
	uint64_t *lost = g->lost, i;

	new_losses(g);
	for (i = 0; i <= (uint64_t)g->high - (uint64_t)g->low; i++) {
		int64_t bin = g->low + (int64_t)i;
		size_t at = slot(g, bin);

		if (lost[at])
			put_lost(g, slot(g, mp_stackgrid_floor_div(bin, factor)), lost[at],
				 from[at]);
	}
	free(lost);
	free(from);
}

static void coarsen(struct mp_stackgrid *g)
{
	int factor = g->level & 1 ? 5 : 2;

	g->level++;
	if (g->n == 0)
		return;
	coarsen_rows(g, factor);
	if (g->rest)
		coarsen_rest(g, factor);
	if (g->lost)
		coarsen_losses(g, factor);
	g->low = mp_stackgrid_floor_div(g->low, factor);
	g->high = mp_stackgrid_floor_div(g->high, factor);
}

/* Extends the range to the bins from `first` to `last`; false if there would be too many bins. */
static bool reach(struct mp_stackgrid *g, int64_t first, int64_t last)
{
	int64_t low = g->n ? MP_MIN(g->low, first) : first;
	int64_t high = g->n ? MP_MAX(g->high, last) : last;

	if ((uint64_t)high - (uint64_t)low >= g->style.bins)
		return false;
	g->low = low;
	g->high = high;
	return true;
}

/* --- rows ------------------------------------------------------------------------------------- */

static bool is_heavier(const struct mp_stackgrid_row *a, const struct mp_stackgrid_row *b)
{
	if (a->weight != b->weight)
		return a->weight > b->weight;
	return mp_str_cmp(a->key, b->key) < 0;
}

/* Moves the `n` heaviest of the rows to the front, in any order. */
static void select_heaviest(struct mp_stackgrid_row **v, size_t total, size_t n)
{
	size_t low = 0, high = total;

	while (high - low > 1) {
		struct mp_stackgrid_row *pivot = v[low + (high - low - 1) / 2], *swap;
		size_t i = low, k = high - 1;

		for (;;) {
			while (is_heavier(v[i], pivot))
				i++;
			while (is_heavier(pivot, v[k]))
				k--;
			if (i >= k)
				break;
			swap = v[i];
			v[i++] = v[k];
			v[k--] = swap;
		}
		if (n <= k + 1)
			high = k + 1;
		else
			low = k + 1;
	}
}

static void split_key(struct mp_str key, struct mp_str parts[2])
{
	const char *tab = memchr(key.p, '\t', key.len);

	parts[0] = (struct mp_str){ key.p, tab - key.p };
	parts[1] = (struct mp_str){ tab + 1, key.p + key.len - tab - 1 };
}

/* Moves a row to the current map; its bins move, too. */
static void move_row(struct mp_stackgrid *g, struct mp_stackgrid_row *r)
{
	struct mp_map_entry *e;
	struct mp_str parts[2];
	struct mp_stackgrid_row *moved;

	split_key(r->key, parts);
	e = mp_map_put(&g->rows, parts, 2, NULL);
	moved = mp_map_value(e);
	*moved = *r;
	moved->key = e->key;
	moved->kept = false;
	r->sums = NULL;
	r->counts = NULL;
}

/* Adds the lighter half of the rows to mp_stackgrid.rest; moves the others to a new map. */
static void drop_light_rows(struct mp_stackgrid *g)
{
	struct mp_stackgrid_row **v = mp_alloc(g->rows.n * sizeof(*v));
	struct mp_stackgrid_bins bins = bins_of(g);
	struct mp_map old = g->rows;
	struct mp_map_entry *e;
	size_t n = 0, i;

	mp_map_each (&old, e) {
		struct mp_stackgrid_row *r = mp_map_value(e);

		if (r->sums || r->n_cells)
			v[n++] = r;
	}
	select_heaviest(v, n, g->style.rows);
	for (i = 0; i < MP_MIN(n, g->style.rows); i++)
		v[i]->kept = true;
	free(v);
	if (!g->rest)
		g->rest = mp_zalloc(g->style.bins * sizeof(*g->rest));
	mp_map_init(&g->rows, sizeof(struct mp_stackgrid_row));
	mp_map_each (&old, e) {
		struct mp_stackgrid_row *r = mp_map_value(e);

		if (r->kept) {
			move_row(g, r);
		} else if (r->sums || r->n_cells) {
			mp_stackgrid_row_add_to(&bins, r, g->rest);
			g->dropped++;
		}
	}
	free_rows(&old);
	g->last = NULL;
}

static struct mp_stackgrid_row *put_row(struct mp_stackgrid *g, const struct mp_str parts[2])
{
	struct mp_map_entry *e = g->last;
	struct mp_stackgrid_row *r;
	bool fresh;

	if (e && e->key.len == parts[0].len + 1 + parts[1].len &&
	    memcmp(e->key.p, parts[0].p, parts[0].len) == 0 && e->key.p[parts[0].len] == '\t' &&
	    memcmp(e->key.p + parts[0].len + 1, parts[1].p, parts[1].len) == 0)
		return mp_map_value(e);
	e = mp_map_put(&g->rows, parts, 2, &fresh);
	r = mp_map_value(e);
	g->last = e;
	if (!fresh)
		return r;
	if (g->rows.n > 2 * g->style.rows) {
		drop_light_rows(g); /* drops the new row as well, since it has no bins yet */
		return put_row(g, parts);
	}
	r->key = e->key;
	return r;
}

static void add(struct mp_stackgrid *g, struct mp_str label, struct mp_str each, int64_t bin,
		double y)
{
	const struct mp_str parts[2] = { label, each };
	struct mp_stackgrid_bins bins = bins_of(g);

	mp_stackgrid_row_add(&bins, put_row(g, parts), slot(g, bin), y);
	g->n++;
}

static int64_t bin_at(const struct mp_stackgrid *g, int64_t x)
{
	double width = step(g->level, LEVEL_UNIT);

	return width < (double)INT64_MAX ? mp_stackgrid_floor_div(x, (int64_t)width) : -(x < 0);
}

void mp_stackgrid_add_at(struct mp_stackgrid *g, struct mp_str label, struct mp_str each, int64_t x,
			 double y)
{
	while (g->level < LEVEL_UNIT || !reach(g, bin_at(g, x), bin_at(g, x)))
		coarsen(g);
	add(g, label, each, bin_at(g, x), y);
}

/* Finds the bin of any x; false if its number would be too large for bins of this width. */
static bool find_bin(const struct mp_stackgrid *g, double x, int64_t *bin)
{
	double fine = x * 1e9, near = nearbyint(fine), at;

	if (fabs(fine) <= exact_max) {
		/* 0.3 and 0.1 + 0.2 are in one bin */
		if (fabs(fine - near) > fabs(near) * 1e-14)
			near = floor(fine);
		at = step(g->level, 0);
		*bin = at < exact_max ? mp_stackgrid_floor_div((int64_t)near, (int64_t)at)
				      : -(near < 0);
		return true;
	}
	if (g->level < LEVEL_UNIT)
		return false;
	at = step(g->level, LEVEL_UNIT);
	if (fabs(x) < 9e18 && at < 9e18) {
		*bin = mp_stackgrid_floor_div((int64_t)floor(x), (int64_t)at);
		return true;
	}
	at = floor(x / at);
	*bin = fabs(at) <= exact_max ? (int64_t)at : 0;
	return fabs(at) <= exact_max;
}

void mp_stackgrid_add(struct mp_stackgrid *g, struct mp_str label, struct mp_str each, double x,
		      double y)
{
	int64_t bin;

	while (!find_bin(g, x, &bin) || !reach(g, bin, bin))
		coarsen(g);
	add(g, label, each, bin, y);
}

/* Where a bin begins, for a bin between two whole numbers; the widest bins meet at 0. */
static int64_t begin_of(const struct mp_stackgrid *g, int64_t bin)
{
	double width = step(g->level, LEVEL_UNIT);

	return width < (double)INT64_MAX ? bin * (int64_t)width : 0;
}

void mp_stackgrid_spread(struct mp_stackgrid *g, struct mp_str label, struct mp_str each,
			 int64_t from, int64_t to)
{
	int64_t last = MP_MAX(from, to - 1), bin;

	while (g->level < LEVEL_UNIT || !reach(g, bin_at(g, from), bin_at(g, last)))
		coarsen(g);
	for (bin = bin_at(g, from); bin <= bin_at(g, last); bin++) {
		int64_t end = bin == bin_at(g, last) ? to : begin_of(g, bin + 1);

		add(g, label, each, bin, (double)(end - from));
		from = end;
	}
}

void mp_stackgrid_lost(struct mp_stackgrid *g, uint64_t n, int64_t from, int64_t at)
{
	if (!g->n || !n)
		return;
	while (g->level < LEVEL_UNIT || !reach(g, bin_at(g, at), bin_at(g, at)))
		coarsen(g);
	if (!g->lost)
		new_losses(g);
	put_lost(g, slot(g, bin_at(g, at)), n, from);
}

void mp_stackgrid_merge_sparse(struct mp_stackgrid *g)
{
	while (g->n && (uint64_t)(g->high - g->low) >= FEW_BINS &&
	       g->n < VALUES_A_BIN * (uint64_t)(g->high - g->low + 1))
		coarsen(g);
}

/* --- the end ---------------------------------------------------------------------------------- */

/* The values of a row in the order of bins. */
struct line {
	size_t n;
	double *sums;
	uint32_t *counts;
	uint32_t *rounds; /* by bin: the greatest of the counts of all rows */
};

static void line_init(struct line *l, const struct mp_stackgrid *g)
{
	l->n = g->n ? (size_t)(g->high - g->low) + 1 : 0;
	l->sums = mp_alloc((l->n + 1) * sizeof(*l->sums));
	l->counts = mp_alloc((l->n + 1) * sizeof(*l->counts));
	l->rounds = mp_zalloc((l->n + 1) * sizeof(*l->rounds));
}

static void line_release(struct line *l)
{
	free(l->sums);
	free(l->counts);
	free(l->rounds);
}

static void load_line(const struct mp_stackgrid *g, const struct mp_stackgrid_row *r,
		      struct line *l)
{
	struct mp_stackgrid_bins bins = bins_of(g);

	mp_stackgrid_row_load(&bins, r, l->n, l->sums, l->counts);
}

static void count_rounds(const struct mp_stackgrid *g, struct line *l)
{
	struct mp_map_entry *e;
	size_t i;

	mp_map_each (&g->rows, e) {
		load_line(g, mp_map_value(e), l);
		for (i = 0; i < l->n; i++)
			l->rounds[i] = MP_MAX(l->rounds[i], l->counts[i]);
	}
}

/* Adds the values of a row to `to`; a bin without a round is like the one before. */
static void add_rounds(const struct mp_stackgrid *g, const struct line *l, double *to)
{
	double value = 0;
	size_t i;

	for (i = 0; i < l->n; i++) {
		if (l->rounds[i])
			value = g->style.mean ? l->sums[i] / l->rounds[i] : l->sums[i];
		to[i] += value;
	}
}

/* Adds the values of a row to `to`, and fills bins without a value. */
static void add_line(const struct mp_stackgrid *g, const struct line *l, double *to)
{
	size_t first = l->n, last = 0, filled = 0, end, i;
	double value = 0;

	if (g->style.fill == MP_STACK_ROUNDS) {
		add_rounds(g, l, to);
		return;
	}
	for (i = 0; i < l->n; i++)
		if (l->counts[i]) {
			first = MP_MIN(first, i);
			last = i;
			filled++;
		}
	end = last;
	if (g->style.fill == MP_STACK_CARRY && filled > 1)
		end = MP_MIN(l->n - 1, last + (last - first + filled - 2) / (filled - 1) - 1);
	for (i = first; i < l->n && i <= end; i++) {
		if (l->counts[i])
			value = g->style.mean ? l->sums[i] / l->counts[i] : l->sums[i];
		else if (g->style.fill == MP_STACK_ZERO)
			value = 0;
		to[i] += value;
	}
}

/* --- samples ---------------------------------------------------------------------------------- */

/* Counts in gaps[i] how often the values of a line are i bins apart. */
static void count_gaps(const struct line *l, const uint32_t *counts, uint64_t *gaps)
{
	size_t last = l->n, i;

	for (i = 0; i < l->n; i++) {
		if (!counts[i])
			continue;
		if (last < l->n)
			gaps[i - last]++;
		last = i;
	}
}

/* The usual gap, in bins: the average of those up to twice the median; 0 if there is none. */
static double usual_gap(const uint64_t *gaps, size_t n)
{
	uint64_t total = 0, count = 0, sum = 0, half = 0;
	size_t median = 0, i;

	for (i = 0; i < n; i++)
		total += gaps[i];
	if (!total)
		return 0;
	for (i = 0; i < n && 2 * half < total; i++) {
		half += gaps[i];
		median = i;
	}
	for (i = 0; i < n && i <= 2 * median; i++) {
		count += gaps[i];
		sum += gaps[i] * i;
	}
	return (double)sum / (double)count;
}

void mp_stackgrid_merge_unsampled(struct mp_stackgrid *g)
{
	struct mp_map_entry *e;
	uint64_t *gaps;
	double width;
	struct line l;

	line_init(&l, g);
	gaps = mp_zalloc((l.n + 1) * sizeof(*gaps));
	count_rounds(g, &l);
	mp_map_each (&g->rows, e) {
		load_line(g, mp_map_value(e), &l);
		count_gaps(&l, l.counts, gaps);
	}
	width = usual_gap(gaps, l.n) * mp_stackgrid_width(g);
	if (width <= 0) { /* each row has one value: how far these are apart */
		count_gaps(&l, l.rounds, gaps);
		width = usual_gap(gaps, l.n) * mp_stackgrid_width(g);
	}
	while (g->level < LEVEL_MAX && mp_stackgrid_width(g) < width * NEARLY)
		coarsen(g);
	free(gaps);
	line_release(&l);
}

/* --- layers ----------------------------------------------------------------------------------- */

struct label {
	struct mp_str name;
	double *values;
	double area;
};

static int heavier_label(const void *va, const void *vb)
{
	const struct label *a = va, *b = vb;

	if (a->area != b->area)
		return a->area > b->area ? -1 : 1;
	return mp_natural_cmp(a->name, b->name);
}

/* Adds up the rows of each label, in order of appearance. */
static struct label *add_up_labels(const struct mp_stackgrid *g, size_t n_bins, size_t *n_labels,
				   uint64_t *negative)
{
	struct label *labels = mp_zalloc(g->rows.n * sizeof(*labels));
	struct mp_map by_name;
	struct mp_map_entry *e;
	size_t n = 0, i, k;
	struct line line;

	line_init(&line, g);
	if (g->style.fill == MP_STACK_ROUNDS)
		count_rounds(g, &line);
	mp_map_init(&by_name, sizeof(size_t));
	mp_map_each (&g->rows, e) {
		const struct mp_stackgrid_row *r = mp_map_value(e);
		struct mp_str parts[2];
		size_t *number;
		bool fresh;

		split_key(r->key, parts);
		number = mp_map_value(mp_map_put(&by_name, parts, 1, &fresh));
		if (fresh) {
			*number = n;
			labels[n].name = parts[0];
			labels[n++].values = mp_zalloc(n_bins * sizeof(double));
		}
		load_line(g, r, &line);
		add_line(g, &line, labels[*number].values);
	}
	mp_map_release(&by_name);
	line_release(&line);
	for (i = 0; i < n; i++)
		for (k = 0; k < n_bins; k++) {
			double *v = &labels[i].values[k];

			*negative += *v < 0;
			*v = MP_MAX(*v, 0);
			labels[i].area += *v;
		}
	*n_labels = n;
	return labels;
}

static struct mp_stack_layer make_other(const struct mp_stackgrid *g, struct label *rest,
					size_t n_rest, size_t n_bins, uint64_t *negative)
{
	struct mp_stack_layer other = { { NULL, 0 }, mp_zalloc(n_bins * sizeof(double)), 0 };
	size_t i, k;

	for (k = 0; k < n_bins; k++) {
		if (g->rest) {
			other.values[k] = g->rest[slot(g, g->low + (int64_t)k)];
			*negative += other.values[k] < 0;
			other.values[k] = MP_MAX(other.values[k], 0);
		}
		for (i = 0; i < n_rest; i++)
			other.values[k] += rest[i].values[k];
		other.area += other.values[k];
	}
	for (i = 0; i < n_rest; i++)
		free(rest[i].values);
	return other;
}

/* How many bins, as a fraction, lie between the first bin and a time. */
static double bins_until(const struct mp_stackgrid *g, int64_t x)
{
	double width = step(g->level, LEVEL_UNIT);
	int64_t bin = bin_at(g, x);

	if (width >= (double)INT64_MAX)
		return (double)(bin - g->low);
	return (double)(bin - g->low) + (double)(x - bin * (int64_t)width) / width;
}

static void fill_losses(const struct mp_stackgrid *g, struct mp_stackplot *s)
{
	size_t i;

	mp_lossbins_init(&s->losses, s->n_bins);
	for (i = 0; g->lost && i < s->n_bins; i++) {
		size_t at = slot(g, g->low + (int64_t)i);

		if (g->lost[at])
			mp_lossbins_add(&s->losses, i, bins_until(g, g->lost_from[at]),
					g->lost[at]);
	}
}

void mp_stackgrid_finish(const struct mp_stackgrid *g, size_t top, struct mp_stackplot *s)
{
	size_t n_bins = g->n ? (size_t)(g->high - g->low) + 1 : 0, n_labels, kept, i, k;
	struct label *labels;

	*s = (struct mp_stackplot){ .n_bins = n_bins, .width = mp_stackgrid_width(g) };
	s->low = (double)g->low * s->width;
	s->exact = g->level >= LEVEL_UNIT && fabs(s->low) < 9e18 && s->width < exact_max;
	s->first = s->exact ? begin_of(g, g->low) : 0;
	labels = add_up_labels(g, n_bins, &n_labels, &s->negative);
	qsort(labels, n_labels, sizeof(*labels), heavier_label);
	kept = MP_MIN(top, n_labels);
	s->layers = mp_zalloc((kept + 1) * sizeof(*s->layers));
	s->n_other = n_labels - kept;
	if (s->n_other || g->rest)
		s->layers[s->n_layers++] =
			make_other(g, labels + kept, s->n_other, n_bins, &s->negative);
	for (i = 0; i < kept; i++)
		s->layers[s->n_layers++] =
			(struct mp_stack_layer){ labels[i].name, labels[i].values, labels[i].area };
	free(labels);
	s->totals = mp_zalloc(n_bins * sizeof(double));
	for (k = 0; k < n_bins; k++) {
		for (i = 0; i < s->n_layers; i++)
			s->totals[k] += s->layers[i].values[k];
		s->area += s->totals[k];
		s->peak = MP_MAX(s->peak, s->totals[k]);
	}
	fill_losses(g, s);
}

void mp_stackplot_release(struct mp_stackplot *s)
{
	size_t i;

	for (i = 0; i < s->n_layers; i++)
		free(s->layers[i].values);
	free(s->layers);
	free(s->totals);
	mp_lossbins_release(&s->losses);
}
