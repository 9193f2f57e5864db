/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds programs, questions, collectors, events and sections of man pages by words, best first, in
 * at most a screen. Includes str only.
 */
#ifndef MP_HELP_SEARCH_H
#define MP_HELP_SEARCH_H

#include "lib/core/str.h"

/*
 * Adds a row for each entry that has all of the words (NULL follows the last one), which become
 * lower case. `recordable` is the output of "mp-record -l", or empty. Returns false if no entry has
 * them.
 */
bool mp_help_search(struct mp_buf *to, char **words, struct mp_str recordable);

/*
 * The word of names, summaries and headings that is nearest to a misspelt one; owned by the caller,
 * or NULL.
 */
char *mp_help_suggest_word(const char *word);

#endif
