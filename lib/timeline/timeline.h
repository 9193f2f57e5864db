/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a timeline shows: rows, with spans and instants, arrows between them, and counters; those
 * that are too many as levels. One pass over the events; memory grows with the number of distinct
 * rows, categories, stacks and marked events. Includes arrow, expr, levels, singles, window.
 */
#ifndef MP_TIMELINE_TIMELINE_H
#define MP_TIMELINE_TIMELINE_H

#include "lib/stream/expr.h"
#include "lib/stream/window.h"
#include "lib/stream/arrow.h"
#include "lib/timeline/levels.h"
#include "lib/timeline/singles.h"

enum mp_timeline_order { MP_TIMELINE_NATURAL, MP_TIMELINE_FIRST, MP_TIMELINE_WEIGHT };

struct mp_timeline_row {
	uint32_t number; /* by first appearance; after mp_timeline_finish() by order */
	bool used;	 /* something is drawn in it */
	uint64_t
		weight; /* ns of its spans, without those in a state in which a task does not run */
};

/* A counter of a row. */
struct mp_timeline_series {
	uint32_t number; /* its row among the counters */
	uint32_t row;
};

/* What has one colour: events of a type with a value of the field of colours. */
struct mp_timeline_category {
	struct mp_str type, label; /* label.p == NULL: the field is absent */
};

struct mp_timeline_arrow {
	uint64_t from_ns, to_ns;
	uint32_t from_row, to_row;
	uint32_t single; /* number of the single to which it belongs + 1; 0: to none */
};

struct mp_timeline_loss {
	uint64_t from_ns, time_ns, n;
};

struct mp_timeline {
	/* set by the caller; names are borrowed */
	struct mp_fields rows;	/* the fields whose values name a row */
	struct mp_field colour; /* name.p == NULL: state */
	struct mp_field
		counter; /* the values of counters; name.p == NULL: as mp-record names them */
	bool arrows;
	enum mp_timeline_order order;
	struct mp_expr *mark; /* events that are marked; NULL: none */
	bool windowed;
	struct mp_window window;

	/* what is drawn; the numbers of rows are final after mp_timeline_finish() */
	struct mp_map row_map; /* values of `rows` -> struct mp_timeline_row */
	struct mp_map_entry **by_row;
	size_t n_rows;
	struct mp_map series_map; /* those and a type -> struct mp_timeline_series */
	struct mp_timeline_category *categories;
	size_t n_categories;
	struct mp_map stacks; /* stack -> uint32_t, its number */
	struct mp_singles singles;
	struct mp_levels levels, counters; /* the rows of the latter are series */
	struct mp_timeline_arrow *loose;   /* arrows; after mp_timeline_finish() all of them */
	size_t n_arrows;
	struct mp_timeline_loss *losses;
	size_t n_losses;
	uint64_t begin_ns, end_ns; /* of all that is drawn */

	/* for messages */
	uint64_t events;	/* that are drawn */
	uint64_t no_row;	/* events without a field of the rows */
	uint64_t early, late;	/* events before and after the window */
	uint64_t arrows_beyond; /* pairs of events whose arrows are too many */

	/* private */
	struct mp_fields wanted;
	size_t colour_at, state_at, dur_at;
	size_t row_at[MP_ARROW_FIELDS_MAX];
	struct mp_map type_map, category_map;
	struct mp_map_entry *last_type;
	struct mp_timeline_row **row_of; /* by first appearance */
	struct mp_arrow_pairs pairs;
	size_t categories_cap, arrows_cap, losses_cap;
};

void mp_timeline_init(struct mp_timeline *t);

/* To be called when the options are set, before the first event. */
void mp_timeline_begin(struct mp_timeline *t);
void mp_timeline_release(struct mp_timeline *t);

/*
 * Adds an event that is wanted. Returns 0, or -1 with `*why`. Ends the program if the window is given
 * as wall-clock time and the section does not say how its clock relates to that.
 */
int mp_timeline_add(struct mp_timeline *t, const struct mp_rec *rec, const char **why);

/* Handles a header of events, or a loss that concerns the picture. */
void mp_timeline_header(struct mp_timeline *t, const struct mp_ctl *header);
void mp_timeline_lost(struct mp_timeline *t, const struct mp_ctl *loss);

/* After the last event: puts the rows in order, and all that is drawn in the order of rows. */
void mp_timeline_finish(struct mp_timeline *t);

#endif
