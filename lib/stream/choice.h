/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The options that most filters have: which events (-e), keyed by which fields (-b), weighted by
 * which field (-w), for which intervals (-i). A filter puts the rows that it needs into its table
 * of options, hands each option to mp_choice_option(), and then:
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
 *	status = mp_choice_finish(&choice, mp_input_finish(&in));
 *
 * docs/mp-example-interval.c is a complete filter. Includes expr, field_check, interval, opt,
 * types.
 */
#ifndef MP_STREAM_CHOICE_H
#define MP_STREAM_CHOICE_H

#include "lib/core/opt.h"
#include "lib/stream/expr.h"
#include "lib/stream/field_check.h"
#include "lib/stream/interval.h"
#include "lib/stream/types.h"

/* Rows for a table of options; `help` says what the program does with the argument. */
#define MP_CHOICE_EVENT(more)                                          \
	{                                                              \
		'e', "event", "GLOB",                                  \
			"only events whose type matches; repeated or " \
			"comma-separated" more                         \
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

enum { MP_CHOICE_FIELDS_MAX = 64 }; /* length of a list of fields */

/*
 * Roles of fields in mp_choice.names: MP_CHOICE_KEY is for parts of a key, which lines of a dump
 * have as well, MP_CHOICE_NUMBER for other fields.
 */
#define MP_CHOICE_KEY 1u
#define MP_CHOICE_NUMBER 2u

struct mp_choice {
	struct mp_types types;
	struct mp_fields by;	/* names are borrowed from the arguments */
	struct mp_field weight; /* name.p == NULL: each record counts once */
	struct mp_interval interval;
	struct mp_field_check names; /* fields that the user named */
};

/*
 * `remedy`: the advice in the message when events of several types come: "keep them apart with --by
 * type".
 */
void mp_choice_init(struct mp_choice *c, const char *remedy);
void mp_choice_release(struct mp_choice *c);

/*
 * Handles one of the options above. Returns false if it is another option. Misuse ends the program.
 */
bool mp_choice_option(struct mp_choice *c, const struct mp_program *program, int code,
		      const char *arg);

/*
 * Parse the argument of an option: a field, perhaps a computed one, or a list of fields. Misuse
 * ends the program. mp_choice_fields() appends; `check` (may be NULL) notes what the user gave to
 * `option`.
 */
struct mp_field mp_choice_field(const struct mp_program *program, int code, const char *arg);
void mp_choice_fields(struct mp_fields *fields, const char *list, struct mp_field_check *check,
		      const char *option);

/*
 * Notes a field that the user gave to an option of the filter; it replaces the one that the option
 * had before. `role` is MP_CHOICE_KEY or MP_CHOICE_NUMBER.
 */
void mp_choice_name(struct mp_choice *c, const struct mp_field *f, const char *option,
		    uint32_t role);

/* Whether one of the fields is the event's type: this keeps types apart. */
bool mp_choice_has_type(const struct mp_fields *fields);

/*
 * For mp_input.concerns: whether the lost events may include wanted ones. `arg` is a struct
 * mp_types.
 */
bool mp_choice_concerns(void *arg, const struct mp_ctl *loss);

/*
 * Handles a control line. Returns true if it ends an interval, as mp_interval_advance() does.
 * mp_choice_header() only looks at the list of fields in a header.
 */
bool mp_choice_control(struct mp_choice *c, const struct mp_ctl *ctl);
void mp_choice_header(struct mp_choice *c, const struct mp_ctl *ctl);

/*
 * Returns true if an event is wanted. A second type ends the program, unless the user chose with -e
 * or keeps types apart with --by.
 */
bool mp_choice_take(struct mp_choice *c, const struct mp_rec *rec);

/* Looks for the fields that the user named; for a caller that does not use mp_choice_take(). */
static inline void mp_choice_look(struct mp_choice *c, const struct mp_rec *rec)
{
	mp_field_check_record(&c->names, rec, MP_CHOICE_KEY | MP_CHOICE_NUMBER);
}

/* Reports globs and fields that nothing matched. Returns the worse of this and `status`. */
enum mp_status mp_choice_finish(struct mp_choice *c, enum mp_status status);

/* The message for a weight that is not a whole number. */
const char *mp_choice_why_not_whole(const struct mp_field *weight);

/*
 * The weight of a record, 1 without `field`. Returns 1; 0 if it lacks the field (a missing
 * `period` is 1); or -1 if the field is not a whole number. `*why` says so for the last two.
 */
int mp_choice_weight(const struct mp_field *field, const struct mp_rec *rec, int64_t *weight,
		     const char **why);

#endif
