/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decides which numbers of the input a filter measures, for distributions and counts by key: of
 * which records, which field, with which weight and unit. Refuses to mix numbers that no table can
 * hold together. Includes choice, ctl, dump.
 */
#ifndef MP_HIST_MEASURE_H
#define MP_HIST_MEASURE_H

#include "lib/hist/dump.h"
#include "lib/stream/choice.h"
#include "lib/stream/ctl.h"

struct mp_measure {
	/* set by the caller after mp_measure_init(); names are borrowed */
	struct mp_field field; /* name.p == NULL: dur of events, y of points, or what a dump has */
	struct mp_choice choice;
	/*
	 * the distributions; the caller may set the options in it (dist.h), mp_measure_start() sets
	 * `by`
	 */
	struct mp_dists dists;

	/* members for the caller to read */
	struct mp_dump_about about; /* what is measured; valid after the first record */
	const char *unit, *weight_unit;
	char **units; /* of the field, the weight and the sums; NULL: not known yet */

	/* private */
	/* the fields of the key in dumps, where points have become events */
	struct mp_fields by_dump;
	/* the key has a computed field that needs the time, which dumps do not have */
	bool by_time;
	struct mp_field measured, weighed;
	bool decided;	  /* the members of `about` are set */
	unsigned kinds;	  /* bits MP_EVENT and MP_POINT: kinds of records in the input */
	bool unit_is_old; /* the unit is from an earlier header; a later one may change it */
	double *terms;	  /* of the sums, in the current record */
	json_t *header;	  /* the latest header */
	double x_ns;	  /* how many ns a difference of 1 in x is; 0: x is not a time */
	bool is_dump;	  /* the current record is a line of a dump */
};

/* Initializes a struct mp_measure, whose memory is never freed. */
void mp_measure_init(struct mp_measure *m);

/* To be called after the options are parsed. */
void mp_measure_start(struct mp_measure *m);

/*
 * Handles a header. Returns NULL, or the reason for which the input is refused, owned by the
 * caller.
 */
char *mp_measure_header(struct mp_measure *m, const struct mp_ctl *header);

enum mp_measure_look {
	MP_MEASURE_ADD,
	MP_MEASURE_SKIP,   /* the type of the record is not selected */
	MP_MEASURE_BAD,	   /* a record with an error: `*why` is static text */
	MP_MEASURE_REFUSE, /* the input must be refused: `*refusal` as from mp_measure_header() */
};

/* Decides whether to add a record. The first one decides what is measured. May change rec->type. */
enum mp_measure_look mp_measure_look(struct mp_measure *m, struct mp_rec *rec, const char **why,
				     char **refusal);

/* The time of the current record; for a point its x. Returns false if it has none. */
bool mp_measure_time(const struct mp_measure *m, const struct mp_rec *rec, uint64_t *time_ns);

/* Adds the current record. Returns 0, or -1 with `*why`. */
int mp_measure_add(struct mp_measure *m, const struct mp_rec *rec, const char **why);

#endif
