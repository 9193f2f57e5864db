/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The collector's link to the writer's process: starts the process, hands it the plan, serves it
 * while it writes, and notices its end. The process sends only data (message.h): at worst, it gives
 * wrong names to stacks. If it dies, another one can continue. Includes bpfstack, cut_plan,
 * journal, message, open_helper, proc, queue, sandbox, taskname.
 */
#ifndef MP_CAPTURE_SESSION_LINK_H
#define MP_CAPTURE_SESSION_LINK_H

#include <sys/types.h>

#include "lib/capture/bpf/bpfstack.h"
#include "lib/capture/host/cut_plan.h"
#include "lib/capture/host/open_helper.h"
#include "lib/capture/host/proc.h"
#include "lib/capture/ring/queue.h"
#include "lib/capture/sandbox/sandbox.h"
#include "lib/capture/session/journal.h"
#include "lib/capture/session/message.h"
#include "lib/stream/taskname.h"

struct mp_link;

/*
 * Starts the process, which waits for requests, and the process that opens files for it. To be
 * called before there are threads. Ends the program on failure.
 */
struct mp_link *mp_link_start(void);

/* These processes, and those that replace them, get the nice value -20 if that is permitted. */
void mp_link_hurry(struct mp_link *l);

/* Appends the process, and those that open files for it. */
void mp_link_processes(const struct mp_link *l, struct mp_pids *to);

/* The pid of the process; 0: it has ended. */
pid_t mp_link_pid(const struct mp_link *l);

/* The range of uids that the process, like those of other recordings, may take in its sandbox. */
const struct mp_sandbox_uids *mp_link_uids(const struct mp_link *l);

/* The parts of a sandbox (1 << MP_SANDBOX_UID and so on) that the process lacks. */
uint32_t mp_link_missing(struct mp_link *l);

/* Asks the process that was started last for the places of probes; starts one if there is none. */
extern const struct mp_cut_files mp_link_files;

/* What the process needs to write. Borrowed until mp_link_free(). */
struct mp_link_handover {
	const struct mp_cut_plan *plan;
	int output;
	struct mp_queue_fds queue;
	struct mp_journal *journal;
	const struct mp_tasknames *names; /* NULL: there is no table of names */
};

void mp_link_hand_over(struct mp_link *l, const struct mp_link_handover *h);

/*
 * To be called when all events are enabled: the writer writes the header and begins. `header` is
 * JSON.
 */
void mp_link_go(struct mp_link *l, uint64_t from_ns, const char *header);

/* An mp_cut_rows_fn; `link` is the struct mp_link. To be called in mp_link_serve() only. */
void mp_link_rows(void *link, uint32_t file, struct mp_cut_rows *answer);

struct mp_link_service {
	struct mp_bpf_stacks *stacks; /* gets mappings; NULL: there are none */
	void (*stop)(void *arg);      /* -n is reached, or the output has failed */
	void (*tick)(void *arg);      /* called about ten times a second */
	/* called about four times a second with the number of events so far */
	void (*show)(void *arg, uint64_t written, uint64_t lost);
	void *arg;
};

/*
 * Serves the process until it has written the last event. Returns 0, or -1: it has ended before
 * that.
 */
int mp_link_serve(struct mp_link *l, const struct mp_link_service *service);

/*
 * Lets the process write the trailer, and waits for its end. Returns 0, or -1: it ended before it
 * was done.
 */
int mp_link_end(struct mp_link *l, const struct mp_cut_end *end, struct mp_message_done *done);

/*
 * Starts another process after mp_link_serve() or mp_link_end() has failed, which continues where
 * the last one has died once it got mp_link_hand_over() and mp_link_go(). -1: that would be futile,
 * or is impossible.
 */
int mp_link_restart(struct mp_link *l);

/* How many processes were started after the first one. */
size_t mp_link_restarts(const struct mp_link *l);
void mp_link_free(struct mp_link *l);

#endif
