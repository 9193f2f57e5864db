/* SPDX-License-Identifier: GPL-2.0-only */
/* Describes a format of text to mp-import; formats.h lists all formats. Includes record. */
#ifndef MP_IMPORT_FORMAT_H
#define MP_IMPORT_FORMAT_H

#include "lib/import/record.h"

enum { MP_IMPORT_LOOK = 64 << 10 }; /* number of bytes from which the format of a text is guessed */
enum { MP_IMPORT_HEAD = 512 };	    /* number of bytes that show a binary format */

/* How likely it is that a line has a format. */
enum mp_import_likeness {
	MP_IMPORT_UNLIKE,
	MP_IMPORT_POSSIBLE, /* the format has such lines, but so may any text */
	MP_IMPORT_LIKE,	    /* the format has such lines, and few other texts have many of them */
	/* such lines are in this format only, though its other lines may look like any text */
	MP_IMPORT_DISTINCT,
	MP_IMPORT_CERTAIN, /* one such line is enough */
};

struct mp_import_format {
	const char *name; /* the argument of --from */

	/*
	 * Judges a line, which is not empty. `first` is true for the first line of the text. NULL
	 * for a binary format.
	 */
	enum mp_import_likeness (*looks_like)(struct mp_str line, bool first);

	/* of a binary format: judges the first MP_IMPORT_HEAD bytes of an input; NULL: it is text */
	bool (*is_binary)(const char *data, size_t len);

	/* Reads from the current line to the end of the input. */
	void (*parse)(struct mp_import *im);
};

#endif
