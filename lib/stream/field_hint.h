/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Suggests a name for a field that a user named and no event has: from the fields of the first
 * events that lacked it. Includes map, rec.
 */
#ifndef MP_STREAM_FIELD_HINT_H
#define MP_STREAM_FIELD_HINT_H

#include "lib/core/map.h"
#include "lib/stream/rec.h"

struct mp_field_hints {
	struct mp_map seen;
	unsigned records;
};

void mp_field_hints_init(struct mp_field_hints *n);
void mp_field_hints_release(struct mp_field_hints *n);

/* Notes the names of an event's fields; only of the first ones. */
void mp_field_hints_learn(struct mp_field_hints *n, const struct mp_rec *rec);

/* The name that is nearest to another, NULL if none is near. Owned by the caller. */
char *mp_field_hints_near(const struct mp_field_hints *n, struct mp_str name);

#endif
