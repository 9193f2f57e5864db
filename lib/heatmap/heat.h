/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A heat map: what a grid is about, and the bins of a picture made of its lines. A bin is made of
 * whole lines, so its ranges and sums are exact. Includes axis, grid, palette.
 */
#ifndef MP_HEATMAP_HEAT_H
#define MP_HEATMAP_HEAT_H

#include "lib/draw/axis.h"
#include "lib/heatmap/grid.h"
#include "lib/draw/palette.h"

enum mp_heat_what {
	MP_HEAT_TIME,	/* WHOLE: ns of the stream's clock */
	MP_HEAT_SECOND, /* WHOLE: full seconds of it */
	MP_HEAT_OFFSET, /* WHOLE: ms within the second */
	MP_HEAT_X,	/* DECIMAL: x of points */
	MP_HEAT_NUMBER, /* VALUE */
	MP_HEAT_NAME,	/* NAMES */
};

/* What an axis shows. Texts are owned. */
struct mp_heat_axis {
	enum mp_heat_what what;
	char *field;
	char *unit; /* as in unit.h */
	char *name; /* for people; NULL: the field */
};

struct mp_heat_info {
	struct mp_heat_axis x, y;
	char *weight; /* the field, or "count" */
	char *unit;   /* of the weight */
	bool spread;  /* spans are spread over the columns that they cover */
	char *events; /* types that were taken, as in "a:b, c:d"; "" for points */
	bool has_origin;
	int64_t origin_ns; /* 0 of a time axis; not has_origin: the first event */
	bool has_offset;
	int64_t offset_ns; /* realtime - clock of the stream, of the first header */
	char *host;	   /* of it, or NULL */
};

void mp_heat_info_release(struct mp_heat_info *info);
enum mp_lines_kind mp_heat_lines(enum mp_heat_what what);

/* How many ns a whole number of the axis stands for. */
int64_t mp_heat_factor(enum mp_heat_what what);

enum mp_heat_colour { MP_HEAT_LINEAR, MP_HEAT_SQRT, MP_HEAT_LOG };

struct mp_heat_style {
	size_t columns, rows; /* wanted; names: at most so many */
	bool log_x, log_y;    /* of numbers */
	double overflow;      /* share that may be left to the overflow at either end */
	enum mp_heat_colour colour;
	const double *percentiles; /* shares */
	size_t n_percentiles;
};

/*
 * The bins of one axis. Behind the n bins that are drawn come two: n is what is below the first
 * (names: other), n + 1 what is above the last.
 */
struct mp_bins {
	size_t n;
	bool names;
	double *edge;	     /* n + 1, unless names; times in ns */
	int64_t *whole;	     /* the same, exactly, where lines are WHOLE; else NULL */
	struct mp_str *name; /* n; borrowed from the grid */
	size_t others;	     /* names that are in "other", as far as known */
	unsigned *bin;	     /* by slot of the grid */
	struct mp_axis axis; /* unless names; TIME: less `zero` */
	int64_t zero;
};

struct mp_heat {
	const struct mp_grid *grid;
	const struct mp_heat_info *info;
	struct mp_bins x, y;
	uint64_t *cells;   /* [y bin][x bin], n + 2 of each */
	uint64_t max;	   /* of all cells */
	uint64_t sum;	   /* of all cells; UINT64_MAX if it is more */
	uint64_t *lost;	   /* by x bin */
	double *lost_from; /* by x bin: ns, as in x.edge */
	size_t n_percentiles;
	double *percentile; /* [percentile][x bin]; NAN: nothing there. Lines, not bins, decide */
	enum mp_heat_colour colour;
};

/* The grid and info are borrowed. False if there is nothing in it. */
bool mp_heat_make(struct mp_heat *h, const struct mp_grid *grid, const struct mp_heat_info *info,
		  const struct mp_heat_style *style);
void mp_heat_release(struct mp_heat *h);

static inline uint64_t mp_heat_cell(const struct mp_heat *h, size_t x, size_t y)
{
	return h->cells[y * (h->x.n + 2) + x];
}

/* Sums of what is in a bin of x (or y), all of the other axis. */
uint64_t mp_heat_column(const struct mp_heat *h, size_t x);
uint64_t mp_heat_row(const struct mp_heat *h, size_t y);

/* 0 to 1: how much of the ramp of colours a cell has; and the value that has it. */
double mp_heat_share(const struct mp_heat *h, uint64_t value);

#endif
