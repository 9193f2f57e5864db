/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The index of the man pages that is part of mp: what each page is about, the groups of programs
 * and the questions in mp-tools(7), the sections of all pages. index.awk makes it, and describes
 * its lines. Includes str only.
 */
#ifndef MP_HELP_INDEX_H
#define MP_HELP_INDEX_H

#include "lib/core/str.h"

enum mp_help_what {
	MP_HELP_PAGE = 'P',
	MP_HELP_GROUP = 'G',
	MP_HELP_MEMBER = 'M',
	MP_HELP_QUESTION = 'Q',
	MP_HELP_COMMAND = 'C',
	MP_HELP_SECTION = 'S',
};

enum { MP_HELP_FIELDS = 3 };

/* A line of the index; fields that it does not have are empty. */
struct mp_help_line {
	enum mp_help_what what;
	struct mp_str fields[MP_HELP_FIELDS];
};

/* The text of the index. */
struct mp_str mp_help_index(void);

/* Splits the next line off `rest`, at first mp_help_index(). Returns false at the end. */
bool mp_help_next(struct mp_str *rest, struct mp_help_line *line);

/*
 * Adds the programs, grouped by question, each with what it does. "mp-" before their names is
 * omitted.
 */
void mp_help_add_family(struct mp_buf *to);

/* What a program does, by its man page, such as "mp-fold"; empty if it is not in the index. */
struct mp_str mp_help_about(struct mp_str program);

/*
 * The program whose name is nearest to a misspelt one, without "mp-"; owned by the caller, or NULL.
 */
char *mp_help_suggest(const char *name);

#endif
