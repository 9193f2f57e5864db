/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines in, bytes out. Output is flushed before a read that would block and when the buffer is
 * full, never per line: prompt when live, fast in bulk. Includes unpack.
 */
#ifndef MP_CORE_IO_H
#define MP_CORE_IO_H

#include <string.h>

#include "lib/core/unpack.h"

enum {
	/* the most bytes that a line may have, with its LF: see mp-stream(5) */
	MP_LINE_MAX = 1 << 20,
	MP_READ_SIZE = 256 << 10, /* bytes per read: measured 9 GB/s, and 7 GB/s with 64 KiB */
	/* size in bytes that pipes get: the most that an unprivileged user may set */
	MP_PIPE_SIZE = 1 << 20,
};

struct mp_out {
	int fd;
	const char *name; /* name of the file, for messages; borrowed */
	char *buf;
	size_t len;
	size_t cap;
	bool borrowed; /* `buf` is the caller's: mp_out_use() */
	int error;     /* errno of the first failed write, if `soft` is set */
	bool soft;     /* a failed write does not end the program: the caller looks at `error` */
	pid_t packer;  /* a child that compresses what is written to `fd`: see pack.h; 0: none */
	/* called before each read of an input that is tied to this output; NULL: nothing is */
	void (*before_read)(void *arg, int fd);
	void *before_read_arg;
};

/*
 * Writes to fd, which stays the caller's. Enlarges a pipe. Ends the program at once if fd is not
 * open for writing, before a recording or a long computation is lost.
 */
void mp_out_init(struct mp_out *out, int fd, const char *name);

/*
 * Writes to the file `path`, which it empties, or to standard output if that is NULL or "-". Ends
 * the program if it cannot. `*out` is as after mp_out_init().
 */
void mp_out_open(struct mp_out *out, const char *path);

/* Keeps what is written, all of it, in `buf`, until mp_out_close(). */
void mp_out_memory(struct mp_out *out);

/* Writes to `fd` instead of the file, which it closes unless that is a standard one. */
void mp_out_redirect(struct mp_out *out, int fd);

/* Lets the output use this buffer, of at least MP_READ_SIZE bytes, instead of one of its own. */
void mp_out_use(struct mp_out *out, char *buf, size_t cap);

/*
 * A failed write ends the program, unless `soft` is set: then it sets `error`, and all further
 * output is discarded.
 */
void mp_out_flush(struct mp_out *out);
void mp_out_spill(struct mp_out *out, const void *data, size_t len);

/*
 * Flushes and closes fd, and waits for the process that compresses: a full disk shows up here, or
 * nowhere. Frees the buffer.
 */
void mp_out_close(struct mp_out *out);

/*
 * Ends the program because a write has failed with `out->error`: without a message, by SIGPIPE, which
 * the shell must see, if the reader has closed the pipe.
 */
_Noreturn void mp_out_fail(const struct mp_out *out);

/* For a few lines: makes a copy of the text. */
void mp_out_printf(struct mp_out *out, const char *fmt, ...) MP_PRINTF(2, 3);

static inline void mp_out_write(struct mp_out *out, const void *data, size_t len)
{
	if (out->cap - out->len < len) {
		mp_out_spill(out, data, len);
		return;
	}
	if (len)
		memcpy(out->buf + out->len, data, len);
	out->len += len;
}

/*
 * Room for writing `len` bytes (at most MP_READ_SIZE) in place. The caller then passes the end of
 * what it wrote to mp_out_commit().
 */
static inline char *mp_out_reserve(struct mp_out *out, size_t len)
{
	if (out->cap - out->len < len)
		mp_out_flush(out);
	return out->buf + out->len;
}

static inline void mp_out_commit(struct mp_out *out, const char *end)
{
	out->len = end - out->buf;
}

struct mp_in {
	int fd;
	const char *name; /* name of the file, for messages; borrowed */
	struct mp_out *tied;
	char *buf;
	size_t start; /* first byte not yet returned */
	size_t end;
	size_t cap;
	uint64_t line;	/* number of the line last returned, from 1 */
	uint64_t bytes; /* that were read, decompressed */
	bool partial;	/* the line last returned had no LF: the input is truncated there */
	bool overlong;	/* the line last returned was longer than MP_LINE_MAX: it is empty */
	bool can_block; /* not a regular file: a read may wait */
	bool ended;	/* read(2) returned 0: a terminal could be read again after ^D */
	bool begun;	/* the first bytes have been read */
	struct mp_unpack *unpack; /* what decompresses the input; NULL: it is not compressed */
};

/*
 * Reads from fd, which stays the caller's, and decompresses what gzip(1) or zstd(1) have compressed.
 * `tied` (may be NULL) is flushed before a read that would block. Enlarges a pipe, and calls
 * mp_sigint_once() if fd is one.
 */
void mp_in_init(struct mp_in *in, int fd, const char *name, struct mp_out *tied);
void mp_in_release(struct mp_in *in);

/*
 * Next line without its newline, NUL-terminated, valid until the next call.
 * Returns 1, or 0 at the end; a read error ends the program.
 */
int mp_in_slow_line(struct mp_in *in, char **text, size_t *len);

static inline int mp_in_line(struct mp_in *in, char **text, size_t *len)
{
	char *line = in->buf + in->start;
	char *lf = memchr(line, '\n', in->end - in->start);

	if (!lf || lf - line >= MP_LINE_MAX)
		return mp_in_slow_line(in, text, len);
	*lf = '\0';
	*text = line;
	*len = lf - line;
	in->start += *len + 1;
	in->line++;
	in->partial = false;
	in->overlong = false;
	return 1;
}

/*
 * The unread bytes, which stay unread: at least `wanted` of them unless the input ends, read in as
 * many calls as that takes.
 */
size_t mp_in_peek(struct mp_in *in, size_t wanted, const char **data);

/* Skips unread bytes, at most as many as mp_in_peek() returned. */
static inline void mp_in_skip(struct mp_in *in, size_t n)
{
	in->start += n;
}

/*
 * After the last line: why there is no more, if compressed data ended early, such as "gzip data is
 * truncated". NULL if all is well.
 */
const char *mp_in_fault(const struct mp_in *in);

#endif
