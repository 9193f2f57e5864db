/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Dumps of grids, as mp-grid(5) describes them: a grid with all that its picture needs, written and
 * read. Includes heat, io, map, rec, ctl.
 */
#ifndef MP_HEATMAP_GRIDDUMP_H
#define MP_HEATMAP_GRIDDUMP_H

#include "lib/core/io.h"
#include "lib/core/map.h"
#include "lib/heatmap/heat.h"
#include "lib/stream/ctl.h"
#include "lib/stream/rec.h"

/* The sums so far. Zeroed, it has no axes yet; call mp_heat_sums_init() first. */
struct mp_heat_sums {
	bool begun; /* `grid` and `info` are valid */
	struct mp_grid grid;
	struct mp_heat_info info;
	struct mp_map types;   /* types of the events that were added, in order of appearance */
	bool chosen;	       /* the user has asked to add several types up */
	uint64_t early_losses; /* events lost before `begun` */
};

void mp_heat_sums_init(struct mp_heat_sums *s);
void mp_heat_sums_release(struct mp_heat_sums *s);

/* Makes the grid; `info` must be set, but for its `events`. */
void mp_heat_sums_begin(struct mp_heat_sums *s);

/* Writes the sums as a section of stack lines. */
void mp_heat_dump(const struct mp_heat_sums *s, struct mp_out *out);

/* A dump being read; zeroed memory is a valid one. */
struct mp_heat_dump {
	int x_level, y_level;
	struct mp_buf text;
};

void mp_heat_dump_release(struct mp_heat_dump *d);

/*
 * Begins to add a dump up, from its header's `grid`. Returns 0, or -1 with `*why`. Types that must
 * not be mixed end the program.
 */
int mp_heat_dump_begin(struct mp_heat_dump *d, struct mp_heat_sums *s, const json_t *grid,
		       const char **why);

/* Adds a line of the dump. Returns 0, or -1 with `*why`. */
int mp_heat_dump_line(struct mp_heat_dump *d, struct mp_heat_sums *s, const struct mp_rec *rec,
		      const char **why);

#endif
