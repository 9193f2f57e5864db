/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The writer's process: everything that reads what other users wrote. mp-record starts itself once
 * more, under the name MP_WRITER_NAME, with an environment of PATH alone, and with one socket. Over it the
 * process answers requests for the places of probes, gets the plan, the output and the queue, writes
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
};

/* The process. Returns its status. */
int mp_writer_main(void);

#endif
