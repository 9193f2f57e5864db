/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of sums over two axes in constant memory, whatever the range and number of what comes:
 * the inside of a heat map. Includes intmap, str.
 *
 * An axis is cut into lines, the finest that its values can be told apart by; only lines that hold
 * something take room. When there are more than fit, each two neighbours become one, aligned at
 * multiples of a power of two, until they fit. So an axis ends up with the least power of two at
 * which its lines fit: that depends on the set of values and not on their order, and grids of A and
 * B added up are that of A followed by B. A few values far off cost a few lines, and no resolution.
 *
 * Of names, those whose hash is least are kept (which again no order changes), the rest is "other".
 */
#ifndef MP_HEATMAP_GRID_H
#define MP_HEATMAP_GRID_H

#include "lib/core/intmap.h"
#include "lib/core/str.h"

enum mp_lines_kind {
	MP_WHOLE,   /* int64_t, as times: lines of 2^level */
	MP_DECIMAL, /* double: lines of 2^level */
	MP_VALUE,   /* double: lines as wide as 2^(level - 52) of the power of two below it */
	MP_NAMES,   /* bytes, at most MP_GRID_NAME_MAX; what is longer counts by its beginning */
};

enum {
	MP_GRID_COLUMNS = 2047, /* lines of x and y; slots with these numbers are for "other" */
	MP_GRID_ROWS = 1023,
	MP_GRID_NAME_MAX = 255,
};

/* One axis. A slot is where a line is kept; the order of slots means nothing. */
struct mp_lines {
	enum mp_lines_kind kind;
	int level;
	size_t n, max;	     /* lines that are there, that fit */
	size_t top;	     /* slots below it are in use, or were */
	bool *used;	     /* by slot */
	int64_t *line;	     /* by slot: number of the line, or hash of the name */
	struct mp_str *name; /* by slot; owned */
	bool any;	     /* a value came: the following are valid */
	bool whole;	     /* DECIMAL, VALUE: all were whole numbers */
	int64_t first, last; /* WHOLE: least and greatest */
	double low, high;    /* DECIMAL, VALUE: least and greatest */

	/* inside */
	double scale, limit;	/* DECIMAL: lines of 1; what is below has a line of this level */
	struct mp_intmap slots; /* line -> slot + 1 */
	unsigned *free;
	size_t n_free;
	int64_t last_line; /* the one looked up last */
	unsigned last_slot;
	bool has_last;
	uint64_t greatest; /* NAMES: of the hashes, when all slots are taken */
};

struct mp_grid {
	struct mp_lines x, y;
	uint64_t *cells;    /* [column slot][row slot] */
	uint64_t *lost;	    /* by column slot: events lost there, x being a time */
	int64_t *lost_from; /* by column slot: since when, if lost is not 0 */
	uint64_t lost_elsewhere;
	uint64_t records; /* what was added, with whatever weight */
	uint64_t skipped; /* the caller's: records without a place */
	bool overflow;	  /* a sum reached INT64_MAX, and stays there */
};

/* A place on an axis: the member that its kind says. */
struct mp_grid_coord {
	int64_t whole;
	double real; /* finite */
	struct mp_str name;
};

void mp_grid_init(struct mp_grid *g, enum mp_lines_kind x, enum mp_lines_kind y);
void mp_grid_release(struct mp_grid *g);

/* Adds a record of this weight, which is at most INT64_MAX, as all sums are. */
void mp_grid_add(struct mp_grid *g, const struct mp_grid_coord *x, const struct mp_grid_coord *y,
		 uint64_t weight);

/* The same for x DECIMAL and y VALUE and a weight of 1, quicker. */
void mp_grid_add_point(struct mp_grid *g, double x, double y);

/*
 * x WHOLE: a record that lasted from `from` to before `to` (at or behind it): each column gets the
 * part of that time that is its own, so that the sum is to - from.
 */
void mp_grid_spread(struct mp_grid *g, int64_t from, int64_t to, const struct mp_grid_coord *y);

/* `n` were lost behind `from` and up to `at`; without a time (`timed` false), somewhere. */
void mp_grid_lost(struct mp_grid *g, uint64_t n, bool timed, int64_t from, int64_t at);

static inline uint64_t *mp_grid_cell(const struct mp_grid *g, unsigned column, unsigned row)
{
	return &g->cells[(size_t)column * (MP_GRID_ROWS + 1) + row];
}

/* The number, at `level`, of the line that a place is on; not for NAMES. */
int64_t mp_grid_line_of(const struct mp_lines *l, const struct mp_grid_coord *p, int level);

/* Where a line begins: it holds what is from there on and below the next line's beginning. */
double mp_grid_line_begin(const struct mp_lines *l, int64_t line);
int64_t mp_grid_line_begin_whole(const struct mp_lines *l, int64_t line);

/*
 * For reading a grid back. The axis gets at least this level; -1 if there is none such. A line's
 * slot, which was of this level; or that of a name, NULL for other.
 */
int mp_grid_set_level(struct mp_grid *g, struct mp_lines *l, int level);
unsigned mp_grid_line_slot(struct mp_grid *g, struct mp_lines *l, int64_t line, int level);
unsigned mp_grid_name_slot(struct mp_grid *g, struct mp_lines *l, const struct mp_str *name);
void mp_grid_put(struct mp_grid *g, unsigned column, unsigned row, uint64_t weight);
void mp_grid_put_lost(struct mp_grid *g, unsigned column, uint64_t n, int64_t from);

#endif
