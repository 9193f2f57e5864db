// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "lib/core/clock.h"

enum {
	FLUSH_MS = 500,
	/*
	 * A frame (of zstd) or a member (of gzip). zstd does not copy the data of a frame that it gets
	 * as a whole, which halves its time; files are 5 % larger than if they were one frame.
	 */
	CHUNK = 512 << 10,
	/*
	 * Fast levels, since the machine that is recorded pays for it. From -6 on, zstd's steps are
	 * long enough to be fast in lines; from -1 to -4 files are as large, for more time.
	 */
	ZSTD_LEVEL = -6,
	GZIP_LEVEL = 1,
	GZIP_WINDOW = 15 + 16, /* the largest window, and gzip's header instead of zlib's */
	GZIP_MEMORY = 9,       /* the most */
};

const char *const mp_pack_names[] = { "none", "gzip", "zstd", NULL };

enum mp_pack_method mp_pack_of_path(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	if (dot && strcmp(dot, ".gz") == 0)
		return MP_PACK_GZIP;
	return dot && strcmp(dot, ".zst") == 0 ? MP_PACK_ZSTD : MP_PACK_NONE;
}

struct packer {
	enum mp_pack_method method;
	ZSTD_CCtx *zstd;
	z_stream gzip;
	struct mp_out *out;
	const struct mp_pack_files *files; /* NULL: there is one file */
	bool begun;			   /* a file was begun */
	bool open;			   /* and needs the end of a frame to be complete */
	bool prompt;
	uint64_t due_ns; /* when the data is to be written, if prompt */
	char *data;	 /* not compressed yet, at most CHUNK bytes */
	size_t len;
	char *packed;
	size_t room; /* for a compressed chunk */
};

static bool init_packer(struct packer *p)
{
	p->data = mp_alloc(CHUNK);
	if (p->method == MP_PACK_NONE)
		return true;
	p->room = ZSTD_compressBound(CHUNK);
	p->packed = mp_alloc(p->room);
	if (p->method == MP_PACK_GZIP)
		return deflateInit2(&p->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
				    Z_DEFAULT_STRATEGY) == Z_OK;
	p->zstd = ZSTD_createCCtx();
	if (!p->zstd)
		return false;
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	return true;
}

static void release_packer(struct packer *p)
{
	ZSTD_freeCCtx(p->zstd);
	if (p->method == MP_PACK_GZIP)
		deflateEnd(&p->gzip);
	free(p->packed);
	free(p->data);
}

static void pack_zstd(struct packer *p, char *data, size_t len, bool end)
{
	ZSTD_inBuffer in = { data, len, 0 };
	size_t rest;

	do {
		ZSTD_outBuffer to = { p->packed, p->room, 0 };

		rest = ZSTD_compressStream2(p->zstd, &to, &in, end ? ZSTD_e_end : ZSTD_e_flush);
		mp_out_write(p->out, p->packed, to.pos);
		if (ZSTD_isError(rest)) /* it needs memory when it begins */
			p->out->error = ENOMEM;
	} while (!p->out->error && rest);
}

static void pack_gzip(struct packer *p, char *data, size_t len, bool end)
{
	z_stream *z = &p->gzip;

	z->next_in = (unsigned char *)data;
	z->avail_in = (unsigned)len;
	do {
		z->next_out = (unsigned char *)p->packed;
		z->avail_out = (unsigned)p->room;
		deflate(z, end ? Z_FINISH : Z_SYNC_FLUSH);
		mp_out_write(p->out, p->packed, p->room - z->avail_out);
	} while (!z->avail_out);
	if (end)
		deflateReset(z);
}

/* Writes data so that it can be read, and with `end` completes the file for now. */
static void pack(struct packer *p, char *data, size_t len, bool end)
{
	if (p->method == MP_PACK_ZSTD)
		pack_zstd(p, data, len, end);
	else if (p->method == MP_PACK_GZIP)
		pack_gzip(p, data, len, end);
	else
		mp_out_write(p->out, data, len);
	mp_out_flush(p->out);
	p->open = !end;
}

static void end_file(struct packer *p)
{
	if (p->begun && p->open)
		pack(p, NULL, 0, true);
}

static void begin_file(struct packer *p)
{
	int fd;

	end_file(p);
	p->begun = p->open = true;
	if (p->out->error)
		return;
	fd = p->files->next(p->files->arg);
	if (fd < 0)
		p->out->error = errno;
	else if (close(p->out->fd) < 0)
		p->out->error = errno;
	if (fd >= 0)
		p->out->fd = fd;
}

/* Writes what was read. A frame that is not full stays open: what comes next is compressed with it. */
static void write_chunk(struct packer *p)
{
	bool full = p->len == CHUNK;
	char *data = p->data;

	while (p->len && !p->out->error) {
		size_t n = p->files ? p->files->belong(p->files->arg, data, p->len) : p->len;

		if (n)
			pack(p, data, n, full);
		else
			begin_file(p);
		data += n;
		p->len -= n;
	}
}

static bool is_readable(int fd, int wait_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, wait_ms) != 0;
}

/* Whether what was read has waited long enough; if not, waits for more. */
static bool is_due(const struct packer *p, int in)
{
	uint64_t now;

	if (!p->prompt || !p->len)
		return false;
	now = mp_monotonic_ns();
	return now >= p->due_ns || !is_readable(in, (int)((p->due_ns - now) / 1000000) + 1);
}

/* Returns the errno of what failed, or 0. */
static int copy(struct packer *p, int in)
{
	ssize_t n;

	while (!p->out->error) {
		if (is_due(p, in)) {
			write_chunk(p);
			continue;
		}
		n = read(in, p->data + p->len, CHUNK - p->len);
		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0 && !p->len)
			p->due_ns = mp_monotonic_ns() + FLUSH_MS * 1000000ull;
		if (n > 0)
			p->len += (size_t)n;
		if (p->len == CHUNK || p->method == MP_PACK_NONE)
			write_chunk(p);
	}
	write_chunk(p);
	end_file(p);
	return p->out->error;
}

int mp_pack_copy(enum mp_pack_method method, int in, struct mp_out *out, bool prompt,
		 const struct mp_pack_files *files)
{
	struct packer p = { .method = method,
			    .out = out,
			    .files = files,
			    .begun = !files,
			    .open = !files,
			    .prompt = prompt };
	int error = init_packer(&p) ? copy(&p, in) : ENOMEM;

	release_packer(&p);
	return error;
}

int mp_pack_channel(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}

/* Exits with the errno, which fits into an exit status. */
static _Noreturn void run(enum mp_pack_method method, int in, struct mp_out *out, bool prompt)
{
	mp_die_no_memory(ENOMEM);
	signal(SIGXFSZ, SIG_IGN);
	setsid(); /* ^C ends the program before the socket, whose end ends this process */
	out->soft = true;
	_exit(mp_pack_copy(method, in, out, prompt, NULL));
}

void mp_pack_start(enum mp_pack_method method, struct mp_out *out, bool prompt)
{
	int ends[2];

	if (method == MP_PACK_NONE)
		return;
	if (isatty(out->fd))
		mp_usage("refusing to write binary data to a terminal");
	if (mp_pack_channel(ends) < 0 || (out->packer = fork()) < 0)
		mp_die("cannot start a process: %m");
	signal(SIGPIPE, SIG_IGN); /* a failed write has an errno */
	if (out->packer == 0) {
		close(ends[1]);
		run(method, ends[0], out, prompt);
	}
	close(ends[0]);
	mp_out_redirect(out, ends[1]);
}
