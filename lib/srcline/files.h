/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the file with the debug information of a module, by its build id: among the files that the
 * user named, at the recorded path, and in folders of debug files. Includes str.
 */
#ifndef MP_SRCLINE_FILES_H
#define MP_SRCLINE_FILES_H

#include "lib/core/str.h"

enum { MP_BUILD_ID_DIGITS = 128 };

/* What a file says of itself; hostile texts. */
struct mp_srcline_probe {
	char id[MP_BUILD_ID_DIGITS + 1]; /* build id */
	char link[520];			 /* name of its debug file */
	char alt[520];			 /* name of its alternate debug file (dwz) */
	char alt_id[MP_BUILD_ID_DIGITS + 1];
	bool debug; /* it has debug information */
};

/* A file that the user named. */
struct mp_srcline_named {
	const char *path;
	int fd;
	struct mp_srcline_probe probe;
	bool used; /* a module of the input is this file */
};

struct mp_srcline_places {
	const char *root; /* before recorded paths; "": none */
	/*
	 * Files are of use for their symbols, too, and a module without build id is the file at its
	 * path, of whatever build.
	 */
	bool symbols;
	char **debug_dirs; /* owned, as are their names */
	size_t n_debug_dirs, cap_debug_dirs;
	struct mp_srcline_named *named;
	size_t n_named, cap_named;
};

/* Adds a file that the user named. A file that cannot be read ends the program. */
void mp_srcline_places_name(struct mp_srcline_places *p, const char *path);
void mp_srcline_places_release(struct mp_srcline_places *p);

/* What is searched, and what was found. */
struct mp_srcline_search {
	const struct mp_srcline_places *places;
	const char *name; /* of the module: last part of the path */
	/* hexadecimal digits, at least 8 of them; "": the module has none */
	char id[MP_BUILD_ID_DIGITS + 1];
	/* the file with debug information, and its alternate one; -1: not found; the caller's */
	int fd, alt;
	/* the file without debug information, for its symbols; -1: none; the caller's */
	int plain;
	bool partial; /* the file refers to an alternate one, which was not found */
	bool matched; /* a file of this build was found, perhaps without debug information */
	char *other;  /* path of a file of another build; owned by the caller */
	char other_id[9];
};

/*
 * Looks at a recorded path. The first call needs `s` with places, name and id, fd, alt and plain -1, and
 * all else zeroed. Does nothing once the file is found.
 */
void mp_srcline_search_path(struct mp_srcline_search *s, const char *path);

/* Looks among the named files and in the folders of debug files, for the same search. */
void mp_srcline_search_rest(struct mp_srcline_search *s);

#endif
