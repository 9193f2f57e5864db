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
	ino_t inode;
	off_t read;	    /* how many bytes of the file are in the table */
	uint64_t looked_ns; /* when the file was last examined */
	struct mp_symtab symbols;
};

void mp_perfmap_init(struct mp_perfmap *m, struct mp_opener *opener, pid_t pid);
void mp_perfmap_release(struct mp_perfmap *m);

/*
 * The name of the code at an address, NULL if there is none. Reads lines that were added to the
 * file, at most every 50 ms; `now_ns` may be of any clock.
 */
const char *mp_perfmap_find(struct mp_perfmap *m, uint64_t addr, uint64_t now_ns);

/* Adds the lines of a text, "START SIZE NAME"; other lines are skipped. */
void mp_perfmap_parse(struct mp_symtab *symbols, struct mp_str text);

#endif
