/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The arrows of mp-stream(5): from a cause to its effect, each a row and a time (a row is what the values
 * of some fields have in common: a thread, say). An event names the
 * other end of its arrow by fields; two events that are the ends of one have the same key.
 * Includes map, rec.
 */
#ifndef MP_STREAM_ARROW_H
#define MP_STREAM_ARROW_H

#include "lib/core/map.h"
#include "lib/stream/rec.h"

enum { MP_ARROW_FIELDS_MAX = 8 }; /* more fields name no other row */

struct mp_arrow_rule; /* what the fields of a type of events mean */

/* The rule of a type, or NULL. */
const struct mp_arrow_rule *mp_arrow_rule(struct mp_str type);

/* The other end of the arrow of an event. */
struct mp_arrow_end {
	struct mp_str row[MP_ARROW_FIELDS_MAX]; /* the values of the fields of rows there */
	uint64_t time_ns;
	bool leads; /* the arrow leads there */
};

/*
 * Reads the other end of an event that lasted from `begin_ns` to its time. `rule` may be NULL;
 * `rows` are the fields of rows. Returns false if the event names none.
 */
bool mp_arrow_read(const struct mp_arrow_rule *rule, const struct mp_rec *rec,
		   const struct mp_fields *rows, uint64_t begin_ns, struct mp_arrow_end *end);

/* Events that are the ends of an arrow together. Zeroed memory is valid. */
struct mp_arrow_pairs {
	struct mp_map begun; /* key -> struct mp_arrow_begun */
	bool has;
};

struct mp_arrow_begun {
	uint64_t time_ns;
	uint32_t row;
	bool open;
};

/*
 * Handles an event of a type with a rule, in order of time. Returns the begin of the arrow that
 * ends with this event, or NULL. The first event with a key begins an arrow, the next one of the
 * other type ends it.
 */
const struct mp_arrow_begun *mp_arrow_pair(struct mp_arrow_pairs *p,
					   const struct mp_arrow_rule *rule,
					   const struct mp_rec *rec, uint32_t row);

/* Whether events of this type are the first of two that are the ends of an arrow. */
bool mp_arrow_begins(const struct mp_arrow_rule *rule);
void mp_arrow_pairs_release(struct mp_arrow_pairs *p);

#endif
