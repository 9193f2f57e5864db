/* SPDX-License-Identifier: GPL-2.0-only */
/* The names of the values of a field: "8:0" of a device. Includes field, symbol. */
#ifndef MP_CAPTURE_FORMAT_VALUE_NAME_H
#define MP_CAPTURE_FORMAT_VALUE_NAME_H

#include "lib/capture/host/field.h"
#include "lib/capture/stack/symbol.h"

/*
 * Adds the name of a value, not escaped. `bytes` are those of the field, `number` is what they mean
 * if it is not an array, `raw` is the record. Returns false, and adds nothing, if it has none.
 */
bool mp_value_name_add(struct mp_buf *to, const struct mp_tp_field *f, struct mp_str bytes,
		       uint64_t number, struct mp_str raw, struct mp_symbols *symbols);

#endif
