/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of tasks given by a table: by thread id, as perfwhiz has it, or by a pattern of the old
 * name. Includes rec, map.
 */
#ifndef MP_STREAM_TASKNAME_H
#define MP_STREAM_TASKNAME_H

#include "lib/core/map.h"
#include "lib/stream/rec.h"

struct mp_tasknames_row;

struct mp_tasknames {
	bool merge_system; /* renames swapper/3 to swapper, and similar kernel threads */
	bool append_tid;   /* appends ":TID" to names */

	struct mp_tasknames_row *rows; /* patterns, in the order of the table */
	size_t n_rows, cap_rows;
	struct mp_map by_tid; /* tid as text -> struct mp_str, raw */
	struct mp_map known;  /* tid, old name (escaped) -> struct mp_str: new name, escaped */
	struct mp_arena texts;
	uint64_t bad;	     /* rows with errors; the first few were reported */
	struct mp_buf table; /* the rows without errors as text, for another process */
};

void mp_tasknames_init(struct mp_tasknames *n);
void mp_tasknames_release(struct mp_tasknames *n);

/*
 * Reads a table, see mp-rename(1). A row with an error is reported and counted; a file that cannot
 * be read ends the program. Later rows win over earlier ones with the same tid, earlier patterns
 * over later ones, a tid over any pattern.
 */
void mp_tasknames_load(struct mp_tasknames *n, const char *path);

/* Adds a row of a table. Returns NULL, or what is wrong with the row (static). */
const char *mp_tasknames_row(struct mp_tasknames *n, struct mp_str row);

/*
 * The new name of a task. It is escaped, and so are the old name and the tid, as in a line; the tid
 * may be missing. Valid until release.
 */
struct mp_str mp_tasknames_name(struct mp_tasknames *n, struct mp_str tid, struct mp_str old);

/*
 * An event with its tasks renamed: in `buf`, or its own line if nothing changes. A name is the
 * value of a field whose name ends in "comm"; its task is that of the field that ends in "tid",
 * else "pid", with the same text before (.prev_comm and .prev_pid). Valid until `buf` changes.
 */
struct mp_str mp_tasknames_apply(struct mp_tasknames *n, const struct mp_rec *rec,
				 struct mp_buf *buf);

#endif
