/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of sums over two axes, for heat maps, in constant memory, whatever the range and the
 * number of the values. Includes intmap, str.
 *
 * An axis consists of lines, at first the finest that distinguish its values; only lines with
 * values use memory. If there are too many, each two neighbours become one, aligned at multiples of
 * a power of two, until they fit. So an axis ends up with the least power of two at which its lines
 * fit. That depends on the set of values and not on their order, so the sum of the grids of A and B
 * is the grid of A followed by B. A few outliers cost a few lines, and no resolution.
 *
 * Of names, those with the least hashes are kept (of equal hashes, those whose bytes come first),
 * which does not depend on their order either; the rest is "other".
 */
#ifndef MP_HEATMAP_GRID_H
#define MP_HEATMAP_GRID_H

#include "lib/core/intmap.h"
#include "lib/core/str.h"

enum mp_lines_kind {
	MP_WHOLE,   /* int64_t, such as times: lines of 2^level */
	MP_DECIMAL, /* double: lines of 2^level */
	MP_VALUE,   /* double: lines as wide as 2^(level - 52) of the power of two below it */
	MP_NAMES,   /* bytes; of a name only the first MP_GRID_NAME_MAX count */
};

enum {
	/* number of lines of x and of y; slots with the maximum are for "other" */
	MP_GRID_COLUMNS = 2047,
	MP_GRID_ROWS = 1023,
	MP_GRID_NAME_MAX = 255,
	/* number of lines if there are more than two planes, whose memory counts */
	MP_GRID_FEW_COLUMNS = 511,
	MP_GRID_FEW_ROWS = 255,
};

/* One axis. A slot is the place of a line in memory; slots have no order. */
struct mp_lines {
	enum mp_lines_kind kind;
	int level;
	size_t n, max;	     /* lines in use, and their maximum */
	size_t top;	     /* slots from this one on were never used */
	bool *used;	     /* by slot: whether it is in use */
	int64_t *line;	     /* by slot: number of the line, or hash of the name */
	struct mp_str *name; /* by slot: the name; owned */
	bool any;	     /* there was a value: the following members are valid */
	bool whole;	     /* DECIMAL, VALUE: all values were whole numbers */
	int64_t first, last; /* WHOLE: least and greatest value */
	double low, high;    /* DECIMAL, VALUE: least and greatest value */

	/* private */
	double scale, limit; /* DECIMAL: lines per 1; values from `limit` on need a coarser level */
	struct mp_intmap slots; /* line, or seeded hash of the name -> slot + 1 */
	unsigned *free;
	size_t n_free;
	int64_t last_line; /* the line of the previous value */
	unsigned last_slot;
	bool has_last;
	/* NAMES: slot of the last name in the order of hashes, when all slots are in use */
	unsigned greatest;
};

struct mp_plane {
	uint64_t *cells;
	size_t stride; /* number of cells of a column */
	bool *touched; /* by column slot: there may be a sum in this column */
};

struct mp_grid {
	struct mp_lines x, y;
	/* sums by column slot and row slot, [column][row], of each of the planes that share lines */
	struct mp_plane *planes;
	size_t n_planes;
	struct mp_plane *plane; /* the one to which is added */
	/* by column slot: number of events whose loss was noticed there, if x is a time */
	uint64_t *lost;
	/*
	 * by column slot: the earliest time at which the events in `lost` may have been lost, if
	 * there are any
	 */
	int64_t *lost_from;
	uint64_t lost_elsewhere;
	uint64_t records; /* number of records added, each counted once whatever its weight */
	uint64_t skipped; /* number of records without a place; the caller counts them */
	bool overflow;	  /* a sum reached INT64_MAX, where it stays */
};

/* A coordinate: the member for the kind of its axis. */
struct mp_grid_coord {
	int64_t whole;
	double real; /* finite */
	struct mp_str name;
};

void mp_grid_init(struct mp_grid *g, enum mp_lines_kind x, enum mp_lines_kind y);
void mp_grid_release(struct mp_grid *g);

/* Prepares an empty grid for many planes: it keeps fewer lines. */
void mp_grid_few_lines(struct mp_grid *g);

/* Adds to plane `i` from now on, which is made if there is none. */
void mp_grid_select_plane(struct mp_grid *g, size_t i);

/* Moves the sums of a plane to plane 0. */
void mp_grid_merge_plane(struct mp_grid *g, size_t from);

/* Adds a record of this weight, which is at most INT64_MAX, as all sums are. */
void mp_grid_add(struct mp_grid *g, const struct mp_grid_coord *x, const struct mp_grid_coord *y,
		 uint64_t weight);

/* As mp_grid_add(), for x DECIMAL, y VALUE and a weight of 1, but faster. */
void mp_grid_add_point(struct mp_grid *g, double x, double y);

/*
 * For x WHOLE: adds a record that lasted from `from` to before `to` (which is not less): each
 * column gets the part of that time that it covers, so that the sum is to - from.
 */
void mp_grid_spread(struct mp_grid *g, int64_t from, int64_t to, const struct mp_grid_coord *y);

/*
 * Adds a loss of `n` events after `from` and up to `at`, or at an unknown time if `timed` is false.
 */
void mp_grid_lost(struct mp_grid *g, uint64_t n, bool timed, int64_t from, int64_t at);

static inline uint64_t *mp_plane_cell(const struct mp_plane *p, unsigned column, unsigned row)
{
	return &p->cells[column * p->stride + row];
}

static inline uint64_t *mp_grid_cell(const struct mp_grid *g, unsigned column, unsigned row)
{
	return mp_plane_cell(g->plane, column, row);
}

/* The number of the line to which a coordinate belongs at `level`; not for NAMES. */
int64_t mp_grid_line_of(const struct mp_lines *l, const struct mp_grid_coord *p, int level);

/* Where a line begins; its values extend to just before the beginning of the next line. */
double mp_grid_line_begin(const struct mp_lines *l, int64_t line);
int64_t mp_grid_line_begin_whole(const struct mp_lines *l, int64_t line);

/*
 * For reading a dump of a grid. mp_grid_set_level() raises an axis to at least this level and
 * returns -1 if there is no such level. mp_grid_line_slot() and mp_grid_name_slot() return the slot
 * of a line of this level and of a name (NULL: of "other"). The others add to a cell, or to the
 * losses.
 */
int mp_grid_set_level(struct mp_grid *g, struct mp_lines *l, int level);
unsigned mp_grid_line_slot(struct mp_grid *g, struct mp_lines *l, int64_t line, int level);
unsigned mp_grid_name_slot(struct mp_grid *g, struct mp_lines *l, const struct mp_str *name);
void mp_grid_put(struct mp_grid *g, unsigned column, unsigned row, uint64_t weight);
void mp_grid_put_lost(struct mp_grid *g, unsigned column, uint64_t n, int64_t from);

#endif
