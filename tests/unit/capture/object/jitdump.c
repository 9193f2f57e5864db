// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests logs of just-in-time compilers: reads a handmade file that grows, with code that is loaded,
 * replaced and moved, and call frame information; truncated at each byte and with each byte changed.
 */
#include "lib/capture/object/jitdump.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/core/clock.h"
#include "tests/unit/tap.h"

enum { X86_64 = 62, LOAD = 0, MOVE = 1, DEBUG_INFO = 2, CLOSE = 3, UNWINDING = 4 };

static struct image {
	uint8_t bytes[128 << 10];
	size_t len;
} image;

static void put(const void *data, size_t size)
{
	memcpy(image.bytes + image.len, data, size);
	image.len += size;
}

static void put_number(uint64_t v, size_t size)
{
	put(&v, size);
}

static void begin_file(uint64_t flags)
{
	static const uint32_t head[] = { 0x4a695444, 1, 40, X86_64, 0, 99 };

	image.len = 0;
	put(head, sizeof(head));
	put_number(1, 8);
	put_number(flags, 8);
}

static void put_record(uint32_t id, size_t size, uint64_t time_ns)
{
	put_number(id, 4);
	put_number(16 + size, 4);
	put_number(time_ns, 8);
}

static void put_load(uint64_t time_ns, uint64_t start, uint64_t size, const char *name)
{
	static const uint8_t code[4096];

	put_record(LOAD, 40 + strlen(name) + 1 + size, time_ns);
	put_number(99, 4);
	put_number(99, 4);
	put_number(start, 8);
	put_number(start, 8);
	put_number(size, 8);
	put_number(7, 8);
	put(name, strlen(name) + 1);
	put(code, size);
}

static void put_move(uint64_t time_ns, uint64_t from, uint64_t to, uint64_t size)
{
	put_record(MOVE, 48, time_ns);
	put_number(99, 4);
	put_number(99, 4);
	put_number(to, 8);
	put_number(from, 8);
	put_number(to, 8);
	put_number(size, 8);
	put_number(7, 8);
}

/*
 * What Python 3.13 writes for a function of 11 bytes that moves the stack pointer by 8 in its first 4:
 * the CFA is rsp + 8, and rsp + 16 from its 4th to its 8th byte.
 */
static void put_unwinding(uint64_t time_ns)
{
	static const uint8_t frames[] = {
		0x14, 0,    0,	  0,	0,    0, 0, 0, 1,    'z',  'R',	 0,    1,    0x78, 0x10, 1,
		0x1b, 0x0c, 7,	  8,	0x90, 1, 0, 0, 0x14, 0,	   0,	 0,    0x1c, 0,	   0,	 0,
		0xd0, 0xff, 0xff, 0xff, 0x0b, 0, 0, 0, 0,    0x44, 0x0e, 0x10, 0x46, 0x0e, 0x08, 0,
	};
	static const uint8_t table[20] = { 1, 0x1b, 3, 0x3b };

	put_record(UNWINDING, 24 + sizeof(frames) + sizeof(table) + 4, time_ns);
	put_number(sizeof(frames) + sizeof(table), 8);
	put_number(sizeof(table), 8);
	put_number(80, 8);
	put(frames, sizeof(frames));
	put(table, sizeof(table));
	put_number(0, 4);
}

/* The file, up to a length. */
static int open_image(size_t len)
{
	int fd = memfd_create("jitdump", 0);

	if (fd < 0 || write(fd, image.bytes, len) != (ssize_t)len)
		ok(false, "cannot write a file in memory");
	return fd;
}

static struct mp_jitdump *read_image(void)
{
	struct mp_jitdump *d = mp_jitdump_new();
	int fd = open_image(image.len);

	ok(!mp_jitdump_read(d, fd, 1), "all of it is within the limit");
	close(fd);
	return d;
}

static bool is(struct mp_jitdump *d, uint64_t addr, uint64_t time_ns, const char *want)
{
	const char *name = mp_jitdump_find(d, addr, time_ns);

	return want ? name && strcmp(name, want) == 0 : !name;
}

static void test_times(void)
{
	struct mp_jitdump *d;
	uint64_t changes;

	begin_file(0);
	put_load(10, 0x1000, 0x100, "one");
	put_record(DEBUG_INFO, 5, 11);
	put_number(0, 5);
	put_load(20, 0x1040, 0x20, "two");
	put_move(30, 0x1040, 0x5000, 0x20);
	put_load(40, 0x1000, 0x100, "three");
	put_record(CLOSE, 0, 50);
	d = read_image();
	ok(is(d, 0x1000, 9, NULL), "no code before it is loaded");
	ok(is(d, 0x1000, 10, "one") && is(d, 0x10ff, 10, "one") && is(d, 0xfff, 10, NULL) &&
		   is(d, 0x1100, 10, NULL),
	   "loaded, from its first to its last byte");
	changes = mp_jitdump_changes(d, 19);
	ok(changes == 0, "nothing was replaced");
	ok(is(d, 0x103f, 20, "one") && is(d, 0x1040, 20, "two") && is(d, 0x105f, 20, "two") &&
		   is(d, 0x1060, 20, "one"),
	   "in the middle of other code, of which both ends remain");
	ok(mp_jitdump_changes(d, 20) > changes, "this is a change");
	ok(is(d, 0x1040, 30, NULL) && is(d, 0x5000, 30, "two") && is(d, 0x501f, 30, "two") &&
		   is(d, 0x5020, 30, NULL),
	   "moved");
	ok(is(d, 0x1000, 40, "three") && is(d, 0x10ff, 40, "three") && is(d, 0x5000, 99, "two"),
	   "replaced, with what is left of others");
	mp_jitdump_free(d);
}

static int row_at(struct mp_jitdump *d, uint64_t addr, int32_t *cfa)
{
	unsigned steps = MP_CFI_STEPS;
	struct mp_cfi_row row = { .start = 0 };
	int found = mp_jitdump_row(d, addr, 100, &row, &steps);

	*cfa = row.cfa_value;
	return found;
}

static void test_unwinding(void)
{
	struct mp_jitdump *d;
	int32_t cfa;

	begin_file(0);
	put_unwinding(10);
	put_load(10, 0x7f0000001230, 11, "py::f:x.py");
	put_load(20, 0x7f0000002000, 16, "without");
	put_move(30, 0x7f0000001230, 0x7f0000003000, 11);
	d = read_image();
	ok(row_at(d, 0x7f0000003000, &cfa) == 1 && cfa == 8, "before the first instruction");
	ok(row_at(d, 0x7f0000003004, &cfa) == 1 && cfa == 16, "after it");
	ok(row_at(d, 0x7f000000300a, &cfa) == 1 && cfa == 8, "at the last one");
	ok(row_at(d, 0x7f0000001230, &cfa) == 0 && row_at(d, 0x7f0000002000, &cfa) == 0,
	   "other code has none");
	mp_jitdump_free(d);
}

static void test_growth(void)
{
	struct mp_jitdump *d = mp_jitdump_new();
	size_t first;
	int fd;

	begin_file(0);
	put_load(10, 0x1000, 0x100, "one");
	first = image.len;
	put_load(20, 0x2000, 0x100, "two");
	fd = open_image(20);
	mp_jitdump_read(d, fd, 1);
	ok(!mp_jitdump_is_due(d, 1000) && mp_jitdump_is_due(d, 1000000000), "is read again later");
	ok(pwrite(fd, image.bytes, first + 57, 0) == (ssize_t)first + 57, "the file grows");
	mp_jitdump_read(d, fd, 2);
	ok(is(d, 0x1000, 99, "one") && is(d, 0x2000, 99, NULL), "a name that is incomplete");
	ok(pwrite(fd, image.bytes, first + 60, 0) == (ssize_t)first + 60, "the file grows");
	mp_jitdump_read(d, fd, 3);
	ok(is(d, 0x2000, 99, "two"), "a name that is complete, before its code");
	close(fd);
	mp_jitdump_free(d);
}

static void test_clocks(void)
{
	struct mp_jitdump *d;

	begin_file(1);
	put_load(UINT64_MAX, 0x1000, 0x100, "one");
	d = read_image();
	ok(is(d, 0x1000, 5, "one"), "times of another clock are ignored");
	mp_jitdump_free(d);
}

/* A sparse file with as many records as fit into the time. */
static void test_limit(void)
{
	struct mp_jitdump *d = mp_jitdump_new();
	char name[4000];
	const char *reason = NULL;
	uint64_t at = 0;
	int fd, i;

	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	begin_file(0);
	fd = open_image(image.len);
	lseek(fd, 0, SEEK_END);
	for (i = 0; i < 20000; i++) {
		image.len = 0;
		put_load(1, 0x1000 + 0x100 * (uint64_t)i, 0x100, name);
		if (write(fd, image.bytes, image.len) != (ssize_t)image.len)
			ok(false, "cannot write");
	}
	for (i = 0; i < 1000 && !reason; i++)
		reason = mp_jitdump_read(d, fd, ++at);
	ok(reason && mp_jitdump_bytes(d) <= (64 << 20) + 4096, "%zu bytes of memory: %s",
	   mp_jitdump_bytes(d), reason ? reason : "");
	ok(is(d, 0x1000, 5, name), "what was read is used");
	close(fd);
	mp_jitdump_free(d);
}

static void look_around(struct mp_jitdump *d)
{
	static const uint64_t places[] = { 0, 0x1000, 0x1040, 0x2000, 0x5000, UINT64_MAX };
	int32_t cfa;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(places); i++) {
		mp_jitdump_find(d, places[i], 15);
		row_at(d, places[i], &cfa);
		mp_jitdump_find(d, places[i], UINT64_MAX);
	}
}

static void test_damage(void)
{
	struct mp_jitdump *d;
	size_t i, len;
	int fd;

	begin_file(0);
	put_unwinding(10);
	put_load(10, 0x1000, 11, "one");
	put_load(20, 0x1000, 0x20, "two");
	put_move(30, 0x1000, 0x5000, 0x20);
	len = image.len;
	for (i = 0; i < 2 * len; i++) {
		image.bytes[i / 2] ^= i % 2 ? 0xff : 0x01;
		d = mp_jitdump_new();
		fd = open_image(i % 2 ? len : i / 2);
		mp_jitdump_read(d, fd, 1);
		look_around(d);
		close(fd);
		mp_jitdump_free(d);
		image.bytes[i / 2] ^= i % 2 ? 0xff : 0x01;
	}
	ok(true, "%zu damaged files", i);
}

int main(void)
{
	ok(mp_jitdump_is_name("jit-12.dump") && !mp_jitdump_is_name("jit-.dump") &&
		   !mp_jitdump_is_name("jit-12.dump2") && !mp_jitdump_is_name("ajit-1.dump"),
	   "names of files");
	test_times();
	test_unwinding();
	test_growth();
	test_clocks();
	test_limit();
	test_damage();
	return tap_done();
}
