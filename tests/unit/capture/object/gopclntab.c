// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the table of functions of Go programs: reads the frames and the names of a handmade table
 * in both versions, truncated at each byte and with each byte changed. unwind.bats compares it with
 * Go's own .debug_frame.
 */
#include "lib/capture/object/gopclntab.h"

#include <stdlib.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/object/walk_rows.h"
#include "tests/unit/tap.h"

static int find_row(const struct mp_cfi *c, uint64_t addr, struct mp_cfi_row *row)
{
	unsigned steps = MP_CFI_STEPS;

	return mp_cfi_find(c, addr, row, &steps);
}

enum { TEXT = 0x401000, FUNCTIONS = 6, TOP_FRAME = 1, WRITES_SP = 2, STEPS_MAX = 8 };

static const struct {
	uint32_t start;
	const char *name;
	uint8_t flags;
	char steps[STEPS_MAX]; /* "": it has none */
} functions[FUNCTIONS] = {
	{ 0, "main.leaf", 0, { 2, 0x20 } },			/* 0 bytes */
	{ 0x20, "main.middle", 0, { 2, 4, 48, 0x30, 47, 12 } }, /* 0, 24 from +4, 0 from +0x34 */
	{ 0x60, "runtime.goexit", TOP_FRAME, { 2, 0x10 } },
	{ 0x70, "runtime.systemstack", WRITES_SP, { 2, 0x10 } },
	{ 0x80, "runtime.mcall", WRITES_SP, { 2, 8, 16, 8 } },
	{ 0x90, "runtime.morestack", WRITES_SP, { 0 } },
};

struct image {
	uint8_t bytes[1024];
	size_t len;
};

static size_t put(struct image *m, const void *data, size_t size)
{
	size_t at = m->len;

	memcpy(m->bytes + at, data, size);
	m->len += size;
	return at;
}

static void put_number(struct image *m, uint64_t v, size_t size)
{
	put(m, &v, size);
}

static void set(struct image *m, size_t at, uint64_t v, size_t size)
{
	memcpy(m->bytes + at, &v, size);
}

/* A table as the linker writes it: head, names, steps, functions. */
static struct image make(bool go_1_20, uint64_t text, uint8_t quantum)
{
	struct image m = { .len = 72 };
	uint32_t names[FUNCTIONS], steps[FUNCTIONS];
	size_t i, index, start;

	set(&m, 0, go_1_20 ? 0xfffffff1 : 0xfffffff0, 4);
	set(&m, 6, quantum, 1);
	set(&m, 7, 8, 1);
	set(&m, 8, FUNCTIONS, 8);
	set(&m, 24, text, 8);
	set(&m, 32, start = m.len, 8);
	for (i = 0; i < FUNCTIONS; i++)
		names[i] = put(&m, functions[i].name, strlen(functions[i].name) + 1) - start;
	set(&m, 56, start = m.len, 8);
	put_number(&m, 0, 1);
	for (i = 0; i < FUNCTIONS; i++)
		steps[i] = functions[i].steps[0]
				   ? put(&m, functions[i].steps, strlen(functions[i].steps) + 1) -
					     start
				   : 0;
	set(&m, 64, start = index = m.len, 8);
	m.len += 8 * FUNCTIONS + 4;
	for (i = 0; i < FUNCTIONS; i++) {
		set(&m, index + 8 * i, functions[i].start * quantum, 4);
		set(&m, index + 8 * i + 4, m.len - start, 4);
		put_number(&m, functions[i].start * quantum, 4);
		put_number(&m, names[i], 4);
		put_number(&m, 0, 8);
		put_number(&m, steps[i], 4);
		put(&m, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", go_1_20 ? 20 : 16);
		put_number(&m, 0, 1); /* the kind */
		put_number(&m, functions[i].flags, 1);
		put_number(&m, 0, 2);
	}
	set(&m, index + 8 * FUNCTIONS, 0xa0 * quantum, 4);
	return m;
}

static struct mp_cfi *frames_of(const void *data, size_t size, const struct mp_arch *arch)
{
	struct mp_buf frames = { NULL, 0, 0 };
	struct mp_gopclntab t;
	struct mp_cfi *c;

	if (!mp_gopclntab_init(&t, data, size, TEXT))
		return NULL;
	mp_gopclntab_frames(&t, arch, &frames, SIZE_MAX);
	c = mp_cfi_new(arch);
	mp_cfi_add(c, false, frames.p, frames.len, 0);
	mp_buf_release(&frames);
	return c;
}

/* Whether the CFA is `cfa` bytes from the stack pointer, and the frame pointer is saved or not. */
static bool is_frame(const struct mp_cfi *c, uint64_t addr, int32_t cfa, bool saved)
{
	int32_t ra = 0, fp = 0;
	struct mp_cfi_row row;
	size_t i;

	if (find_row(c, addr, &row) != 1)
		return false;
	for (i = 0; i < row.n_rules; i++)
		*(row.rules[i].reg == 16 ? &ra : &fp) = row.rules[i].value;
	return row.cfa_reg == 7 && row.cfa_value == cfa && ra == -8 && fp == (saved ? -16 : 0);
}

static void test_frames(bool go_1_20)
{
	struct mp_limit limit = MP_LIMIT_INIT;
	struct image m = make(go_1_20, go_1_20 ? 0 : TEXT, 1);
	struct mp_cfi *c = frames_of(m.bytes, m.len, &mp_arch_x86_64);
	struct mp_bpf_row *rows;
	struct mp_cfi_row row;
	size_t n;

	ok(c && mp_cfi_count(c) == FUNCTIONS, "all functions");
	ok(is_frame(c, TEXT, 8, false) && is_frame(c, TEXT + 0x1f, 8, false),
	   "a leaf without a frame");
	ok(is_frame(c, TEXT + 0x23, 8, false) && is_frame(c, TEXT + 0x24, 32, false) &&
		   is_frame(c, TEXT + 0x2b, 32, false) && is_frame(c, TEXT + 0x2c, 32, true) &&
		   is_frame(c, TEXT + 0x53, 32, true) && is_frame(c, TEXT + 0x54, 8, false) &&
		   is_frame(c, TEXT + 0x5f, 8, false),
	   "a frame, before and after it is there, in which the frame pointer is saved");
	ok(find_row(c, TEXT + 0x65, &row) == 1 && row.ra_kind == MP_CFI_UNDEFINED &&
		   find_row(c, TEXT + 0x85, &row) == 1 && row.ra_kind == MP_CFI_UNDEFINED &&
		   !row.signal,
	   "roots");
	ok(find_row(c, TEXT + 0x75, &row) == 1 && row.other_stack && row.cfa_reg == 6 &&
		   row.cfa_value == 16,
	   "a switch of the stack is followed by the frame pointer");
	ok(find_row(c, TEXT + 0x95, &row) == 1 && row.other_stack && row.ra_kind == MP_CFI_SAME,
	   "or not");
	ok(find_row(c, TEXT + 0xa0, &row) == 0, "nothing after the last one");
	rows = mp_cfi_walk_rows(c, &n, &limit);
	ok(n == 9 && rows[0].kind == MP_BPF_SP && rows[5].kind == MP_BPF_SWITCH &&
		   rows[6].kind == MP_BPF_ROOT && rows[7].kind == MP_BPF_OTHER,
	   "for BPF, too (%zu rows)", n);
	free(rows);
	mp_cfi_free(c);
}

static void test_link_register(void)
{
	struct image m = make(false, TEXT, 4);
	struct mp_cfi *c = frames_of(m.bytes, m.len, &mp_arch_arm64);
	struct mp_cfi_row row;

	ok(find_row(c, TEXT + 4, &row) == 1 && row.cfa_reg == 31 && row.cfa_value == 0 &&
		   row.ra_kind == MP_CFI_SAME,
	   "arm64: a leaf has its return address in a register");
	ok(find_row(c, TEXT + 0x90, &row) == 1 && row.cfa_value == 24 && row.n_rules == 1 &&
		   row.rules[0].reg == 30 && row.rules[0].value == -24,
	   "arm64: a frame has it at the stack pointer");
	ok(find_row(c, TEXT + 4 * 0x54, &row) == 1 && row.cfa_value == 0 &&
		   row.ra_kind == MP_CFI_SAME,
	   "arm64: and not after the frame");
	mp_cfi_free(c);
}

static bool count_names(void *arg, uint64_t start, uint64_t size, const char *name)
{
	size_t *n = arg;

	if (*n < FUNCTIONS && strcmp(name, functions[*n].name) == 0 &&
	    start == TEXT + functions[*n].start && size)
		++*n;
	return true;
}

static void test_names(void)
{
	struct image m = make(true, TEXT, 1);
	struct mp_gopclntab t;
	size_t n = 0;

	ok(mp_gopclntab_init(&t, m.bytes, m.len, 0), "a table");
	mp_gopclntab_each(&t, count_names, &n);
	ok(n == FUNCTIONS, "names in order of address");
	memmove(m.bytes + 40, m.bytes, m.len);
	memset(m.bytes, 0xf1, 40);
	ok(mp_gopclntab_search(m.bytes, m.len + 40) == 40 &&
		   mp_gopclntab_search(m.bytes, 100) == SIZE_MAX,
	   "a table within other data");
}

/*
 * Reads each shorter table, and each with a byte changed, in memory of just its size (run it under
 * ASan).
 */
static void test_damaged(void)
{
	struct image m = make(false, TEXT, 1);
	size_t len, at, names = 0, n;
	struct mp_gopclntab t;

	for (len = 0; len <= m.len; len++) {
		uint8_t *copy = mp_memdup(m.bytes, len);

		if (mp_gopclntab_init(&t, copy, len, 0))
			mp_gopclntab_each(&t, count_names, &names);
		mp_cfi_free(frames_of(copy, len, &mp_arch_x86_64));
		free(copy);
	}
	for (at = 0; at < m.len * 256; at++) {
		uint8_t *copy = mp_memdup(m.bytes, m.len);

		copy[at / 256] = at % 256;
		n = 0;
		if (mp_gopclntab_init(&t, copy, m.len, 0))
			mp_gopclntab_each(&t, count_names, &n);
		mp_cfi_free(frames_of(copy, m.len, &mp_arch_x86_64));
		free(copy);
	}
	ok(names > 0, "damaged anywhere");
}

int main(void)
{
	mp_init("unit-gopclntab");
	test_frames(false);
	test_frames(true);
	test_link_register();
	test_names();
	test_damaged();
	return tap_done();
}
