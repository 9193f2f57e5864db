/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The files of collectors, see mp-collector(5): the folders that have them, their names and the
 * lines of their texts, for all that need not know what can be recorded. Includes str.
 */
#ifndef MP_DEFINITION_DEFINITION_H
#define MP_DEFINITION_DEFINITION_H

#include "lib/core/str.h"

/* The file of a collector. */
struct mp_definition {
	char *path;
	char *text; /* NULL: it was not read */
	size_t len;
};

/*
 * Reads the file of "NAME" or "NAME:ARGUMENT" from the first folder that has it. Returns 0, or -1
 * with `*error` (owned by the caller) if there is none (it names the nearest one), or if the file
 * cannot be read.
 */
int mp_definition_read(struct mp_definition *d, const char *name, char **error);
void mp_definition_release(struct mp_definition *d);

/*
 * Parses a line into its key and its value. Returns 1; 0 if it is empty or a comment; -1 with
 * `*why`.
 */
int mp_definition_line(struct mp_str line, struct mp_str *key, struct mp_str *value,
		       const char **why);

/* Splits the next line off `rest`. Returns false at the end. */
bool mp_definition_next(struct mp_str *rest, struct mp_str *line);

/* Calls `each` for the names in the folders that match a glob, each once, sorted. */
typedef void mp_definition_fn(void *arg, const char *name);

void mp_definitions_each(const char *glob, mp_definition_fn *each, void *arg);

/*
 * The path of a file in the user's folder of configuration, "$XDG_CONFIG_HOME/mp/NAME" or
 * "~/.config/mp/NAME". Owned by the caller; NULL: the user has no home.
 */
char *mp_definition_config(const char *name);

#endif
