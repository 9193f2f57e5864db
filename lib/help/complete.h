/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What may follow on a command line, for the completions of all shells. Reads --help of the
 * program, "mp-record -l", and the start of the files on the line. Includes str only.
 */
#ifndef MP_HELP_COMPLETE_H
#define MP_HELP_COMPLETE_H

#include "lib/core/str.h"

/*
 * Adds a line "CANDIDATE<TAB>DESCRIPTION" for each text that completes the last of the words (the
 * first is the program, NULL follows the last). Adds none where a file name may follow. Files come
 * from other hosts, and what a shell completes may be executed: a candidate has only letters,
 * digits and _.:,/@%+=- after what the user typed.
 */
void mp_help_complete(struct mp_buf *to, char **words);

#endif
