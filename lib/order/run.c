// SPDX-License-Identifier: GPL-2.0-only
#include "lib/order/run.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { BUFFER = 256 << 10 };

struct head {
	uint64_t time_ns;
	uint32_t source;
	uint32_t len;
};

struct mp_run {
	int fd;
	char *buf;
	size_t start, end, cap; /* writing: end; reading: start..end */
	uint64_t bytes;
	const char *dir;
	bool at_end;
};

struct mp_run *mp_run_new(void)
{
	struct mp_run *r = mp_zalloc(sizeof(*r));
	const char *dir = getenv("TMPDIR");
	char *path;

	r->dir = dir && *dir ? dir : "/tmp";
	r->fd = open(r->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (r->fd < 0) { /* a file system without O_TMPFILE */
		path = mp_asprintf("%s/mp-order.XXXXXX", r->dir);
		r->fd = mkostemp(path, O_CLOEXEC);
		if (r->fd >= 0)
			unlink(path);
		free(path);
	}
	if (r->fd < 0)
		mp_die("cannot make a temporary file in '%s': %m (set TMPDIR, or give more "
		       "--memory)",
		       r->dir);
	r->cap = BUFFER;
	r->buf = mp_alloc(r->cap);
	return r;
}

void mp_run_free(struct mp_run *r)
{
	if (!r)
		return;
	close(r->fd);
	free(r->buf);
	free(r);
}

static void write_out(struct mp_run *r, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(r->fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			mp_die("cannot write a temporary file in '%s': %m (set TMPDIR, or give "
			       "more --memory)",
			       r->dir);
		data += n;
		len -= n;
	}
}

static void put(struct mp_run *r, const void *data, size_t len)
{
	r->bytes += len;
	if (r->cap - r->end < len) {
		write_out(r, r->buf, r->end);
		r->end = 0;
	}
	if (len > r->cap) {
		write_out(r, data, len);
		return;
	}
	memcpy(r->buf + r->end, data, len);
	r->end += len;
}

void mp_run_add(struct mp_run *r, uint64_t time_ns, size_t source, struct mp_str line)
{
	struct head h = { time_ns, (uint32_t)source, (uint32_t)line.len };

	put(r, &h, sizeof(h));
	put(r, line.p, line.len);
}

/* At least `want` bytes at hand, unless the file ends. */
static void fill(struct mp_run *r, size_t want)
{
	memmove(r->buf, r->buf + r->start, r->end - r->start);
	r->end -= r->start;
	r->start = 0;
	if (want > r->cap) {
		r->cap = want;
		r->buf = mp_realloc(r->buf, r->cap);
	}
	while (r->end < want) {
		ssize_t n = read(r->fd, r->buf + r->end, r->cap - r->end);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			mp_die("cannot read a temporary file: %m");
		if (n == 0)
			break;
		r->end += n;
	}
}

static struct head head_of(const struct mp_run *r)
{
	struct head h;

	memcpy(&h, r->buf + r->start, sizeof(h));
	return h;
}

/* Makes the head and its line whole in the buffer. */
static void load_head(struct mp_run *r)
{
	size_t have = r->end - r->start, want = sizeof(struct head);

	if (have >= want)
		want += head_of(r).len;
	if (have >= want)
		return;
	fill(r, want);
	if (r->end - r->start < sizeof(struct head)) {
		r->at_end = true;
		return;
	}
	want = sizeof(struct head) + head_of(r).len;
	if (r->end - r->start < want)
		fill(r, want);
}

void mp_run_rewind(struct mp_run *r)
{
	write_out(r, r->buf, r->end);
	r->start = r->end = 0;
	if (lseek(r->fd, 0, SEEK_SET) < 0)
		mp_die("cannot read a temporary file: %m");
	load_head(r);
}

bool mp_run_head(const struct mp_run *r, uint64_t *time_ns, size_t *source, struct mp_str *line)
{
	struct head h;

	if (r->at_end)
		return false;
	h = head_of(r);
	*time_ns = h.time_ns;
	*source = h.source;
	*line = (struct mp_str){ r->buf + r->start + sizeof(h), h.len };
	return true;
}

void mp_run_next(struct mp_run *r)
{
	r->start += sizeof(struct head) + head_of(r).len;
	load_head(r);
}

uint64_t mp_run_bytes(const struct mp_run *r)
{
	return r->bytes;
}
