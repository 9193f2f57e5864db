/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of the values of fields: "(8:0)" after the number of a device. Includes field, symbol.
 */
#ifndef MP_CAPTURE_FORMAT_VALUE_NAME_H
#define MP_CAPTURE_FORMAT_VALUE_NAME_H

#include "lib/capture/host/field.h"
#include "lib/capture/stack/symbol.h"

struct mp_value_names {
	struct mp_symbols *symbols;
	struct mp_value_slot *slots; /* the latest texts, found by a hash of their value */
	struct mp_buf raw, text;
};

/* `symbols` is borrowed. */
void mp_value_names_init(struct mp_value_names *v, struct mp_symbols *symbols);
void mp_value_names_release(struct mp_value_names *v);

/*
 * The name of a value of a field that has names, escaped and in parentheses; without a name, an
 * empty text. `bytes` are those of the field, `number` is what they mean if it is not an array,
 * `record` is the raw record. The text is valid until the next call.
 */
struct mp_str mp_value_names_text(struct mp_value_names *v, const struct mp_tp_field *f,
				  struct mp_str bytes, uint64_t number, struct mp_str record);

/* What the text of a field that has names depends on. Fields must not change or move. */
struct mp_value_key {
	const struct mp_tp_field *field;
	size_t len; /* of the value */
	uint64_t value[2];
};

/*
 * Makes the key of a value, and of the number in the raw record on which its name depends. Returns
 * false if these are too long or too many.
 */
bool mp_value_names_key(struct mp_value_key *key, const struct mp_tp_field *f, struct mp_str bytes,
			struct mp_str record);

/*
 * The text that was kept for a key, empty if there is none, or not any more. It is valid until the
 * next one is kept.
 */
struct mp_str mp_value_names_latest(struct mp_value_names *v, const struct mp_value_key *key);
void mp_value_names_keep(struct mp_value_names *v, const struct mp_value_key *key,
			 struct mp_str text);

#endif
