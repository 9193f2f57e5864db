/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What numbers a filter takes out of its input, for distributions and counts by key: from which
 * records, which field, with which weight and unit. Refuses to mix what has no common table.
 * Includes ctl, distdump, choice.
 */
#ifndef MP_HIST_MEASURE_H
#define MP_HIST_MEASURE_H

#include "lib/stream/choice.h"
#include "lib/stream/ctl.h"
#include "lib/hist/dump.h"

struct mp_measure {
	/* set by the caller, after mp_measure_init(); names are borrowed */
	struct mp_field field; /* name.p == NULL: dur of events, y of points, or what a dump has */
	struct mp_choice choice;
	struct mp_dists dists; /* its fields as dist.h says; `by` is set by mp_measure_start() */

	/* for the caller to read */
	struct mp_dump_about about; /* what is measured, once a record was looked at */
	const char *unit, *weight_unit;

	/* inside */
	struct mp_fields by_dump; /* the key in a dump, where all are fields of an event */
	struct mp_field measured, weighed;
	bool settled;	  /* about */
	unsigned kinds;	  /* MP_EVENT, MP_POINT that came */
	bool unit_is_old; /* a header came since */
	char *units[2];	  /* of field and weight; NULL: not known yet */
	json_t *header;	  /* the latest */
	double x_ns;	  /* what 1 in x is; 0: x is no time */
	bool is_dump;	  /* the record that was looked at */
};

/* What it holds lives as long as the program. */
void mp_measure_init(struct mp_measure *m);

/* Once the options are read. */
void mp_measure_start(struct mp_measure *m);

/*
 * A header. NULL, or why the input must be refused: text for a message, owned by the caller.
 */
char *mp_measure_header(struct mp_measure *m, const struct mp_ctl *header);

enum mp_measure_look {
	MP_MEASURE_TAKE,
	MP_MEASURE_SKIP,   /* not of a type that is wanted */
	MP_MEASURE_BAD,	   /* `*why`: static text */
	MP_MEASURE_REFUSE, /* `*refusal` as of mp_measure_header() */
};

/* Whether a record is wanted; settles what is measured. May change rec->type. */
enum mp_measure_look mp_measure_look(struct mp_measure *m, struct mp_rec *rec, const char **why,
				     char **refusal);

/* The time of the record that was looked at; of a point its x. False if it has none. */
bool mp_measure_time(const struct mp_measure *m, const struct mp_rec *rec, uint64_t *time_ns);

/* Adds it. 0, or -1 with `*why`. */
int mp_measure_add(struct mp_measure *m, const struct mp_rec *rec, const char **why);

#endif
