/* SPDX-License-Identifier: GPL-2.0-only */
/* The recording that is shown: one file, several, or standard input. Includes pipeline. */
#ifndef MP_SHOW_RECORDED_H
#define MP_SHOW_RECORDED_H

#include <sys/types.h>

#include "lib/core/map.h"
#include "lib/show/pipeline.h"

struct mp_recorded {
	char **files; /* ends with NULL; borrowed */
	size_t n;
	char *stem; /* of the names of pictures: "cpusched-20261123-120501" */
	int fd;	    /* of the only file, to be read again from its start; -1: there are several */
	/* what the only file was before mp-import converted it to standard input; NULL: it was not */
	char *imported;
	size_t set;	       /* which of several data sets in it, from 1 on; 0: all of it */
	enum mp_status status; /* of mp-import */
};

/*
 * Opens the files, of which there is at least one; "-" is standard input. What is not a regular
 * file is copied to a temporary one, which replaces standard input. So is what mp-import makes of
 * the only file, if it is a text of another format. Failing ends the program.
 */
void mp_recorded_open(struct mp_recorded *r, char **files);
void mp_recorded_close(struct mp_recorded *r);

/* The data sets in what mp-import made of the only file: each begins with a header. */
struct mp_recorded_sets {
	int fd;	     /* what all sets are in; -1: the file was not imported, and is one set */
	off_t *from; /* n + 1 offsets */
	size_t n;
};

/* A file that was not imported is one set. */
struct mp_recorded_sets mp_recorded_sets(const struct mp_recorded *r);

/*
 * Makes set number `i`, from 0 on, the recording, which is standard input then. Its stem is one that
 * is not among `stems` yet.
 */
void mp_recorded_use_set(struct mp_recorded *r, const struct mp_recorded_sets *sets, size_t i,
			 struct mp_map *stems);
void mp_recorded_sets_release(struct mp_recorded_sets *sets);

/* The fd, at its start, for a pipeline to read; /dev/null if there are several files. */
int mp_recorded_rewind(struct mp_recorded *r);

/*
 * Adds what precedes a pipeline: the merge of several files, and `select`, mp-select, if it has an
 * option. A single file is the standard input of the first program; for people its name is added.
 */
void mp_recorded_head(const struct mp_recorded *r, struct mp_pipeline *p,
		      const struct mp_stage *select, bool for_people);

/* A temporary file without a name, which programs that are started do not inherit. */
int mp_recorded_temporary(void);

/* The path by which programs that are started from now on find an open file. Owned by the caller. */
char *mp_recorded_pass(int fd);

/*
 * Runs a pipeline into a temporary file, of which it returns the path as above. A failure is reported
 * with the title of the part; the result is NULL then. `worst` becomes the status, MP_LOSSY for a
 * failure, if it is worse.
 */
char *mp_recorded_run(const struct mp_pipeline *p, int in, const char *title,
		      enum mp_status *worst);

#endif
