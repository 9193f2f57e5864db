/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A heat map: what the axes of a grid are, and the cells of a picture. A bin consists of whole lines
 * of the grid, so its range and its sums are exact. Includes bins, grid, group, lossbins.
 */
#ifndef MP_HEATMAP_HEAT_H
#define MP_HEATMAP_HEAT_H

#include "lib/draw/lossbins.h"
#include "lib/heatmap/bins.h"
#include "lib/heatmap/grid.h"
#include "lib/heatmap/group.h"

enum mp_heat_what {
	MP_HEAT_TIME,	/* WHOLE: ns of the stream's clock */
	MP_HEAT_SECOND, /* WHOLE: whole seconds of the stream's clock */
	MP_HEAT_OFFSET, /* WHOLE: ms within the second */
	MP_HEAT_X,	/* DECIMAL: x of points */
	MP_HEAT_NUMBER, /* VALUE */
	MP_HEAT_NAME,	/* NAMES */
};

/* What an axis shows. Texts are owned. */
struct mp_heat_axis {
	enum mp_heat_what what;
	char *field;
	char *unit; /* the unit of the axis, as in unit.h */
	char *name; /* name of the axis for display; NULL: that of the field */
};

/* What a side of a comparison covers. */
struct mp_heat_side {
	uint64_t lost;
	bool timed; /* it has events: the following members are valid */
	uint64_t first_ns, last_ns;
};

struct mp_heat_info {
	struct mp_heat_axis x, y;
	char *weight; /* name of the field, or "count" */
	char *unit;   /* unit of the weight */
	char *group;  /* name of the field that divides the map into panels or hues; or NULL */
	struct mp_groups groups;
	bool panel_sides;	      /* the groups are the sides of a comparison, in order */
	struct mp_heat_side sides[2]; /* of a comparison: before, after; else only the first */
	bool spread;		      /* spans are spread over the columns that they cover */
	char *events; /* types that were added up, as in "a:b, c:d"; "" for points */
	bool has_origin;
	/* the time at 0 of a time axis; without has_origin the first event is at 0 */
	int64_t origin_ns;
	bool has_offset;
	int64_t offset_ns; /* realtime - clock, from the first header */
	char *host;	   /* name of the host from the first header, or NULL */
};

void mp_heat_info_release(struct mp_heat_info *info);
enum mp_lines_kind mp_heat_lines(enum mp_heat_what what);

/* The length in ns of one unit of an axis of whole numbers. */
int64_t mp_heat_factor(enum mp_heat_what what);

enum mp_heat_colour { MP_HEAT_LINEAR, MP_HEAT_SQRT, MP_HEAT_LOG };

struct mp_heat_style {
	size_t columns, rows; /* wanted number of bins; of names the maximum */
	bool log_x, log_y;    /* logarithmic scale, for numbers */
	bool rows_by_weight;  /* names of rows and of panels: the heaviest first */
	bool hue;	      /* the groups are hues in one map, not panels */
	size_t top;	      /* wanted number of groups; the rest is "other" */
	double overflow;      /* share of the sum that may be in the overflow at either end */
	enum mp_heat_colour colour;
	const double *percentiles; /* the percentiles to compute, as shares from 0 to 1 */
	size_t n_percentiles;
};

/* A panel of the picture, or what has a hue in it. */
struct mp_heat_pane {
	struct mp_str name; /* borrowed; NULL: "other", or the only panel */
	uint64_t *cells;    /* as those of the whole map */
	uint64_t sum;
};

struct mp_heat {
	const struct mp_grid *grid;
	const struct mp_heat_info *info;
	struct mp_bins x, y;
	uint64_t *cells; /* [y bin][x bin], n + 2 bins of each axis; of all panes */
	struct mp_heat_pane *panes;
	size_t n_panes;	   /* 1 if nothing divides the map; "other" is the last one */
	uint64_t n_merged; /* number of groups in "other" */
	bool hue;
	unsigned pane_of[MP_GROUPS_MAX + 1]; /* by plane of the grid */
	/* of a comparison: the part of `cells` that is before, and the sums of both sides */
	uint64_t *before;
	uint64_t sum_before, sum_after;
	double greatest; /* greatest difference of a cell, without its sign */
	/*
	 * of a linear axis of y with values above 0 only: decades from the value that 1 % are below
	 * to the one that 1 % are above
	 */
	double decades;
	uint64_t max;		   /* greatest cell, in panels that of a panel */
	uint64_t sum;		   /* sum of all cells; UINT64_MAX if it is larger */
	struct mp_lossbins losses; /* by x bin, if x is a time */
	uint64_t lost_beyond;	   /* events whose loss was noticed in the overflow of x */
	size_t n_percentiles;
	/*
	 * values by pane, percentile and bin, [pane][percentile][x bin], as exact as the lines; NAN: the bin is
	 * empty
	 */
	double *percentile;
	enum mp_heat_colour colour;
};

/*
 * Makes the cells and the percentiles of a picture. The grid and info are borrowed. Returns false
 * if the grid is empty.
 */
bool mp_heat_make(struct mp_heat *h, const struct mp_grid *grid, const struct mp_heat_info *info,
		  const struct mp_heat_style *style);
void mp_heat_release(struct mp_heat *h);

static inline uint64_t mp_heat_cell(const struct mp_heat *h, size_t x, size_t y)
{
	return h->cells[y * (h->x.n + 2) + x];
}

/* The name of a pane, as the stream has it: "other" for that of the rest. */
struct mp_str mp_heat_pane_name(const struct mp_heat *h, size_t pane);

/* The sum of all cells of a bin of x (or y). */
uint64_t mp_heat_column(const struct mp_heat *h, size_t x);
uint64_t mp_heat_row(const struct mp_heat *h, size_t y);

/*
 * Of a comparison: how much greater the share of a cell is after, from -1 to 1. `*certain`: the
 * difference is more than three times its standard error, or the error is not known.
 */
double mp_heat_difference(const struct mp_heat *h, size_t x, size_t y, bool *certain);

/* The place of a difference on one half of the diverging scale, from 0 to 1. */
double mp_heat_difference_share(const struct mp_heat *h, double difference);

/* The place of a value on the colour ramp, from 0 to 1. */
double mp_heat_share(const struct mp_heat *h, uint64_t value);

#endif
