/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Splits an event into its fields. Events of a type have the same fields in the same order, so
 * their names are stored once, as a shape. If the next event has the same shape, only its values
 * have to be found, and what was computed for the shape (where a field is) is valid for all its
 * events. Includes rec, map.
 */
#ifndef MP_PAIR_SPLIT_H
#define MP_PAIR_SPLIT_H

#include "lib/core/map.h"
#include "lib/stream/rec.h"

enum { MP_SHAPES_MAX = 256 }; /* events of further shapes are handled more slowly */

enum mp_field_class {
	MP_CLASS_CONTEXT, /* keys of the context: cpu, pid ... */
	MP_CLASS_PAYLOAD, /* keys with a leading dot */
	MP_CLASS_DERIVED, /* all other keys */
};

enum mp_field_class mp_split_field_class(struct mp_str key);

/* Place of a context field in the order of mp-stream(5), from 0 on; -1 for other fields. */
int mp_split_context_rank(struct mp_str key);

struct mp_shape {
	unsigned number; /* its number, below MP_SHAPES_MAX */
	size_t n;
	struct mp_str *keys; /* all but the stack's */
};

/* A field `key=value`, as in the line. */
struct mp_split_field {
	struct mp_str text;
	size_t key_len;
};

struct mp_split {
	const struct mp_shape *shape; /* the shape of the event; NULL: there are too many shapes */
	struct mp_split_field *v;     /* the fields: slices of the line */
	size_t n, cap;
	struct mp_str stack; /* p == NULL: the event has none */
};

/* Zeroed memory is valid and empty. */
struct mp_shapes {
	struct mp_map by_keys; /* keys, joined -> struct mp_shape */
	bool ready;
	struct mp_buf scratch;
};

void mp_split_release(struct mp_split *s);
void mp_shapes_release(struct mp_shapes *shapes);

/*
 * Splits an event into its fields; the slices live as long as the line. `*hint` is the shape of the
 * latest event of its type, NULL at first, and is updated.
 */
void mp_split(struct mp_split *s, struct mp_shapes *shapes, const struct mp_shape **hint,
	      const struct mp_rec *rec);

static inline struct mp_str mp_split_key(const struct mp_split_field *f)
{
	return (struct mp_str){ f->text.p, f->key_len };
}

static inline struct mp_str mp_split_value(const struct mp_split_field *f)
{
	if (f->text.len <= f->key_len)
		return (struct mp_str){ f->text.p + f->text.len, 0 };
	return (struct mp_str){ f->text.p + f->key_len + 1, f->text.len - f->key_len - 1 };
}

/* The field of this name, or NULL. */
const struct mp_split_field *mp_split_find(const struct mp_split *s, struct mp_str key);

/*
 * A cache of where a field is in events of the latest shape. Zeroed memory is a valid empty cache.
 */
struct mp_split_place {
	const struct mp_shape *shape;
	size_t at;
};

/* The value of a field of an event, which has been split; false if it has no such field. */
bool mp_split_get(const struct mp_split *s, const struct mp_rec *rec, const struct mp_field *f,
		  struct mp_split_place *place, struct mp_str *value);

#endif
