/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asks a Java virtual machine to write /tmp/perf-PID.map, the names of the code that it has
 * compiled, by jcmd(1) of a JDK (17 or later: Compiler.perfmap). Includes libc only.
 */
#ifndef MP_CAPTURE_HOST_JCMD_H
#define MP_CAPTURE_HOST_JCMD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * The path of the first jcmd in PATH that only root and the user of this process could have changed,
 * as it could the folders that lead to it. NULL: there is none. The caller frees it.
 */
char *mp_jcmd_find(void);

/* Whether a process runs a Java virtual machine. */
bool mp_jcmd_is_jvm(pid_t pid);

enum mp_jcmd_result {
	MP_JCMD_DONE,
	MP_JCMD_FAILED,
	MP_JCMD_LATE,	 /* the process did not answer in time */
	MP_JCMD_DENIED,	 /* this process may not become the user of that one */
	MP_JCMD_STOPPED, /* `stop` became readable */
};

/*
 * Runs jcmd as the user of a process, without any rights of the caller: with its ids and groups, no
 * capabilities unless it is root, no descriptors, no environment. A process of root in another mount
 * namespace is refused, since it could lead jcmd to files of ours. `stop` is a descriptor.
 */
enum mp_jcmd_result mp_jcmd_ask(const char *jcmd, pid_t pid, int stop, int deadline_ms);

#endif
