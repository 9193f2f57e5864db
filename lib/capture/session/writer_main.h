/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The writer's process: everything that reads what other users wrote. mp-record starts itself once
 * more, under the name MP_WRITER_NAME, with three sockets and without an environment. The process
 * enters a sandbox at once. Over the first socket it answers requests for the places of probes and
 * receives the plan, the output and the queue; then it writes the stream and ends. Over the other
 * two it requests files. Includes libc only.
 */
#ifndef MP_CAPTURE_SESSION_WRITER_MAIN_H
#define MP_CAPTURE_SESSION_WRITER_MAIN_H

#define MP_WRITER_NAME "mp-writer" /* argv[0] */
enum {
	MP_WRITER_SOCKET = 3,
	/* sockets of the process that opens files and of its keeper, see open_helper.h */
	MP_WRITER_REQUESTS,
	MP_WRITER_KEEPER,
	MP_WRITER_FDS
};

enum mp_writer_status {
	MP_WRITER_CANNOT_RESUME =
		3, /* the output of the process that has died cannot be continued */
	MP_WRITER_NO_MEMORY = 4,
};

/* Runs the process. `uid` is its last argument, for mp_sandbox_enter(). Returns its exit status. */
int mp_writer_main(const char *uid);

#endif
