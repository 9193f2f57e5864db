/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory of processes, read from /proc: what "mem:rss" and "mem:pss" of --stat are. Includes proc.
 */
#ifndef MP_CAPTURE_MEMSTAT_H
#define MP_CAPTURE_MEMSTAT_H

#include "lib/capture/proc.h"

enum mp_memstat {
	MP_MEM_NONE,
	MP_MEM_RSS, /* resident, shared pages in full: statm, some 10 us a process */
	MP_MEM_PSS, /* shared pages in part: smaps_rollup, which stops the process for us to ms */
};

/* What the name of an event means; MP_MEM_NONE if it is another. */
enum mp_memstat mp_memstat_find(const char *name);
const char *mp_memstat_name(enum mp_memstat what);

/* Bytes of a process. False if it is gone, has none (a kernel thread), or may not be read. */
bool mp_memstat_read(enum mp_memstat what, pid_t pid, uint64_t *bytes);

#endif
