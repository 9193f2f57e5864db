// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "lib/core/clock.h"

enum {
	FLUSH_MS = 500,
	/*
	 * Fast levels, since the machine that is recorded pays for it. From -6 on, zstd's steps are
	 * long enough to be fast in lines; from -1 to -4 files are as large, for more time.
	 */
	ZSTD_LEVEL = -6,
	GZIP_LEVEL = 1,
	GZIP_WINDOW = 15 + 16, /* the largest window, and gzip's header instead of zlib's */
	GZIP_MEMORY = 9,       /* the most */
	ROOM = 128 << 10,      /* for compressed bytes, at least, in each call */
};

const char *const mp_pack_names[] = { "none", "gzip", "zstd", NULL };

enum mp_pack_method mp_pack_of_path(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;

	if (dot && strcmp(dot, ".gz") == 0)
		return MP_PACK_GZIP;
	return dot && strcmp(dot, ".zst") == 0 ? MP_PACK_ZSTD : MP_PACK_NONE;
}

enum step { MORE, FLUSH, END };

struct packer {
	enum mp_pack_method method;
	ZSTD_CCtx *zstd;
	z_stream gzip;
	struct mp_out *out;
	const struct mp_pack_files *files; /* NULL: there is one file */
	bool begun;			   /* a file was begun */
	bool prompt;
	uint64_t flush_ns; /* 0: there is nothing to flush */
};

static bool init_packer(struct packer *p)
{
	if (p->method == MP_PACK_NONE)
		return true;
	if (p->method == MP_PACK_GZIP)
		return deflateInit2(&p->gzip, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, GZIP_MEMORY,
				    Z_DEFAULT_STRATEGY) == Z_OK;
	p->zstd = ZSTD_createCCtx();
	if (!p->zstd)
		return false;
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL);
	ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1);
	return true;
}

static void release_packer(struct packer *p)
{
	ZSTD_freeCCtx(p->zstd);
	if (p->method == MP_PACK_GZIP)
		deflateEnd(&p->gzip);
}

static void pack_zstd(struct packer *p, char *data, size_t len, enum step step)
{
	static const ZSTD_EndDirective how[] = { ZSTD_e_continue, ZSTD_e_flush, ZSTD_e_end };
	ZSTD_inBuffer in = { data, len, 0 };
	size_t rest;

	do {
		ZSTD_outBuffer to = { mp_out_reserve(p->out, ROOM), ROOM, 0 };

		rest = ZSTD_compressStream2(p->zstd, &to, &in, how[step]);
		mp_out_commit(p->out, (char *)to.dst + to.pos);
		if (ZSTD_isError(rest)) /* it needs memory when it begins */
			p->out->error = ENOMEM;
	} while (!p->out->error && (in.pos < in.size || (step != MORE && rest)));
}

static void pack_gzip(struct packer *p, char *data, size_t len, enum step step)
{
	static const int how[] = { Z_NO_FLUSH, Z_SYNC_FLUSH, Z_FINISH };
	z_stream *z = &p->gzip;

	z->next_in = (unsigned char *)data;
	z->avail_in = (unsigned)len;
	do {
		z->next_out = (unsigned char *)mp_out_reserve(p->out, ROOM);
		z->avail_out = ROOM;
		deflate(z, how[step]);
		mp_out_commit(p->out, (char *)z->next_out);
	} while (!z->avail_out);
	if (step == END)
		deflateReset(z);
}

static void pack(struct packer *p, char *data, size_t len, enum step step)
{
	if (p->method == MP_PACK_ZSTD)
		pack_zstd(p, data, len, step);
	else if (p->method == MP_PACK_GZIP)
		pack_gzip(p, data, len, step);
	else
		mp_out_write(p->out, data, len);
	if (step != MORE || p->method == MP_PACK_NONE)
		mp_out_flush(p->out);
	if (step != MORE)
		p->flush_ns = 0;
	else if (p->prompt && !p->flush_ns && p->method != MP_PACK_NONE)
		p->flush_ns = mp_monotonic_ns() + FLUSH_MS * 1000000ull;
}

static bool is_readable(int fd, int wait_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, wait_ms) != 0;
}

/* Ends the current file, if there is one, and begins the next. */
static void begin_file(struct packer *p)
{
	int fd;

	if (p->begun)
		pack(p, NULL, 0, END);
	p->begun = true;
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

static void pack_files(struct packer *p, char *data, size_t len)
{
	while (len && !p->out->error) {
		size_t n = p->files ? p->files->belong(p->files->arg, data, len) : len;

		if (!n) {
			begin_file(p);
			continue;
		}
		pack(p, data, n, MORE);
		data += n;
		len -= n;
	}
}

/* Returns the errno of what failed, or 0. */
static int copy(struct packer *p, int in, char *data)
{
	uint64_t now = 0;
	ssize_t n;

	while (!p->out->error) {
		if (p->flush_ns)
			now = mp_monotonic_ns();
		if (p->flush_ns && (now >= p->flush_ns ||
				    !is_readable(in, (int)((p->flush_ns - now) / 1000000) + 1))) {
			pack(p, NULL, 0, FLUSH);
			continue;
		}
		n = read(in, data, MP_READ_SIZE);
		if (n == 0)
			break;
		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0)
			pack_files(p, data, (size_t)n);
	}
	if (p->begun)
		pack(p, NULL, 0, END);
	return p->out->error;
}

int mp_pack_copy(enum mp_pack_method method, int in, struct mp_out *out, bool prompt,
		 const struct mp_pack_files *files)
{
	struct packer p = {
		.method = method, .out = out, .files = files, .begun = !files, .prompt = prompt
	};
	char *data = mp_alloc(MP_READ_SIZE);
	int error = ENOMEM;

	if (init_packer(&p)) {
		error = copy(&p, in, data);
		release_packer(&p);
	}
	free(data);
	return error;
}

/* Exits with the errno, which fits into an exit status. */
static _Noreturn void run(enum mp_pack_method method, int in, struct mp_out *out, bool prompt)
{
	mp_die_no_memory(ENOMEM);
	signal(SIGXFSZ, SIG_IGN);
	setsid(); /* ^C ends the program before the pipe, whose end ends this process */
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
	if (pipe2(ends, O_CLOEXEC) < 0 || (out->packer = fork()) < 0)
		mp_die("cannot start a process: %m");
	signal(SIGPIPE, SIG_IGN); /* a failed write has an errno */
	if (out->packer == 0) {
		close(ends[1]);
		run(method, ends[0], out, prompt);
	}
	close(ends[0]);
	mp_out_redirect(out, ends[1]);
}
