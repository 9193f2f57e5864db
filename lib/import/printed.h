/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses the texts of tracepoints that are not lists of the form "a=1 b=2". An example is "8,0 W
 * 4096 () 1234 + 8 [dd]". The fields get the names and values that the kernel gives them and
 * mp-record writes. Includes str only.
 */
#ifndef MP_IMPORT_PRINTED_H
#define MP_IMPORT_PRINTED_H

#include "lib/core/str.h"

enum { MP_IMPORT_PAIRS_MAX = 64 };

/* The form in which the kernel printed a value. */
enum mp_import_form {
	MP_IMPORT_PLAIN,
	MP_IMPORT_DEV,	  /* MAJOR,MINOR: the number is MAJOR << 20 | MINOR, with a name */
	MP_IMPORT_IOPRIO, /* CLASS,HINT,LEVEL: the number is CLASS << 13 | HINT << 3 | LEVEL */
	MP_IMPORT_HEX,	  /* hexadecimal digits, perhaps without 0x */
	MP_IMPORT_HEXES,  /* a list of hexadecimal numbers; the stream gets decimal ones */
	MP_IMPORT_NAMED,  /* NAME (NUMBER): the number with its name */
	MP_IMPORT_SIGNED, /* a hexadecimal number that may be negative */
};

struct mp_import_pair {
	struct mp_str key, value;
	bool bracket; /* a bracket precedes the key */
	enum mp_import_form form;
};

struct mp_import_pairs {
	struct mp_import_pair v[MP_IMPORT_PAIRS_MAX];
	size_t n;
};

/*
 * Splits the text of an event by the print format of its type. *rest gets the part that could not
 * be parsed. Returns false if nothing could be parsed.
 */
bool mp_import_printed(struct mp_import_pairs *pairs, struct mp_str type, struct mp_str text,
		       struct mp_str *rest);

/* Whether s is 1 to 16 hexadecimal digits, perhaps after 0x. */
bool mp_import_is_hex(struct mp_str s);

/* Adds a value in the form that the stream has. */
void mp_import_put_value(struct mp_buf *to, const struct mp_import_pair *pair);

#endif
