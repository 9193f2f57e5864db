/* SPDX-License-Identifier: GPL-2.0-only */
/* Guesses the format of a text by evidence in its first lines. Includes formats, foreign. */
#ifndef MP_IMPORT_GUESS_H
#define MP_IMPORT_GUESS_H

#include "lib/import/foreign.h"
#include "lib/import/formats.h"

struct mp_import_guess {
	/* the format; NULL: it is not one that mp-import reads, or it is undecided */
	const struct mp_import_format *format;
	const struct mp_import_foreign *foreign; /* a known format that mp-import does not read */
	bool undecided;				 /* undecided: more lines are needed */
};

/*
 * Guesses by the complete lines at the beginning of a text, one after the other, so that the result
 * does not depend on how the text arrives. `end`: the text is complete.
 */
struct mp_import_guess mp_import_guess(const char *data, size_t len, bool end);

#endif
