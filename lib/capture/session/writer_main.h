/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The writer's process: everything that reads what other users wrote. mp-record starts itself once
 * more, under the name MP_WRITER_NAME, without an environment, and with one socket. The process enters
 * a sandbox at once. Over the socket it answers requests for the places of probes, gets the plan, the output and the queue, writes
 * the stream, and ends. Includes libc only.
 */
#ifndef MP_CAPTURE_SESSION_WRITER_MAIN_H
#define MP_CAPTURE_SESSION_WRITER_MAIN_H

#define MP_WRITER_NAME "mp-writer" /* argv[0] */
enum {
	MP_WRITER_SOCKET = 3,
	/* of the process that opens files, see open_client.h */
	MP_WRITER_REQUESTS,
	MP_WRITER_KEEPER,
	MP_WRITER_FDS
};

/* The process. `uid`: its last argument, for mp_sandbox_enter(). Returns its status. */
int mp_writer_main(const char *uid);

#endif
