// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Sizes of buffers: the first one, and the largest one when there is a file, which fits into the
 * processor's cache.
 */
enum { FIRST = 64 << 10, PIECE = 256 << 10 };

static const char *folder(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && *dir ? dir : "/tmp";
}

void mp_spill_init(struct mp_spill *s, size_t kept, const char *remedy)
{
	*s = (struct mp_spill){ .fd = -1, .kept = kept, .remedy = remedy };
}

void mp_spill_release(struct mp_spill *s)
{
	free(s->buf);
	if (s->fd >= 0)
		close(s->fd);
	mp_spill_init(s, s->kept, s->remedy);
}

static void open_file(struct mp_spill *s)
{
	char *path;

	s->fd = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (s->fd >= 0)
		return;
	path = mp_asprintf("%s/mp.XXXXXX", folder()); /* a file system without O_TMPFILE */
	s->fd = mkostemp(path, O_CLOEXEC);
	if (s->fd < 0)
		mp_die("cannot make a temporary file in '%s': %m (%s)", folder(), s->remedy);
	unlink(path);
	free(path);
}

static void write_out(struct mp_spill *s, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(s->fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			mp_die("cannot write a temporary file in '%s': %m (%s)", folder(),
			       s->remedy);
		data += n;
		len -= n;
	}
}

void mp_spill_more(struct mp_spill *s, const void *data, size_t len)
{
	s->bytes += len;
	if (s->fd < 0 && s->len + len <= s->kept) {
		s->cap = MP_MIN(MP_MAX(MP_MAX(2 * s->cap, s->len + len), (size_t)FIRST), s->kept);
		s->buf = mp_realloc(s->buf, s->cap);
		memcpy(s->buf + s->len, data, len);
		s->len += len;
		return;
	}
	if (s->fd < 0)
		open_file(s);
	write_out(s, s->buf, s->len);
	s->len = 0;
	if (s->cap > PIECE) {
		s->cap = PIECE;
		s->buf = mp_realloc(s->buf, s->cap);
	}
	if (len > s->cap) {
		write_out(s, data, len);
		return;
	}
	memcpy(s->buf, data, len);
	s->len = len;
}

void mp_spill_read_at(struct mp_spill *s, uint64_t at, char *to, size_t len)
{
	uint64_t filed = s->bytes - s->len; /* the rest is in memory */
	ssize_t n;

	while (len && at < filed) {
		n = pread(s->fd, to, MP_MIN((uint64_t)len, filed - at), (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			mp_die("cannot read a temporary file: %m");
		at += n;
		to += n;
		len -= n;
	}
	if (len)
		memcpy(to, s->buf + (at - filed), len);
}

void mp_spill_rewind(struct mp_spill *s)
{
	s->at = 0;
	if (s->fd < 0)
		return;
	write_out(s, s->buf, s->len);
	free(s->buf);
	s->buf = NULL;
	s->len = s->cap = 0;
	if (lseek(s->fd, 0, SEEK_SET) < 0)
		mp_die("cannot read a temporary file: %m");
}

size_t mp_spill_read(struct mp_spill *s, void *to, size_t len)
{
	size_t done = 0;
	ssize_t n;

	if (s->fd < 0) {
		len = MP_MIN(len, s->len - s->at);
		if (len)
			memcpy(to, s->buf + s->at, len);
		s->at += len;
		return len;
	}
	while (done < len) {
		n = read(s->fd, (char *)to + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			mp_die("cannot read a temporary file: %m");
		if (n == 0)
			break;
		done += n;
	}
	return done;
}
