/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of code from just-in-time compilers: they write them to /tmp/perf-PID.map while the process
 * runs (kernel source, tools/perf/Documentation/jit-interface.txt). Includes opener, symtab.
 */
#ifndef MP_CAPTURE_OBJECT_PERFMAP_H
#define MP_CAPTURE_OBJECT_PERFMAP_H

#include <sys/types.h>

#include "lib/capture/host/opener.h"
#include "lib/capture/object/symtab.h"

struct mp_perfmap {
	struct mp_opener *opener; /* borrowed */
	pid_t pid;
	uid_t uid; /* of the process; set by the caller */
	ino_t inode;
	off_t read;	    /* how many bytes of the file are in the table */
	uint64_t looked_ns; /* when the file was last examined */
	unsigned delay;	    /* grows while there is no file, or it is written again each time */
	bool refused;	    /* it is not a perf map, or there was no room for it, at refused_ns */
	uint64_t refused_ns;
	/* the last bytes that were read, by which a file that was written again is recognized */
	char last[64];
	size_t n_last;
	struct mp_symtab symbols;
};

/* The file of a process, for messages. */
enum { MP_PERFMAP_NAME_MAX = 32 };
void mp_perfmap_name(const struct mp_perfmap *m, char name[MP_PERFMAP_NAME_MAX]);

void mp_perfmap_init(struct mp_perfmap *m, struct mp_opener *opener, pid_t pid);
void mp_perfmap_release(struct mp_perfmap *m);

/* Forgets what was read; the file is read again when it is next due. */
void mp_perfmap_clear(struct mp_perfmap *m);

/*
 * Whether the file should be examined again: every 50 ms, less often while there is none, or while
 * it is written again each time.
 */
bool mp_perfmap_is_due(const struct mp_perfmap *m, uint64_t now_ns);

/*
 * Reads the lines that were added to the file, for up to 100 ms; if the file was written again,
 * reads all lines. `has_room` is asked before each 64 KiB; if there is no room, or a line is longer
 * than that, the rest of the file is refused for 10 s. Returns false if it is refused now.
 */
bool mp_perfmap_update(struct mp_perfmap *m, uint64_t now_ns,
		       bool (*has_room)(void *arg, struct mp_perfmap *m), void *arg);

/* The name of the code at an address, NULL if there is none. */
const char *mp_perfmap_find(const struct mp_perfmap *m, uint64_t addr);

/* Memory in use, in bytes. */
size_t mp_perfmap_bytes(const struct mp_perfmap *m);

/* Adds the lines of a text, "START SIZE NAME"; other lines are skipped. */
void mp_perfmap_parse(struct mp_symtab *symbols, struct mp_str text);

#endif
