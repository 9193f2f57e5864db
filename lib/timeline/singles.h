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

/* Called for a span that is no longer drawn by itself; its fields are freed after that. */
typedef void mp_single_drop_fn(void *arg, const struct mp_single *one);

/* What decides whether a span is among the longest. */
struct mp_single_rank {
	uint64_t dur_ns;
	uint32_t chance;
};

struct mp_singles {
	struct mp_single
		*v; /* without marked ones, and half as many again as are kept at the end */
	size_t n;
	struct mp_single *marked;
	size_t n_marked;

	/* private */
	size_t limit, cap, marked_cap;
	mp_single_drop_fn *drop;
	void *arg;
	uint64_t seen, random;
	struct mp_single_rank least, *ranks; /* the least of those that are kept; scratch */
	bool full;			     /* `least` is set */
};

/* `limit`: how many are kept. */
void mp_singles_init(struct mp_singles *s, size_t limit, mp_single_drop_fn *drop, void *arg);
void mp_singles_release(struct mp_singles *s);

/*
 * Looks whether a span is one to draw by itself, which sets `chance`. Returns false if there are
 * enough that are longer.
 */
bool mp_singles_wants(struct mp_singles *s, struct mp_single *one);

/* Adds a span that is wanted; takes ownership of its fields. */
void mp_singles_add(struct mp_singles *s, const struct mp_single *one);

/* Drops those that are more than the limit, in the order in which they came. */
void mp_singles_trim(struct mp_singles *s);

/* Joins both parts in `v`, in order of row and begin, longer ones first. */
void mp_singles_finish(struct mp_singles *s);

#endif
