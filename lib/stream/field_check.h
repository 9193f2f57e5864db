/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the fields that a user named and no record has, which is more often a mistake than
 * intended: a result without them looks like an answer. The program ends with status 2 at the
 * header if that lists the fields of all events and not this one; else the field is reported at the
 * end, with status 1, unless there was no record. Suggests a similar name. Includes ctl, map, rec.
 *
 *	mp_field_check_add(&check, &f, "--by", ~0u);
 *	mp_field_check_header(&check, &in.ctl, NULL, NULL);
 *	mp_field_check_record(&check, &rec, ~0u);		for each record that is read
 *	status = MP_MAX(status, mp_field_check_report(&check));
 */
#ifndef MP_STREAM_FIELD_CHECK_H
#define MP_STREAM_FIELD_CHECK_H

#include "lib/core/map.h"
#include "lib/stream/ctl.h"
#include "lib/stream/rec.h"

struct mp_field_named {
	struct mp_field field;
	const char *option; /* static text */
	uint32_t roles;	    /* roles of the records that should have it */
	/* numbers of records that should have it, and that do; a caller may count them itself */
	uint64_t needed, found;
};

/* Zeroed memory is valid and empty. */
struct mp_field_check {
	struct mp_field_named *v;
	size_t n, cap;
	bool open;   /* some fields were not found yet */
	bool judged; /* a header was checked */
	struct mp_map seen;
	bool has_seen;	  /* `seen` is initialized */
	unsigned learned; /* number of records whose field names are in `seen` */
};

/* Whether mp-stream(5) itself defines the field: a header does not list it. */
bool mp_field_is_standard(struct mp_str name);

void mp_field_check_release(struct mp_field_check *c);

/*
 * Adds a field that the user gave to an option; if it is computed, adds those that it names.
 * `roles` are bits that the caller chooses, ~0u if all records are alike.
 */
void mp_field_check_add(struct mp_field_check *c, const struct mp_field *f, const char *option,
			uint32_t roles);

/* Removes the fields that were added for an option, since it is given again. */
void mp_field_check_drop(struct mp_field_check *c, const char *option);

/*
 * Handles a control line. If there is only one input, its first header of events may end the
 * program. `roles` returns the roles of events of a type; with NULL all events have all roles.
 */
void mp_field_check_header(struct mp_field_check *c, const struct mp_ctl *ctl,
			   uint32_t (*roles)(void *arg, const char *type), void *arg);

void mp_field_check_look(struct mp_field_check *c, const struct mp_rec *rec, uint32_t roles);

/* Looks in a record with these roles for the fields that were not found yet. */
static inline void mp_field_check_record(struct mp_field_check *c, const struct mp_rec *rec,
					 uint32_t roles)
{
	if (c->open)
		mp_field_check_look(c, rec, roles);
}

/* Notes the field names of the first events, so that one of them can be suggested. */
void mp_field_check_learn(struct mp_field_check *c, const struct mp_rec *rec);

/* Reports the fields that were needed and never found. Returns the status for main. */
enum mp_status mp_field_check_report(const struct mp_field_check *c);

#endif
