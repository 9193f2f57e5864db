/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The event types that a filter accepts, "-e GLOB[,GLOB]...", and those that it has seen. Includes
 * glob, map, rec.
 */
#ifndef MP_STREAM_TYPES_H
#define MP_STREAM_TYPES_H

#include "lib/core/map.h"
#include "lib/stream/glob.h"
#include "lib/stream/rec.h"

struct mp_types {
	struct mp_glob *globs; /* none: all events are accepted */
	size_t n_globs, cap;
	struct mp_map seen; /* type -> struct mp_type_seen */
	struct mp_map_entry *last;
	bool named;	    /* a header listed the types */
	size_t taken;	    /* distinct types seen that match */
	bool mixed;	    /* the user wants several types: set by -e, or by the caller */
	const char *remedy; /* set by the caller: how to keep types apart, for a message */
};

struct mp_type_seen {
	uint64_t taken;	 /* events that -e matches */
	uint64_t events; /* events in total */
};

void mp_types_init(struct mp_types *t);
void mp_types_release(struct mp_types *t);

/* Adds globs from an option's comma-separated argument, which stays the caller's. */
void mp_types_add(struct mp_types *t, const char *list);

/* Whether events of this type are accepted; does not add it to `seen`. */
bool mp_types_match(const struct mp_types *t, struct mp_str type);

/*
 * Whether the input may have accepted events of this type: if a header lists types, it must list
 * this one.
 */
bool mp_types_expected(const struct mp_types *t, struct mp_str type);

/* Whether events of this type are accepted; adds the type to `seen`. */
struct mp_type_seen *mp_types_lookup(struct mp_types *t, struct mp_str type);

/*
 * For mp_field_check_header(): an accepted event has all roles, any other event has none. `types`:
 * struct mp_types.
 */
uint32_t mp_types_roles(void *types, const char *type);

/* Whether an event is accepted; counts it if so. */
static inline bool mp_types_take(struct mp_types *t, const struct mp_rec *rec)
{
	struct mp_type_seen *seen;

	if (t->last && mp_str_eq(t->last->key, rec->type))
		seen = mp_map_value(t->last);
	else
		seen = mp_types_lookup(t, rec->type);
	seen->events++;
	return seen->taken;
}

/* Notes the types that a header lists, so that a mixture is known before its first event. */
struct json_t;
void mp_types_header(struct mp_types *t, const struct json_t *header);

/* The accepted types for messages: "a:b, c:d and 3 more". Owned by the caller. */
char *mp_types_list(const struct mp_types *t);

/*
 * Why the input must be refused when several types were taken and the user did not ask for that:
 * a message with their list and the remedy, owned by the caller; else NULL.
 */
char *mp_types_mixture(const struct mp_types *t);

/* Ends the program with the message of mp_types_mixture(). */
void mp_types_refuse_mixture(const struct mp_types *t);

/*
 * At the end: a message if there were events and none matches -e, which is more often a mistake
 * than intended.
 */
void mp_types_report(const struct mp_types *t);

#endif
