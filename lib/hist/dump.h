/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Distributions and counts as events of mp-stream(5), and back: mp-hist(1) tells the form. Reading
 * the lines of any number of dumps, in any order, gives what the records themselves would have
 * given. Includes dist, io.
 */
#ifndef MP_HIST_DUMP_H
#define MP_HIST_DUMP_H

#include "lib/hist/dist.h"
#include "lib/core/io.h"

/* The type of these events. */
#define MP_DUMP_TYPE "mp-hist"

/* What a line says of the numbers behind it. */
struct mp_dump_about {
	struct mp_str field;  /* what was measured; p == NULL: counts only */
	struct mp_str weight; /* p == NULL: each counts 1 */
};

struct mp_dump_result {
	uint64_t lines;
	uint64_t overlong; /* left out, their keys are too long for a line */
};

struct mp_dump_result mp_dump_write(const struct mp_dists *d, const struct mp_dump_about *about,
				    uint64_t time_ns, struct mp_out *out);

/* True if a record is a line of a dump. */
bool mp_dump_is(const struct mp_rec *rec);

/*
 * Slices of the line; `*type` is that of the events that were measured, p == NULL: points.
 */
void mp_dump_read_about(const struct mp_rec *rec, struct mp_dump_about *about, struct mp_str *type);

/*
 * Adds a line. `fields` is d->by with all of them taken by their key. 0, or -1 with `*why`; a line
 * with rows of equal width is passed over where none are wanted.
 */
int mp_dump_add(struct mp_dists *d, const struct mp_rec *rec, const struct mp_fields *fields,
		const char **why);

/*
 * For `d->linear`, when all is read: false if a dump came without the rows of that width.
 */
bool mp_dump_complete(const struct mp_dists *d);

#endif
