/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options that most filters have: which events (-e), keyed by which fields (-b), weighted by
 * which field (-w), for which intervals (-i). A filter puts the rows that it has into its table of
 * options, hands each option to mp_choice_option(), and then:
 *
 *	while (mp_input_next(&in, &rec))
 *		if (rec.kind == MP_CONTROL) {
 *			if (mp_choice_control(&choice, &in.ctl))
 *				write_result();
 *		} else if (mp_choice_take(&choice, &rec)) {
 *			if (mp_interval_advance(&choice.interval, rec.time_ns))
 *				write_result();
 *			add(&rec);
 *		}
 *	if (mp_interval_end(&choice.interval))
 *		write_result();
 *
 * docs/mp-example-interval.c is a whole filter. Includes interval, opt, types.
 */
#ifndef MP_STREAM_CHOICE_H
#define MP_STREAM_CHOICE_H

#include "lib/core/opt.h"
#include "lib/stream/interval.h"
#include "lib/stream/types.h"

/* Rows for a table of options; `help` says what the program does with the argument. */
#define MP_CHOICE_EVENT(more)                                           \
	{                                                               \
		'e', "event", "GLOB",                                   \
			"only events whose type matches; repeated or\n" \
			"comma-separated" more                          \
	}
#define MP_CHOICE_ADDED ". Types that match are added up"
#define MP_CHOICE_BY(help)                \
	{                                 \
		'b', "by", "FIELDS", help \
	}
#define MP_CHOICE_WEIGHT(help)               \
	{                                    \
		'w', "weight", "FIELD", help \
	}
#define MP_CHOICE_INTERVAL(help)                  \
	{                                         \
		'i', "interval", "DURATION", help \
	}

enum { MP_CHOICE_FIELDS_MAX = 64 }; /* of a list of fields */

struct mp_choice {
	struct mp_types types;
	struct mp_fields by;	/* names are borrowed from the arguments */
	struct mp_field weight; /* name.p == NULL: each record counts once */
	struct mp_interval interval;
};

/* `remedy`: how a user can keep several types apart: "keep them apart with --by type". */
void mp_choice_init(struct mp_choice *c, const char *remedy);
void mp_choice_release(struct mp_choice *c);

/* Handles one of the options above. False: it is another option. Misuse ends the program. */
bool mp_choice_option(struct mp_choice *c, const struct mp_program *program, int code,
		      const char *arg);

/* The name of a field, or a list of names, that an option gives. Misuse ends the program. */
struct mp_field mp_choice_field(const struct mp_program *program, int code, const char *arg);
void mp_choice_fields(struct mp_fields *fields, const char *list);

/* Whether one of the fields is the event's type: types are kept apart then. */
bool mp_choice_has_type(const struct mp_fields *fields);

/* For mp_input.concerns: whether a loss may be one of wanted events. `arg`: struct mp_types. */
bool mp_choice_concerns(void *arg, const struct mp_ctl *loss);

/* A control line. True if it ends an interval, as mp_interval_advance(). */
bool mp_choice_control(struct mp_choice *c, const struct mp_ctl *ctl);

/*
 * True if an event is wanted. A second type ends the program, unless the user chose with -e or
 * keeps types apart with --by.
 */
bool mp_choice_take(struct mp_choice *c, const struct mp_rec *rec);

/*
 * The weight of a record, 1 without `field`. Returns 1; 0 if it lacks the field, with a weight of 1;
 * or -1 if the field is not a whole number. `*why` says so for the last two.
 */
int mp_choice_weight(const struct mp_field *field, const struct mp_rec *rec, int64_t *weight,
		     const char **why);

#endif
