/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The recordings that `mp record` remembers: files "NAME-TIME.mp.zst" in $XDG_STATE_HOME/mp.
 */
#ifndef MP_RECORDINGS_FOLDER_H
#define MP_RECORDINGS_FOLDER_H

#include "lib/core/base.h"

struct mp_folder {
	char *path;
	int fd;
};

/*
 * Opens the folder, and makes it if need be: that of the user who called sudo, with that user's
 * privileges. No symlink below the home is followed. Failing ends the program with a message.
 */
void mp_folder_open(struct mp_folder *f);
void mp_folder_close(struct mp_folder *f);

/* The name of the latest recording in it. Owned by the caller; NULL: there is none. */
char *mp_folder_last(const struct mp_folder *f);

/*
 * Runs mp-record --compress with these arguments, argv[0] being its name, and remembers what it
 * records. If it wrote nothing or failed, nothing is remembered. Returns its status, and the path in
 * `*path` (owned by the caller; NULL: there is none).
 */
enum mp_status mp_folder_record(char **argv, char **path);

/* Whether these arguments of mp-record make a recording on its standard output. */
bool mp_folder_records(char *const *argv);

#endif
