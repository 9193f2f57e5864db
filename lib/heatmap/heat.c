// SPDX-License-Identifier: GPL-2.0-only
#include "lib/heatmap/heat.h"

#include <math.h>
#include <stdlib.h>

#include "lib/core/clock.h"
#include "lib/core/natural.h"

static void axis_release(struct mp_heat_axis *a)
{
	free(a->field);
	free(a->unit);
	free(a->name);
}

void mp_heat_info_release(struct mp_heat_info *info)
{
	axis_release(&info->x);
	axis_release(&info->y);
	free(info->weight);
	free(info->unit);
	free(info->events);
	free(info->host);
	free(info->group);
	mp_groups_release(&info->groups);
	*info = (struct mp_heat_info){ .spread = false };
}

enum mp_lines_kind mp_heat_lines(enum mp_heat_what what)
{
	switch (what) {
	case MP_HEAT_TIME:
	case MP_HEAT_SECOND:
	case MP_HEAT_OFFSET:
		return MP_WHOLE;
	case MP_HEAT_X:
		return MP_DECIMAL;
	case MP_HEAT_NUMBER:
		return MP_VALUE;
	case MP_HEAT_NAME:
		break;
	}
	return MP_NAMES;
}

int64_t mp_heat_factor(enum mp_heat_what what)
{
	if (what == MP_HEAT_SECOND)
		return MP_NS_PER_SEC;
	return what == MP_HEAT_OFFSET ? 1000000 : 1;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

/* The end of the slots that may be in use. */
static size_t slots_end(const struct mp_lines *l)
{
	return l->kind == MP_NAMES ? l->max + 1 : l->top;
}

/* Sums up each slot of both axes, in all planes. */
static void sum_slots(const struct mp_grid *g, uint64_t *columns, uint64_t *rows)
{
	size_t p, x, y, n = slots_end(&g->y);

	for (p = 0; p < g->n_planes; p++) {
		for (x = 0; x <= g->x.max; x++) {
			for (y = 0; g->planes[p].touched[x] && y < n; y++) {
				uint64_t v = *mp_plane_cell(&g->planes[p], x, y);

				columns[x] = add(columns[x], v);
				rows[y] = add(rows[y], v);
			}
		}
	}
}

static uint64_t *new_cells(const struct mp_heat *h)
{
	return mp_zalloc((h->x.n + 2) * (h->y.n + 2) * sizeof(*h->cells));
}

/* Adds a plane to the cells, and to `part`, which is the cells of its pane. Returns its sum. */
static uint64_t fill_plane(struct mp_heat *h, const struct mp_plane *p, uint64_t *part)
{
	size_t x, y, n = slots_end(&h->grid->y);
	uint64_t total = 0;

	for (x = 0; x <= h->grid->x.max; x++) {
		for (y = 0; p->touched[x] && y < n; y++) {
			uint64_t v = *mp_plane_cell(p, x, y);
			size_t cell = h->y.bin[y] * (h->x.n + 2) + h->x.bin[x];

			if (!v)
				continue;
			total = add(total, v);
			h->cells[cell] = add(h->cells[cell], v);
			if (part != h->cells)
				part[cell] = add(part[cell], v);
		}
	}
	return total;
}

static void find_max(struct mp_heat *h)
{
	size_t n = (h->x.n + 2) * (h->y.n + 2), i, p;

	for (p = 0; p < h->n_panes; p++) {
		const uint64_t *cells = h->hue ? h->cells : h->panes[p].cells;

		for (i = 0; i < n; i++)
			h->max = MP_MAX(h->max, cells[i]);
	}
}

static void fill_cells(struct mp_heat *h)
{
	const struct mp_grid *g = h->grid;
	size_t p;

	h->cells = new_cells(h);
	for (p = 0; p < h->n_panes; p++)
		h->panes[p].cells = h->info->group ? new_cells(h) : h->cells;
	if (g->n_planes > 1 && !h->info->group) {
		h->before = new_cells(h);
		h->sum_before = fill_plane(h, &g->planes[0], h->before);
		h->sum_after = fill_plane(h, &g->planes[1], h->cells);
		h->sum = add(h->sum_before, h->sum_after);
	} else {
		for (p = 0; p < g->n_planes; p++) {
			struct mp_heat_pane *pane = &h->panes[h->pane_of[p]];
			uint64_t sum = fill_plane(h, &g->planes[p], pane->cells);

			pane->sum = add(pane->sum, sum);
			h->sum = add(h->sum, sum);
		}
	}
	find_max(h);
}

/* --- panels and hues -------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
	const struct mp_group *x = *(const struct mp_group *const *)a;
	const struct mp_group *y = *(const struct mp_group *const *)b;

	return mp_natural_cmp(x->name, y->name);
}

/* Makes a pane for each of the heaviest groups, and one for the rest, if there is a rest. */
static void make_panes(struct mp_heat *h, const struct mp_heat_style *style)
{
	const struct mp_groups *groups = &h->info->groups;
	const struct mp_group *order[MP_GROUPS_MAX];
	size_t n = MP_MIN(groups->n, style->top), i;

	h->hue = style->hue;
	h->panes = mp_zalloc((n + 1) * sizeof(*h->panes));
	for (i = 0; i < n; i++)
		order[i] = &groups->v[i];
	if (n && !style->hue && !style->rows_by_weight && !h->info->panel_sides)
		qsort(order, n, sizeof(order[0]), by_name);
	for (i = 0; i <= MP_GROUPS_MAX; i++)
		h->pane_of[i] = n;
	for (i = 0; i < n; i++) {
		h->panes[i].name = order[i]->name;
		h->pane_of[order[i]->plane] = i;
	}
	h->n_merged = groups->n - n + groups->merged;
	h->n_panes = n + (n == 0 || h->n_merged > 0);
}

static void find_greatest(struct mp_heat *h)
{
	size_t x, y;

	for (y = 0; y < h->y.n + 2; y++) {
		for (x = 0; x < h->x.n + 2; x++) {
			bool certain;
			double d = fabs(mp_heat_difference(h, x, y, &certain));

			if (certain)
				h->greatest = MP_MAX(h->greatest, d);
		}
	}
}

static void fill_losses(struct mp_heat *h)
{
	const struct mp_grid *g = h->grid;
	size_t i;

	mp_lossbins_init(&h->losses, h->x.n);
	for (i = 0; i < g->x.top; i++) {
		double from = (double)g->lost_from[i] * (double)mp_heat_factor(h->info->x.what);
		size_t bin = h->x.bin[i];

		if (!g->x.used[i] || !g->lost[i])
			continue;
		if (bin < h->x.n)
			mp_lossbins_add(&h->losses, bin,
					(from - h->x.edge[0]) / (h->x.edge[1] - h->x.edge[0]),
					g->lost[i]);
		else
			h->lost_beyond = mp_count_sum(h->lost_beyond, g->lost[i]);
	}
}

/* --- percentiles: from the lines of y, which are finer than its bins -------------------------- */

struct row {
	int64_t line;
	unsigned slot;
};

static int by_line(const void *a, const void *b)
{
	int64_t x = ((const struct row *)a)->line, y = ((const struct row *)b)->line;

	return (x > y) - (x < y);
}

/* The middle of a line, within the range of the values. */
static double middle(const struct mp_lines *l, int64_t line)
{
	double v = mp_grid_line_begin(l, line) / 2 + mp_grid_line_begin(l, line + 1) / 2;

	if (l->kind == MP_WHOLE)
		return v;
	if (l->whole)
		v = floor(v);
	return MP_MIN(MP_MAX(v, l->low), l->high);
}

static double percentile(const struct mp_lines *l, const struct row *rows, size_t n,
			 const uint64_t *sums, double share)
{
	double total = 0, passed = 0, rank;
	size_t i;

	for (i = 0; i < n; i++)
		total += sums[rows[i].slot];
	if (total == 0)
		return NAN;
	rank = MP_MAX(ceil(share * total), 1);
	for (i = 0; i < n - 1; i++) {
		passed += sums[rows[i].slot];
		if (passed >= rank)
			break;
	}
	return middle(l, rows[i].line);
}

/* Sums up the lines of y in each bin of x: [x bin][slot], for those planes that are in a pane. */
static void sum_pane(const struct mp_heat *h, size_t pane, uint64_t *sums)
{
	const struct mp_grid *g = h->grid;
	size_t p, x, y;

	memset(sums, 0, (h->x.n + 2) * (g->y.max + 1) * sizeof(*sums));
	for (p = 0; p < g->n_planes; p++)
		for (x = 0; h->pane_of[p] == pane && x <= g->x.max; x++)
			for (y = 0; g->planes[p].touched[x] && y < g->y.top; y++)
				sums[h->x.bin[x] * (g->y.max + 1) + y] +=
					*mp_plane_cell(&g->planes[p], x, y);
}

static void fill_percentiles(struct mp_heat *h, const struct mp_heat_style *style)
{
	const struct mp_lines *l = &h->grid->y;
	uint64_t *sums = mp_alloc((h->x.n + 2) * (l->max + 1) * sizeof(*sums));
	struct row *rows = mp_alloc((l->top + 1) * sizeof(*rows));
	size_t n = 0, i, x, p;
	double *value;

	for (i = 0; i < l->top; i++)
		if (l->used[i])
			rows[n++] = (struct row){ l->line[i], i };
	qsort(rows, n, sizeof(*rows), by_line);
	h->n_percentiles = style->n_percentiles;
	value = mp_alloc((h->n_panes * h->x.n * h->n_percentiles + 1) * sizeof(*value));
	h->percentile = value;
	for (i = 0; i < h->n_panes; i++) {
		sum_pane(h, i, sums);
		for (p = 0; p < h->n_percentiles; p++)
			for (x = 0; x < h->x.n; x++)
				*value++ = percentile(l, rows, n, &sums[x * (l->max + 1)],
						      style->percentiles[p]) *
					   mp_heat_factor(h->info->y.what);
	}
	free(sums);
	free(rows);
}

/* --- how far values of y spread --------------------------------------------------------------- */

/* The beginning of the line at which the share of the sum is reached. */
static double quantile(const struct mp_lines *l, const struct row *v, size_t n,
		       const uint64_t *totals, double share)
{
	double sum = 0, passed = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += (double)totals[v[i].slot];
	for (i = 0; i + 1 < n; i++) {
		passed += (double)totals[v[i].slot];
		if (passed > share * sum)
			break;
	}
	return middle(l, v[i].line);
}

static void find_decades(struct mp_heat *h, const uint64_t *totals)
{
	const struct mp_lines *l = &h->grid->y;
	struct row *v;
	size_t n = 0, i;

	if (l->kind != MP_VALUE || h->y.axis.kind == MP_AXIS_LOG || !(l->low > 0))
		return;
	v = mp_alloc((l->top + 1) * sizeof(*v));
	for (i = 0; i < l->top; i++)
		if (l->used[i])
			v[n++] = (struct row){ l->line[i], i };
	qsort(v, n, sizeof(*v), by_line);
	h->decades = log10(quantile(l, v, n, totals, 0.99) / quantile(l, v, n, totals, 0.01));
	free(v);
}

/* --- the picture ------------------------------------------------------------------------------ */

static double since(int64_t v, int64_t zero)
{
	int64_t d;

	return __builtin_sub_overflow(v, zero, &d) ? (double)v - (double)zero : (double)d;
}

/* Makes an axis of time show the time since the origin. */
static void place_time(struct mp_bins *b, const struct mp_heat *h, const struct mp_lines *l,
		       enum mp_heat_what what)
{
	int64_t zero = h->info->has_origin ? h->info->origin_ns : l->first * mp_heat_factor(what);

	if (what == MP_HEAT_SECOND) /* columns begin at whole seconds */
		zero -= zero % (int64_t)MP_NS_PER_SEC;
	if (what == MP_HEAT_TIME || what == MP_HEAT_SECOND) {
		b->axis.kind = MP_AXIS_TIME;
		b->zero = zero;
		b->axis.low = since(b->whole[0], zero);
		b->axis.high = since(b->whole[b->n], zero);
	}
}

/* Makes bins; sets those members of `style` that depend on what the axis shows. */
static void make_bins(struct mp_bins *b, const struct mp_lines *l, const uint64_t *totals,
		      const struct mp_heat_axis *axis, struct mp_bins_style *style)
{
	style->unit = axis->unit;
	style->factor = mp_heat_factor(axis->what);
	style->margin = axis->what == MP_HEAT_TIME ? MP_NS_PER_SEC / 2 : 5;
	/* the axis shows the complete second */
	style->end = axis->what == MP_HEAT_OFFSET ? MP_NS_PER_SEC : 0;
	mp_bins_make(b, l, totals, style);
}

bool mp_heat_make(struct mp_heat *h, const struct mp_grid *grid, const struct mp_heat_info *info,
		  const struct mp_heat_style *style)
{
	uint64_t columns[MP_GRID_COLUMNS + 1] = { 0 }, rows[MP_GRID_ROWS + 1] = { 0 };

	*h = (struct mp_heat){ .grid = grid, .info = info, .colour = style->colour };
	if (!grid->x.n || !grid->y.n)
		return false;
	sum_slots(grid, columns, rows);
	make_bins(&h->x, &grid->x, columns, &info->x,
		  &(struct mp_bins_style){ .wanted = style->columns,
					   .overflow = style->overflow,
					   .log_scale = style->log_x });
	make_bins(&h->y, &grid->y, rows, &info->y,
		  &(struct mp_bins_style){ .wanted = style->rows,
					   .overflow = style->overflow,
					   .log_scale = style->log_y,
					   .by_weight = style->rows_by_weight });
	find_decades(h, rows);
	place_time(&h->x, h, &grid->x, info->x.what);
	place_time(&h->y, h, &grid->y, info->y.what);
	make_panes(h, style);
	fill_cells(h);
	if (h->before)
		find_greatest(h);
	fill_losses(h);
	if (style->n_percentiles && grid->y.kind != MP_NAMES)
		fill_percentiles(h, style);
	return true;
}

void mp_heat_release(struct mp_heat *h)
{
	size_t i;

	mp_bins_release(&h->x);
	mp_bins_release(&h->y);
	for (i = 0; i < h->n_panes; i++)
		if (h->panes[i].cells != h->cells)
			free(h->panes[i].cells);
	free(h->panes);
	free(h->cells);
	free(h->before);
	mp_lossbins_release(&h->losses);
	free(h->percentile);
}

struct mp_str mp_heat_pane_name(const struct mp_heat *h, size_t pane)
{
	return h->panes[pane].name.p ? h->panes[pane].name : MP_STR("other");
}

/* The sum of n cells, `step` apart. */
static uint64_t sum_cells(const uint64_t *cell, size_t n, size_t step)
{
	uint64_t total = 0;

	for (; n; n--, cell += step)
		total = add(total, *cell);
	return total;
}

uint64_t mp_heat_column(const struct mp_heat *h, size_t x)
{
	return sum_cells(&h->cells[x], h->y.n + 2, h->x.n + 2);
}

uint64_t mp_heat_row(const struct mp_heat *h, size_t y)
{
	return sum_cells(&h->cells[y * (h->x.n + 2)], h->x.n + 2, 1);
}

double mp_heat_difference(const struct mp_heat *h, size_t x, size_t y, bool *certain)
{
	size_t cell = y * (h->x.n + 2) + x;
	double before = (double)h->before[cell], after = (double)(h->cells[cell] - h->before[cell]);
	double all_before = MP_MAX((double)h->sum_before, 1.0);
	double all_after = MP_MAX((double)h->sum_after, 1.0);
	double difference = after / all_after - before / all_before;
	/* counts have the error of a Poisson distribution; of other weights it is not known */
	double variance = after / (all_after * all_after) + before / (all_before * all_before);

	*certain = strcmp(h->info->weight, "count") != 0 || difference * difference > 9 * variance;
	return difference;
}

double mp_heat_difference_share(const struct mp_heat *h, double difference)
{
	double share = h->greatest > 0 ? MP_MIN(fabs(difference) / h->greatest, 1.0) : 0;

	return h->colour == MP_HEAT_LINEAR ? share : sqrt(share);
}

double mp_heat_share(const struct mp_heat *h, uint64_t value)
{
	double v = value, max = h->max;

	if (h->max == 0)
		return 0;
	switch (h->colour) {
	case MP_HEAT_SQRT:
		return sqrt(v / max);
	case MP_HEAT_LOG:
		return log1p(v) / log1p(max);
	case MP_HEAT_LINEAR:
		break;
	}
	return v / max;
}
