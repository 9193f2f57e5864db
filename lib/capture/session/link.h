/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The collector's end of the writer's process: starts it, hands it the plan, serves it while it
 * writes, and notices its end. What it sends is data (message.h): it can give wrong names to stacks,
 * and nothing worse. Includes bpfstack, cut_plan, message, open_helper, proc, sandbox, taskname.
 */
#ifndef MP_CAPTURE_SESSION_LINK_H
#define MP_CAPTURE_SESSION_LINK_H

#include <sys/types.h>

#include "lib/capture/bpf/bpfstack.h"
#include "lib/capture/host/cut_plan.h"
#include "lib/capture/host/open_helper.h"
#include "lib/capture/host/proc.h"
#include "lib/capture/sandbox/sandbox.h"
#include "lib/capture/session/message.h"
#include "lib/stream/taskname.h"

struct mp_link;

/*
 * Starts the process, which waits for requests, and the one that opens files for it; before there are
 * threads. Ends the program on failure.
 */
struct mp_link *mp_link_start(void);

/* Appends it, and the process that opens files for it. */
void mp_link_processes(const struct mp_link *l, struct mp_pids *to);

/* The process; 0: it has ended. */
pid_t mp_link_pid(const struct mp_link *l);

/* The uids that the process, and those of other recordings, may have in their sandboxes. */
const struct mp_sandbox_uids *mp_link_uids(const struct mp_link *l);

/* The parts of a sandbox (1 << MP_SANDBOX_UID and so on) that the process has not got. */
uint32_t mp_link_missing(struct mp_link *l);

/* Asks the process that was started last for places of probes; starts one if there is none. */
extern const struct mp_cut_files mp_link_files;

/* Hands over what it needs to write. `fds`: see enum mp_message_fd. `names` NULL: no table of names. */
void mp_link_hand_over(struct mp_link *l, const struct mp_cut_plan *plan,
		       const int fds[MP_MESSAGE_FDS], const struct mp_tasknames *names);

/* All events are enabled: the writer writes the header and begins. */
void mp_link_go(struct mp_link *l, const struct mp_message_start *start);

/* An mp_cut_rows_fn; `link` is the struct mp_link. To be called in mp_link_serve() only. */
void mp_link_rows(void *link, uint32_t file, struct mp_cut_rows *answer);

struct mp_link_service {
	struct mp_bpf_stacks *stacks; /* gets mappings; NULL: there are none */
	void (*stop)(void *arg);      /* the writer has written all that it is to write */
	void (*tick)(void *arg);      /* called about ten times a second */
	void *arg;
};

/* Serves until the last event is written. 0, or -1: the process has ended before that. */
int mp_link_serve(struct mp_link *l, const struct mp_link_service *service);

/* Lets it write the trailer, and waits for its end. 0, or -1: it has ended before it was done. */
int mp_link_end(struct mp_link *l, const struct mp_cut_end *end, struct mp_message_done *done);
void mp_link_free(struct mp_link *l);

#endif
