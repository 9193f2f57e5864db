/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes distributions and counts as events of mp-stream(5), and reads them; mp-hist(1) describes
 * the form. The lines of any number of dumps, in any order, give the same result as the records
 * themselves. Includes dist, io.
 */
#ifndef MP_HIST_DUMP_H
#define MP_HIST_DUMP_H

#include "lib/core/io.h"
#include "lib/hist/dist.h"

/* The type of the events in a dump. */
#define MP_DUMP_TYPE "mp-hist"

/* What the numbers of a line mean. */
struct mp_dump_about {
	struct mp_str field;  /* what was measured; p == NULL: counts only */
	struct mp_str weight; /* p == NULL: each record counts 1 */
};

struct mp_dump_result {
	uint64_t lines;
	/* number of lines that were not written because their keys are too long */
	uint64_t overlong;
};

struct mp_dump_result mp_dump_write(const struct mp_dists *d, const struct mp_dump_about *about,
				    uint64_t time_ns, struct mp_out *out);

/* Whether a record is a line of a dump. */
bool mp_dump_is(const struct mp_rec *rec);

/*
 * Parses the meaning of the numbers of a line into slices of the line. `*type` is that of the
 * measured events, p == NULL: points.
 */
void mp_dump_read_about(const struct mp_rec *rec, struct mp_dump_about *about, struct mp_str *type);

/*
 * Parses the threshold of a line with the count of numbers at or above it. Returns false if the
 * line has none.
 */
bool mp_dump_over(const struct mp_rec *rec, double *over);

/*
 * Adds a line. `fields` is d->by, with all fields as keys of an event. Returns 0, or -1 with
 * `*why`. A line with rows of equal width is skipped unless d->linear is set, and one with the
 * count of the numbers above a threshold unless d->has_over is set; mp_dump_over() is d->over then.
 */
int mp_dump_add(struct mp_dists *d, const struct mp_rec *rec, const struct mp_fields *fields,
		const char **why);

/*
 * To be called after the last line. Returns the option, "--linear" or "--over", whose counts a dump
 * lacked, or NULL.
 */
const char *mp_dump_lacks(const struct mp_dists *d);

#endif
