/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The spans and instants that a timeline draws one by one: the longest ones, and all that are
 * marked. Of those that are equally long, the choice is arbitrary, but it is always the same, and
 * even over the recording. Includes base only.
 */
#ifndef MP_TIMELINE_SINGLES_H
#define MP_TIMELINE_SINGLES_H

#include "lib/core/base.h"

enum { MP_SINGLE_NO_ROW = UINT32_MAX };

struct mp_single {
	uint64_t begin_ns, dur_ns;
	uint64_t arrow_ns;  /* the other time of the arrow */
	uint32_t arrow_row; /* the other row of the arrow; MP_SINGLE_NO_ROW: there is no arrow */
	uint32_t row, category;
	uint32_t chance; /* decides between spans that are equally long */
	uint32_t stack;	 /* number of the stack + 1; 0: none */
	uint32_t fields_len;
	bool instant, marked;
	bool leads;   /* the arrow leads from here to the other row, else from there to here */
	char *fields; /* as in the stream */
};

struct mp_singles {
	struct mp_single *v; /* a heap, the shortest first; marked ones are not in it */
	size_t n;
	struct mp_single *marked;
	size_t n_marked;

	/* private */
	size_t limit, cap, marked_cap;
	uint64_t seen;
};

void mp_singles_init(struct mp_singles *s, size_t limit);
void mp_singles_release(struct mp_singles *s);

/*
 * Looks whether a span is one to draw by itself, which sets `chance`. Returns false if there are
 * enough that are longer.
 */
bool mp_singles_wants(struct mp_singles *s, struct mp_single *one);

/*
 * Adds a span that is wanted; takes ownership of its fields. Returns true if another one, `*out`,
 * is no longer drawn by itself; its fields are freed.
 */
bool mp_singles_add(struct mp_singles *s, const struct mp_single *one, struct mp_single *out);

/* Joins both parts in `v`, in order of row and begin, longer ones first. */
void mp_singles_finish(struct mp_singles *s);

#endif
