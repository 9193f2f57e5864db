/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages between the collector and the writer, over a pair of sockets: a type, a body of bytes,
 * and sometimes descriptors. The collector does not trust the writer: a body is bounded, and read
 * by functions that check it. Includes cut, str, work.
 */
#ifndef MP_CAPTURE_SESSION_MESSAGE_H
#define MP_CAPTURE_SESSION_MESSAGE_H

#include "lib/capture/host/cut.h"
#include "lib/capture/host/work.h"
#include "lib/core/str.h"

enum mp_message_type {
	/* from the collector; the writer answers the first three with a message of the same type */
	/* struct mp_cut_place_request, with the open file; the answer is the places, or an error */
	MP_MESSAGE_PLACES,
	MP_MESSAGE_ADDRESS, /* name of a kernel symbol; the answer is a number */
	MP_MESSAGE_ROWS,    /* number of a file; the answer is its rows */
	MP_MESSAGE_PLAN,    /* struct mp_cut_plan, with the descriptors of enum mp_message_fd */
	MP_MESSAGE_NAMES,   /* the table of task names, as text: before MP_MESSAGE_START */
	MP_MESSAGE_START,   /* struct mp_message_start */
	MP_MESSAGE_END,	    /* struct mp_cut_end: answer to MP_MESSAGE_ENDED */

	/* from the writer; the answer to MP_MESSAGE_SPACE has the same type and no body */
	MP_MESSAGE_READY,	/* the first message: missing parts of the sandbox, a number */
	MP_MESSAGE_SPACE,	/* struct mp_cut_space */
	MP_MESSAGE_CGROUP,	/* id of a cgroup; the answer is its path */
	MP_MESSAGE_FORGET,	/* number of an address space */
	MP_MESSAGE_FORGET_FILE, /* number of a file */
	MP_MESSAGE_ALIVE, /* struct mp_message_alive: sent at intervals while the writer works */
	MP_MESSAGE_SAY,	  /* a text for stderr */
	MP_MESSAGE_STOP,  /* -n is reached, or the output has failed */
	MP_MESSAGE_ENDED, /* the last event was written */
	MP_MESSAGE_DONE,  /* struct mp_message_done: everything was written */

	/* from the process that compresses: wants a file; the answer has its descriptor, or an errno */
	MP_MESSAGE_FILE,
};

/* Descriptors that come with MP_MESSAGE_PLAN. */
enum mp_message_fd {
	MP_MESSAGE_OUTPUT,
	MP_MESSAGE_QUEUE_DATA,
	MP_MESSAGE_QUEUE_RETURNS,
	MP_MESSAGE_JOURNAL,
	MP_MESSAGE_FDS
};

struct mp_message {
	enum mp_message_type type;
	struct mp_buf body; /* the next message overwrites it */
	int fds[MP_MESSAGE_FDS];
	size_t n_fds;
	/* the time within which the rest of a message must follow its first bytes; 0: any */
	unsigned patience_s;
	uint64_t until_ns; /* private */
};

struct mp_message_start {
	uint64_t from_ns; /* when all events were enabled */
	char *header;	  /* JSON: header of the stream */
	/* for a writer that continues where others have died */
	bool again;
	uint64_t written; /* bytes of the output that they have written */
	struct mp_work_step *avoided;
	size_t n_avoided;
};

struct mp_message_alive {
	uint64_t written, lost; /* events so far */
};

struct mp_message_done {
	uint64_t error; /* errno of the first failed write of the output; 0: none failed */
	bool lossy;	/* something was lost, or may be wrong */
};

/*
 * Sends a message with up to MP_MESSAGE_FDS descriptors. Returns 0, or -1: the other side has
 * ended.
 */
int mp_message_send(int fd, enum mp_message_type type, struct mp_str body, const int *fds,
		    size_t n_fds);

/*
 * Waits for a message. Returns 0, or -1: the other side has ended, or has sent something that is
 * not a message.
 */
int mp_message_receive(int fd, struct mp_message *m);
void mp_message_release(struct mp_message *m);

/*
 * Convert bodies to bytes, and back. The latter return 0, or -1 if the bytes are damaged; then
 * there is nothing to release. The caller frees the texts and arrays that it got.
 */
void mp_message_put_request(struct mp_buf *to, const struct mp_cut_place_request *request);
int mp_message_get_request(struct mp_str from, struct mp_cut_place_request *request);

/*
 * `error` NULL: the places were found. Those of another file than `file`, which was asked for, are
 * refused, and those that are not part of a line of tracefs.
 */
void mp_message_put_places(struct mp_buf *to, const struct mp_cut_places *places,
			   const char *error);
int mp_message_get_places(struct mp_str from, const char *file, struct mp_cut_places *places,
			  char **error);

void mp_message_put_number(struct mp_buf *to, uint64_t number);
int mp_message_get_number(struct mp_str from, uint64_t *number);

/*
 * Refuses mappings that are not in order of address or overlap, numbers of files that are too
 * large, and the address space 0.
 */
void mp_message_put_space(struct mp_buf *to, const struct mp_cut_space *space);
int mp_message_get_space(struct mp_str from, struct mp_cut_space *space);

/* Refuses rows that are not in order of address. */
void mp_message_put_rows(struct mp_buf *to, const struct mp_cut_rows *rows);
int mp_message_get_rows(struct mp_str from, struct mp_cut_rows *rows);

void mp_message_put_start(struct mp_buf *to, const struct mp_message_start *start);
int mp_message_get_start(struct mp_str from, struct mp_message_start *start);

void mp_message_put_alive(struct mp_buf *to, const struct mp_message_alive *alive);
int mp_message_get_alive(struct mp_str from, struct mp_message_alive *alive);

void mp_message_put_done(struct mp_buf *to, const struct mp_message_done *done);
int mp_message_get_done(struct mp_str from, struct mp_message_done *done);

#endif
