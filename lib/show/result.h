/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the result of a pipeline goes. Includes str. */
#ifndef MP_SHOW_RESULT_H
#define MP_SHOW_RESULT_H

#include "lib/core/str.h"

struct mp_result {
	const char *output; /* the file of -o; NULL: it is named after the recording */
	int folder;	    /* where a file without a name of its own is written */
	const char *folder_path;
	const char *stem;
	int fd;	    /* the pipeline writes here */
	bool draft; /* fd is a draft */
	int owned;  /* a folder that was opened for the draft; -1: none */
};

/*
 * Opens what the pipeline writes to: a draft, standard output for "-", or a file that is not a
 * regular one. Failing ends the program with a message.
 */
void mp_result_open(struct mp_result *r);

/*
 * Gives the result its name by what it is, a page, an SVG or a CPEL file. Text without an `output`
 * is printed on standard output. Returns the path, owned by the caller; NULL: there is no file.
 */
char *mp_result_keep(struct mp_result *r);

/* Removes what was written to a draft. */
void mp_result_drop(struct mp_result *r);

#endif
