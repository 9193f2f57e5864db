/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From records to the grid of a heat map: which fields, where a record belongs, dumps of grids in
 * and out. Includes heat, input, types.
 */
#ifndef MP_HEATMAP_BUILD_H
#define MP_HEATMAP_BUILD_H

#include "lib/heatmap/heat.h"
#include "lib/stream/input.h"
#include "lib/stream/types.h"

struct mp_heat_wish {
	struct mp_field x, y, weight; /* name.p == NULL: as the records suggest; weight: count */
	struct mp_fields names;	      /* taken as names, though they may look like numbers */
	bool subsecond;
	bool chosen; /* several types of events are what the user wants */
};

struct mp_heat_reader {
	const struct mp_heat_wish *wish; /* borrowed */
	struct mp_types types;		 /* the caller adds globs */
	bool begun;			 /* grid and info are there */
	struct mp_grid grid;
	struct mp_heat_info info;
	struct mp_field x, y; /* of what is read */
	bool plain;	      /* points by x and y, counted: the quick way */
	enum mp_kind kind;    /* of what is read; 0: only dumps so far */
	json_t *header;	      /* the first of the records */
	struct mp_map taken;  /* types that came and were taken, in order */
	bool chosen;	      /* a dump's types were what its user wanted */
	uint64_t early_lost;
	struct mp_buf text;

	/* a dump that is read */
	bool dump;
	int x_level, y_level;
};

void mp_heat_reader_init(struct mp_heat_reader *r, const struct mp_heat_wish *wish);
void mp_heat_reader_release(struct mp_heat_reader *r);

/* A control line. Misuse (types that must not be mixed, dumps that do not fit) ends the program. */
void mp_heat_control(struct mp_heat_reader *r, struct mp_input *in);

/* A record: 0, or -1 with `*why`: it has no place, which is counted. */
int mp_heat_record(struct mp_heat_reader *r, const struct mp_rec *rec, const char **why);

/* After the last one: sets what info says of events. */
void mp_heat_finish(struct mp_heat_reader *r);

/* --- dumps, see mp-grid(5) ---------------------------------------------------------------------------- */

/* Writes the grid as a section of stack lines. */
void mp_heat_dump(const struct mp_heat_reader *r, struct mp_out *out);

/* Begins to read one, from its header's `grid`. 0, or -1 with `*why`. */
int mp_heat_dump_begin(struct mp_heat_reader *r, const json_t *grid, const char **why);
int mp_heat_dump_line(struct mp_heat_reader *r, const struct mp_rec *rec, const char **why);

#endif
