/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What tracefs says of a tracepoint: its fields, how their numbers are written, and the names that
 * its print format gives to them. The only user of libtraceevent. Includes field, str.
 */
#ifndef MP_CAPTURE_EVENT_TRACEPOINT_FORMAT_H
#define MP_CAPTURE_EVENT_TRACEPOINT_FORMAT_H

#include "lib/capture/host/field.h"
#include "lib/core/str.h"

struct mp_tp {
	char *system;
	char *name;
	uint64_t id;		    /* attr.config */
	struct mp_tp_field *fields; /* payload, in the order of the format */
	size_t n_fields;
	uint32_t size; /* the raw record has at least this many bytes */
	/* of the entry to a system call: a bit for each field that points to a text */
	uint32_t texts;
	uint32_t arrays; /* those of them that point to an array of texts, such as argv */
};

/*
 * Parses the text of a file "format" of tracefs. Returns NULL if that is not possible. What cannot
 * be understood of the print format leaves numbers without names.
 */
struct mp_tp *mp_tp_parse(struct mp_str text, const char *system);
void mp_tp_free(struct mp_tp *tp);

/*
 * The type of a field as in the header of the stream: "s32", "x64", "str", "u8[]", "u32()" with
 * names.
 */
void mp_tp_type_name(const struct mp_tp_field *f, char name[16]);

#endif
