/* SPDX-License-Identifier: GPL-2.0-only */
/* Known formats that mp-import does not read, so that it can name them. Includes str only. */
#ifndef MP_IMPORT_FOREIGN_H
#define MP_IMPORT_FOREIGN_H

#include "lib/core/str.h"

struct mp_import_foreign {
	const char *pattern; /* a glob; a line that matches it has this format */
	const char *name;
	const char *remedy; /* what to do instead; NULL: no advice */
	bool first;	    /* applies to the first line only */
	bool decides; /* one line is enough, even among lines of a format that mp-import reads */
};

/* The first row whose pattern the line matches, or NULL. */
const struct mp_import_foreign *mp_import_foreign(struct mp_str line, bool first);

#endif
