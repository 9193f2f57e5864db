/* SPDX-License-Identifier: GPL-2.0-only */
/* A field of a raw record: of a tracepoint, of a BPF program, or of our own. Includes names. */
#ifndef MP_CAPTURE_HOST_FIELD_H
#define MP_CAPTURE_HOST_FIELD_H

#include "lib/capture/host/names.h"
#include "lib/core/base.h"

/* How the bytes of a field become text. */
enum mp_tp_kind {
	MP_TP_UNSIGNED,
	MP_TP_SIGNED,
	MP_TP_HEX,    /* a pointer, or what the event's own format prints in hexadecimal */
	MP_TP_STRING, /* char[], up to a NUL */
};

enum mp_tp_place {
	MP_TP_FIXED, /* `size` bytes at `offset` */
	/* a u32 at `offset`: offset in the record in its low half, length in its high half */
	MP_TP_DATA_LOC,
	MP_TP_REL_LOC, /* as MP_TP_DATA_LOC, but the offset counts from the end of the u32 */
};

struct mp_tp_field {
	char *name;
	enum mp_tp_kind kind;
	enum mp_tp_place place;
	uint32_t offset; /* offset in the raw record */
	uint32_t size;	 /* bytes there: of the field for MP_TP_FIXED, of the u32 otherwise */
	uint32_t elem;	 /* size of an element: 1, 2, 4 or 8 */
	bool is_array;	 /* an array of numbers, written with commas between them */
	struct mp_names *names; /* the names of its numbers; NULL: they have none */
};

#endif
