/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Builds the grid of a heat map from records: decides what the axes are, finds the place of each
 * record, and adds dumps up. Includes choice, griddump, heat, input.
 */
#ifndef MP_HEATMAP_BUILD_H
#define MP_HEATMAP_BUILD_H

#include "lib/heatmap/griddump.h"
#include "lib/heatmap/heat.h"
#include "lib/stream/choice.h"
#include "lib/stream/input.h"

/* The user's options. */
struct mp_heat_wish {
	struct mp_field x, y;	/* name.p == NULL: the records decide which field */
	struct mp_field group;	/* divides the map into panels or hues; name.p == NULL: none */
	struct mp_fields names; /* show values as names, even if they look like numbers */
	bool subsecond;
	bool sides; /* the sides of a comparison are panels */
};

struct mp_heat_reader {
	const struct mp_heat_wish *wish; /* borrowed */
	struct mp_choice choice;	 /* the caller passes its options to it */
	struct mp_heat_sums sums;
	struct mp_field x, y; /* the fields of the axes for the current kind of records */
	bool plain;	      /* x and y of points, each counting 1: the fast path */
	enum mp_kind kind;    /* kind of the records; 0: there were only dumps so far */
	json_t *header;	      /* the first header of these records */
	struct mp_buf text, group;
	bool in_dump; /* the current section is a dump */
	/* of a comparison over time: what is subtracted from the times after */
	bool after, shifted;
	int64_t shift_ns;
	struct mp_heat_dump dump;
};

void mp_heat_reader_init(struct mp_heat_reader *r, const struct mp_heat_wish *wish);
void mp_heat_reader_release(struct mp_heat_reader *r);

/*
 * Handles a control line. Misuse (types that must not be mixed, dumps that do not fit) ends the
 * program.
 */
void mp_heat_control(struct mp_heat_reader *r, struct mp_input *in);

/*
 * Adds a record. Returns 0, or -1 with `*why`: it has no place in the grid and is counted as
 * skipped.
 */
int mp_heat_record(struct mp_heat_reader *r, const struct mp_rec *rec, const char **why);

/*
 * What follows is the other side of a comparison. Its times are moved, so that both sides begin at
 * the same time.
 */
void mp_heat_after(struct mp_heat_reader *r);

/* To be called after the last record: completes `sums`. */
void mp_heat_finish(struct mp_heat_reader *r);

#endif
