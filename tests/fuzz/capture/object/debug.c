// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that belong together: a program and its debug file, or two states of a perf map. The first
 * byte says which, the next two how long the first file is. The answers of the process that opens
 * files wait in the socket.
 */
#include <stdlib.h>
#include <sys/socket.h>

#include "lib/capture/object/elfcfi.h"
#include "lib/capture/object/elfsym.h"
#include "lib/capture/object/perfmap.h"
#include "lib/capture/object/walk_rows.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { REQUESTS = MP_OPEN_PLACES };

struct files {
	struct mp_str first, second;
	int fd; /* each request is answered with it; it has the second file */
};

/* Answers request `number` with a descriptor. */
static void answer(int to, uint32_t number, int fd)
{
	struct mp_open_answer a = { number, 0 };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = "" };
	struct iovec data = { &a, sizeof(a) };
	struct msghdr m = { .msg_iov = &data,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (sendmsg(to, &m, 0) < 0)
		abort();
}

static void try_symbols(const struct files *f, struct mp_opener *o)
{
	static const struct mp_open_mapping m = { .pid = 0, .path = "/bin/x" };
	struct mp_limit limit = MP_LIMIT_INIT;
	int fd = memory_file(f->first.p, f->first.len);
	struct mp_elfsym *e = mp_elfsym_load(fd, o, &m, &limit);
	uint64_t start, addr;

	for (addr = 1; e && addr; addr <<= 4) {
		mp_elfsym_find(e, addr, &start);
		mp_elfsym_is_root(e, addr, false);
	}
	mp_elfsym_free(e);
	close(fd);
}

static void try_cfi(const struct files *f, struct mp_opener *o)
{
	static const struct mp_open_mapping m = { .pid = 0, .path = "/bin/x" };
	struct mp_limit limit = MP_LIMIT_INIT;
	struct mp_segments segments = { NULL, 0, 0 };
	int fd = memory_file(f->first.p, f->first.len);
	struct mp_cfi *cfi = mp_elfcfi_load(fd, o, &m, &segments, &limit);
	size_t n;

	if (cfi)
		free(mp_cfi_walk_rows(cfi, &n, &limit));
	mp_cfi_free(cfi);
	mp_segments_release(&segments);
	close(fd);
}

static bool has_room(void *arg, struct mp_perfmap *m)
{
	return mp_perfmap_bytes(m) < *(size_t *)arg;
}

/* Writes a file again, from the beginning. */
static void rewrite(int fd, struct mp_str text)
{
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text.p, text.len, 0) != (ssize_t)text.len)
		abort();
}

static void try_perfmap(const struct files *f, struct mp_opener *o)
{
	size_t room = 64 << 10;
	struct mp_perfmap m;
	uint64_t now_ns;

	mp_perfmap_init(&m, o, 1);
	for (now_ns = 1; now_ns <= REQUESTS; now_ns++) {
		rewrite(f->fd, now_ns % 2 ? f->first : f->second);
		mp_perfmap_update(&m, now_ns * 1000000000, has_room, &room);
		mp_perfmap_find(&m, 0x1000);
	}
	mp_perfmap_release(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const tries[])(const struct files *,
				     struct mp_opener *) = { try_symbols, try_cfi, try_perfmap };
	struct mp_str all = { (const char *)data + 3, size - 3 };
	struct mp_open_helper helper = { .requests = -1 };
	struct mp_opener opener;
	struct files f;
	uint32_t i;
	int pair[2];

	if (size < 3)
		return 0;
	f.first = (struct mp_str){ all.p, MP_MIN(data[1] | (size_t)data[2] << 8, all.len) };
	f.second = mp_str_skip(all, f.first.len);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) < 0)
		abort();
	helper.requests = helper.keeper = pair[0];
	mp_opener_init(&opener);
	opener.number = 0; /* the first request has the number 1 */
	mp_opener_use(&opener, &helper, NULL);
	f.fd = memory_file(f.second.p, f.second.len);
	for (i = 1; i <= REQUESTS; i++)
		answer(pair[1], i, f.fd);
	tries[data[0] % 3](&f, &opener);
	close(pair[0]);
	close(pair[1]);
	close(f.fd);
	return 0;
}
