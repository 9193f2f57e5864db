/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls as strace and perf trace print them, "NAME(ARGS) = RESULT", of which a part may come
 * in a later line. Includes record.
 */
#ifndef MP_IMPORT_CALLS_H
#define MP_IMPORT_CALLS_H

#include "lib/import/record.h"

/* Calls that have begun: task -> their text so far. Forgets all texts if they take 16 MiB. */
struct mp_import_calls {
	struct mp_map begun;
	struct mp_buf *texts;
	size_t n, cap, bytes;
	size_t n_open;	   /* calls that have not ended */
	uint64_t replaced; /* calls that had not ended when their task began another one */
};

void mp_import_calls_init(struct mp_import_calls *c);

/* Also counts the calls that never ended as skipped. */
void mp_import_calls_release(struct mp_import_calls *c, struct mp_import *im);

/* Keeps the text of a call that is not complete. */
void mp_import_calls_keep(struct mp_import_calls *c, struct mp_str task, struct mp_str text);

/* The text that was kept, valid until the next call; empty if there is none. */
struct mp_str mp_import_calls_take(struct mp_import_calls *c, struct mp_str task);

/*
 * Length of the arguments at the start of s, before the parenthesis that closes them; s.len if none
 * does. Texts in quotes and the paths of files, "3</a/b>", may have any brackets.
 */
size_t mp_import_arguments(struct mp_str s);

/* Length of the name of a call at the start of s, before "("; 0 if there is none. */
size_t mp_import_call_name(struct mp_str s);

/* Adds .ret: "3", "0x7f0 (flags)", "-1 ENOENT (No such file or directory)" as -2(ENOENT); not "?". */
void mp_import_result(struct mp_import *im, struct mp_str text);

#endif
