// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether fd was opened for reading, or for writing; a reserved one (see mp_init()) is neither. */
static bool opened_for(int fd, int mode)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !(flags & O_PATH) &&
	       ((flags & O_ACCMODE) == O_RDWR || (flags & O_ACCMODE) == mode);
}

void mp_out_init(struct mp_out *out, int fd, const char *name)
{
	if (!opened_for(fd, O_WRONLY)) {
		errno = EBADF;
		mp_die("cannot write '%s': %m", name);
	}
	*out = (struct mp_out){ .fd = fd, .name = name, .cap = MP_READ_SIZE };
	out->buf = mp_alloc(out->cap);
	fcntl(fd, F_SETPIPE_SZ, MP_PIPE_SIZE); /* fails, harmlessly, on other files */
}

void mp_out_open(struct mp_out *out, const char *path)
{
	int fd = STDOUT_FILENO;

	if (path && strcmp(path, "-") != 0) {
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0)
			mp_die("cannot write '%s': %m", path);
	} else {
		path = "stdout";
	}
	mp_out_init(out, fd, path);
}

void mp_out_memory(struct mp_out *out)
{
	*out = (struct mp_out){ .fd = -1, .name = "memory", .cap = MP_READ_SIZE };
	out->buf = mp_alloc(out->cap);
}

/* Makes room for `len` more bytes in an output that is kept in memory. */
static void keep(struct mp_out *out, size_t len)
{
	while (out->cap - out->len < len)
		out->cap *= 2;
	out->buf = mp_realloc(out->buf, out->cap);
}

void mp_out_redirect(struct mp_out *out, int fd)
{
	if (out->fd > STDERR_FILENO)
		close(out->fd);
	out->fd = fd;
}

void mp_out_use(struct mp_out *out, char *buf, size_t cap)
{
	free(out->buf);
	out->buf = buf;
	out->cap = cap;
	out->borrowed = true;
}

void mp_out_fail(const struct mp_out *out)
{
	sigset_t set;

	errno = out->error;
	if (out->error != EPIPE)
		mp_die("cannot write '%s': %m", out->name);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGPIPE);
	exit(MP_FAIL);
}

/* Finds out what failed in the process that compresses, if there is one. */
static void wait_for_packer(struct mp_out *out)
{
	int status = 0;

	while (out->packer && waitpid(out->packer, &status, 0) < 0 && errno == EINTR)
		;
	out->packer = 0;
	if (WIFSIGNALED(status)) {
		mp_say("the process that compresses the output was killed by signal %d",
		       WTERMSIG(status));
		out->error = EIO;
	} else if (WEXITSTATUS(status)) {
		out->error = WEXITSTATUS(status);
	}
}

static void write_all(struct mp_out *out, const char *data, size_t len)
{
	while (len && !out->error) {
		ssize_t n = write(out->fd, data, len);

		if (n >= 0) {
			data += n;
			len -= n;
		} else if (errno == EAGAIN) {
			poll(&(struct pollfd){ .fd = out->fd, .events = POLLOUT }, 1, -1);
		} else if (errno != EINTR) {
			out->error = errno;
		}
	}
	if (out->error == EPIPE)
		wait_for_packer(out);
	if (out->error && !out->soft)
		mp_out_fail(out);
}

void mp_out_flush(struct mp_out *out)
{
	if (out->fd < 0) {
		keep(out, MP_READ_SIZE);
		return;
	}
	write_all(out, out->buf, out->len);
	out->len = 0;
}

void mp_out_spill(struct mp_out *out, const void *data, size_t len)
{
	if (out->fd < 0)
		keep(out, len);
	else
		mp_out_flush(out);
	if (out->fd >= 0 && len >= out->cap) {
		write_all(out, data, len);
		return;
	}
	memcpy(out->buf + out->len, data, len);
	out->len += len;
}

void mp_out_printf(struct mp_out *out, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mp_vasprintf(fmt, ap);
	va_end(ap);
	mp_out_write(out, text, strlen(text));
	free(text);
}

void mp_out_close(struct mp_out *out)
{
	if (out->fd >= 0) {
		mp_out_flush(out);
		if (close(out->fd) < 0 && !out->error)
			out->error = errno;
		wait_for_packer(out);
	}
	if (out->error && !out->soft)
		mp_out_fail(out);
	if (!out->borrowed)
		free(out->buf);
	out->buf = NULL;
}

void mp_in_init(struct mp_in *in, int fd, const char *name, struct mp_out *tied)
{
	struct stat st;

	*in = (struct mp_in){ .fd = fd, .name = name, .tied = tied, .cap = MP_READ_SIZE };
	in->buf = mp_alloc(in->cap + 1);
	in->can_block = fstat(fd, &st) < 0 || !S_ISREG(st.st_mode);
	if (in->can_block && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode))) {
		fcntl(fd, F_SETPIPE_SZ, MP_PIPE_SIZE);
		mp_sigint_once();
	}
}

void mp_in_release(struct mp_in *in)
{
	free(in->buf);
	in->buf = NULL;
	mp_unpack_free(in->unpack);
	in->unpack = NULL;
}

/* Reads once from the file. An mp_unpack_read_fn. */
static size_t read_file(void *arg, char *to, size_t len)
{
	struct mp_in *in = arg;
	struct pollfd pfd = { .fd = in->fd, .events = POLLIN };
	ssize_t n;

	if (in->tied && in->tied->before_read)
		in->tied->before_read(in->tied->before_read_arg, in->fd);
	if (in->tied && in->tied->len && in->can_block && poll(&pfd, 1, 0) == 0)
		mp_out_flush(in->tied);
	do {
		n = read(in->fd, to, len);
		if (n < 0 && errno == EAGAIN)
			poll(&pfd, 1, -1);
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n < 0)
		mp_die("cannot read '%s': %m", in->name);
	return n;
}

static size_t read_some(struct mp_in *in, char *to, size_t len)
{
	size_t n;

	if (!in->begun) {
		in->begun = true;
		in->unpack = mp_unpack_begin(read_file, in, to, len, &n);
		if (!in->unpack)
			return n;
	}
	return in->unpack ? mp_unpack_read(in->unpack, read_file, in, to, len)
			  : read_file(in, to, len);
}

/* Moves the unread bytes to the front and reads once after them; false at the end. */
static bool fill(struct mp_in *in)
{
	size_t kept = in->end - in->start, n;

	if (kept)
		memmove(in->buf, in->buf + in->start, kept);
	in->start = 0;
	in->end = kept;
	if (in->cap - kept < MP_READ_SIZE / 2) {
		in->cap *= 2;
		in->buf = mp_realloc(in->buf, in->cap + 1);
	}
	if (in->ended)
		return false;
	n = read_some(in, in->buf + kept, in->cap - kept);
	in->end += n;
	in->bytes += n;
	in->ended = n == 0;
	return n > 0;
}

/* The line at `start` is too long: drop it up to its LF. */
static int skip_overlong(struct mp_in *in, char **text, size_t *len)
{
	char *lf;

	for (;;) {
		lf = memchr(in->buf + in->start, '\n', in->end - in->start);
		if (lf)
			break;
		in->start = in->end = 0;
		if (!fill(in))
			break;
	}
	in->start = lf ? (size_t)(lf + 1 - in->buf) : in->end;
	in->line++;
	in->overlong = true;
	in->partial = !lf;
	in->buf[in->cap] = '\0';
	*text = in->buf + in->cap;
	*len = 0;
	return 1;
}

int mp_in_slow_line(struct mp_in *in, char **text, size_t *len)
{
	size_t searched = in->end - in->start;
	char *lf;

	for (;;) {
		if (searched >= MP_LINE_MAX)
			return skip_overlong(in, text, len);
		if (!fill(in))
			break;
		lf = memchr(in->buf + searched, '\n', in->end - searched);
		if (lf && (size_t)(lf - in->buf) >= MP_LINE_MAX)
			return skip_overlong(in, text, len);
		if (lf)
			return mp_in_line(in, text, len);
		searched = in->end;
	}
	if (in->start == in->end)
		return 0;
	*text = in->buf + in->start;
	*len = in->end - in->start;
	in->buf[in->end] = '\0';
	in->start = in->end;
	in->line++;
	in->partial = true;
	in->overlong = false;
	return 1;
}

size_t mp_in_peek(struct mp_in *in, size_t wanted, const char **data)
{
	while (in->end - in->start < wanted && fill(in))
		;
	*data = in->buf + in->start;
	return in->end - in->start;
}

const char *mp_in_fault(const struct mp_in *in)
{
	return in->unpack ? mp_unpack_fault(in->unpack) : NULL;
}
