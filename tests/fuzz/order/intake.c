// SPDX-License-Identifier: GPL-2.0-only
/* A thread that reads ahead finds the lines that reading at once, in one buffer, finds. */
#include "lib/order/intake.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { BUFFERS = 3 };

struct found {
	uint64_t lines, bad, bytes, hash;
};

static void count(struct found *f, const struct mp_intake_buffer *b)
{
	size_t i;

	for (i = 0; i < b->n; i++) {
		f->lines++;
		f->bad += b->lines[i].why != NULL;
		f->bytes += b->lines[i].len;
		f->hash = f->hash * 31 + b->lines[i].kind + b->lines[i].time_ns;
	}
}

static struct found at_once(int fd, size_t size)
{
	struct mp_intake in = { .fd = fd, .name = "memory", .end = (off_t)size };
	struct mp_intake_buffer b = { .data = mp_alloc(size + 1), .cap = size + 1 };
	struct found f = { 0, 0, 0, 0 };

	while (!b.end) {
		mp_intake_read(&in, &b);
		count(&f, &b);
	}
	free(b.data);
	free(b.lines);
	return f;
}

/*
 * `room`: for the bytes of a buffer; a line may be longer than half of it only if it is the last.
 */
static struct found ahead(int fd, size_t size, size_t room)
{
	struct mp_intake in = { .fd = fd, .name = "memory", .end = (off_t)size };
	struct mp_intake_buffer b[BUFFERS] = { { .data = NULL } }, *full;
	struct found f = { 0, 0, 0, 0 };
	bool end = false;
	size_t i;

	mp_intake_start(&in);
	for (i = 0; i < BUFFERS; i++) {
		b[i].data = mp_alloc(room);
		b[i].cap = room;
		mp_intake_give(&in, &b[i]);
	}
	while (!end) {
		full = mp_intake_take(&in);
		count(&f, full);
		end = full->end;
		if (!end)
			mp_intake_give(&in, full);
	}
	mp_intake_stop(&in);
	for (i = 0; i < BUFFERS; i++) {
		free(b[i].data);
		free(b[i].lines);
	}
	return f;
}

static size_t longest_line(const uint8_t *p, size_t size)
{
	size_t longest = 0, begin = 0, i;

	for (i = 0; i < size; i++)
		if (p[i] == '\n') {
			longest = MP_MAX(longest, i - begin);
			begin = i + 1;
		}
	return MP_MAX(longest, size - begin);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memory_file(data, size);
	struct found a = at_once(fd, size), b = ahead(fd, size, longest_line(data, size) + 2);

	if (memcmp(&a, &b, sizeof(a)) != 0)
		abort();
	close(fd);
	return 0;
}
