// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests call frame information: compares it with libdw's for a complete library; reads handmade
 * programs, complete and truncated at each byte; evaluates expressions.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/object/cfiexpr.h"
#include "lib/capture/object/elfcfi.h"
#include "lib/capture/stack/dso.h"
#include "tests/unit/tap.h"

static int find_row(const struct mp_cfi *c, uint64_t addr, struct mp_cfi_row *row)
{
	unsigned steps = MP_CFI_STEPS;

	return mp_cfi_find(c, addr, row, &steps);
}

/* --- libdw is the oracle ---------------------------------------------------------------------- */

struct oracle {
	Dwarf_CFI *cfi;
	const struct mp_cfi *ours;
	size_t rows, compared, differ, gaps;
	uint64_t last_end;
};

static bool same_expr(const struct mp_cfi_row *row, int32_t value, const Dwarf_Op *ops, size_t n)
{
	size_t len;
	const uint8_t *expr = mp_cfi_expr(row, value, &len);

	return expr && n && expr[0] == ops[0].atom;
}

static bool same_cfa(const struct mp_cfi_row *row, const Dwarf_Op *ops, size_t n)
{
	if (row->cfa_expr)
		return same_expr(row, row->cfa_value, ops, n);
	return n == 1 && ops[0].atom == DW_OP_bregx && ops[0].number == row->cfa_reg &&
	       (int64_t)ops[0].number2 == row->cfa_value;
}

/* libdw reports "undefined" and "same" by where `ops` points, other rules by an expression. */
static bool same_rule(const struct mp_cfi_row *row, int reg, Dwarf_Frame *frame)
{
	const struct mp_cfi_rule *rule = NULL;
	Dwarf_Op mem[3], *ops;
	size_t n, i;

	for (i = 0; i < row->n_rules; i++)
		if (row->rules[i].reg == reg)
			rule = &row->rules[i];
	if (dwarf_frame_register(frame, reg, mem, &ops, &n) < 0)
		return false;
	if (reg == 7 && !rule)
		/* libdw adds the rule of the ABI that the stack pointer is the CFA */
		return true;
	if (n == 0 && ops == mem) /* libdw takes caller-saved registers as undefined by default */
		return !rule || rule->kind == MP_CFI_UNDEFINED;
	if (n == 0)
		return !rule;
	if (!rule)
		return false;
	switch (rule->kind) {
	case MP_CFI_AT:
		return ops[0].atom == DW_OP_call_frame_cfa &&
		       (n == 1 ? rule->value == 0
			       : n == 2 && ops[1].atom == DW_OP_plus_uconst &&
					 (int64_t)ops[1].number == rule->value);
	case MP_CFI_REGISTER:
		return n == 1 && ops[0].atom == DW_OP_regx && (int64_t)ops[0].number == rule->value;
	case MP_CFI_AT_EXPR:
	case MP_CFI_VALUE_EXPR:
		return true; /* this one is compared where the CFA is tested */
	}
	return false;
}

static void compare(void *arg, const struct mp_cfi_row *row)
{
	struct oracle *o = arg;
	struct mp_cfi_row found;
	Dwarf_Frame *frame;
	Dwarf_Addr start, end;
	bool signal, same;
	Dwarf_Op *ops;
	size_t n;
	int reg;

	if (o->rows++ % 5)
		return;
	if (dwarf_cfi_addrframe(o->cfi, row->start, &frame) < 0) {
		o->differ++;
		return;
	}
	o->compared++;
	same = dwarf_frame_info(frame, &start, &end, &signal) == row->ra_reg &&
	       /* after a restored state, libdw reports the beginning of the remembered one */
	       start <= row->start && end == row->end && signal == row->signal &&
	       dwarf_frame_cfa(frame, &ops, &n) == 0 && same_cfa(row, ops, n);
	for (reg = 0; reg <= 16 && same && !row->overflow; reg++)
		same = same_rule(row, reg, frame);
	if (find_row(o->ours, row->end - 1, &found) != 1 || found.start != row->start ||
	    found.cfa_value != row->cfa_value)
		same = false;
	if (!same && o->differ++ < 3)
		printf("# at %#llx\n", (unsigned long long)row->start);
	free(frame);
}

static void test_oracle(const char *path, size_t at_least)
{
	struct mp_limit limit = MP_LIMIT_INIT;
	struct mp_segments segments = { NULL, 0, 0 };
	struct oracle o = { .rows = 0 };
	int fd = open(path, O_RDONLY);
	struct mp_open_mapping m = { .path = path };
	struct mp_opener opener;
	struct mp_cfi *c;
	Elf *elf;

	mp_opener_init(&opener);
	c = fd >= 0 ? mp_elfcfi_load(fd, &opener, &m, &segments, &limit) : NULL;
	if (!c) {
		printf("# no %s\n", path);
		if (fd >= 0)
			close(fd);
		return;
	}
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	o.cfi = dwarf_getcfi_elf(elf);
	o.ours = c;
	mp_cfi_each(c, compare, &o);
	ok(o.compared > at_least && o.differ == 0, "%s: %zu rows are those of libdw (%zu not)",
	   path, o.compared, o.differ);
	dwarf_cfi_end(o.cfi);
	elf_end(elf);
	close(fd);
	mp_cfi_free(c);
	mp_segments_release(&segments);
}

/* --- made by hand ----------------------------------------------------------------------------- */

enum { ADDR = 0x10000, FUNCTION = 0x1000, FUNCTION_SIZE = 100 };

struct image {
	uint8_t bytes[512];
	size_t len, entry;
};

static void put(struct image *m, const void *data, size_t len)
{
	memcpy(m->bytes + m->len, data, len);
	m->len += len;
}

static void put_u32(struct image *m, uint32_t v)
{
	put(m, &v, 4);
}

static void begin_entry(struct image *m)
{
	m->entry = m->len;
	put_u32(m, 0);
}

static void end_entry(struct image *m)
{
	uint32_t len;

	while (m->len % 8)
		m->bytes[m->len++] = DW_CFA_nop;
	len = m->len - m->entry - 4;
	memcpy(m->bytes + m->entry, &len, 4);
}

/* A section with one function of FUNCTION_SIZE bytes at FUNCTION and these instructions. */
static struct image make(const char *letters, const void *code, size_t len)
{
	struct image m = { .len = 0 };

	begin_entry(&m);
	put_u32(&m, 0);
	put(&m, "\1", 1);
	put(&m, letters, strlen(letters) + 1);
	put(&m, "\1\x78\x10", 3); /* code in bytes, data in -8, return address 16 */
	if (letters[0] == 'z')
		put(&m, "\1\x1b", 2);
	put(&m, "\x0c\7\x08\x90\1", 5); /* CFA = r7 + 8, r16 at CFA - 8 */
	end_entry(&m);
	begin_entry(&m);
	put_u32(&m, m.len);
	put_u32(&m, FUNCTION - (ADDR + m.len));
	put_u32(&m, FUNCTION_SIZE);
	if (letters[0] == 'z')
		put(&m, "", 1);
	put(&m, code, len);
	end_entry(&m);
	put_u32(&m, 0);
	return m;
}

static struct mp_cfi *load(const struct image *m, size_t len)
{
	struct mp_cfi *c = mp_cfi_new(&mp_arch_x86_64);

	mp_cfi_add(c, true, m->bytes, len, ADDR);
	return c;
}

static const struct mp_cfi_rule *rule_of(const struct mp_cfi_row *row, int reg)
{
	size_t i;

	for (i = 0; i < row->n_rules; i++)
		if (row->rules[i].reg == reg)
			return &row->rules[i];
	return NULL;
}

static bool is_at(const struct mp_cfi_row *row, int reg, int32_t value)
{
	const struct mp_cfi_rule *rule = rule_of(row, reg);

	return rule && rule->kind == MP_CFI_AT && rule->value == value;
}

static const char program[] = "\x41\x0e\x10\x86\2"     /* +1: CFA offset 16, r6 at -16 */
			      "\x43\x0d\6"	       /* +3: CFA = r6 + 16 */
			      "\x0a\x02\x14\x0c\7\x08" /* remember, +20: CFA = r7 + 8 */
			      "\xc6\x41\x0b"  /* r6 as at the beginning; +1: all as remembered */
			      "\x41\x07\x10"; /* +1: r16 is undefined */

static void test_program(void)
{
	struct image m = make("zR", program, sizeof(program) - 1);
	struct mp_cfi *c = load(&m, m.len);
	struct mp_cfi_row row;

	ok(mp_cfi_count(c) == 1, "one function");
	ok(find_row(c, FUNCTION - 1, &row) == 0 && find_row(c, FUNCTION + FUNCTION_SIZE, &row) == 0,
	   "nothing outside of it");
	ok(find_row(c, FUNCTION, &row) == 1 && row.start == FUNCTION && row.end == FUNCTION + 1 &&
		   row.cfa_reg == 7 && row.cfa_value == 8 && is_at(&row, 16, -8) &&
		   row.ra_reg == 16 && !row.signal,
	   "where it begins: what all functions share");
	ok(find_row(c, FUNCTION + 3, &row) == 1 && row.cfa_reg == 7 && row.cfa_value == 16 &&
		   is_at(&row, 6, -16),
	   "after a push");
	ok(find_row(c, FUNCTION + 23, &row) == 1 && row.cfa_reg == 6 && row.cfa_value == 16,
	   "by the frame pointer");
	ok(find_row(c, FUNCTION + 24, &row) == 1 && row.cfa_reg == 7 && row.cfa_value == 8 &&
		   !rule_of(&row, 6),
	   "its end in the middle");
	ok(find_row(c, FUNCTION + 25, &row) == 1 && row.cfa_reg == 6 && is_at(&row, 6, -16),
	   "after it as before");
	ok(find_row(c, FUNCTION + 99, &row) == 1 && row.start == FUNCTION + 26 &&
		   row.end == FUNCTION + FUNCTION_SIZE && row.ra_kind == MP_CFI_UNDEFINED,
	   "a root");
	mp_cfi_free(c);
	m = make("zRS", program, sizeof(program) - 1);
	c = load(&m, m.len);
	ok(find_row(c, FUNCTION, &row) == 1 && row.signal, "a signal frame");
	mp_cfi_free(c);
}

static void count(void *arg, const struct mp_cfi_row *row)
{
	(void)row;
	++*(size_t *)arg;
}

/*
 * Reads each shorter section, and each with one byte changed, in memory of just its size (run it
 * under ASan).
 */
static void test_damaged(void)
{
	static const char expr[] = "\x0f\3\x77\x08\6\x16\3\2\x70\0\x10\6\2\x76\x78\x2e\x05\x2f\6\1";
	struct image m = make("zR", expr, sizeof(expr) - 1);
	size_t len, at, rows = 0;
	struct mp_cfi_row row;
	struct mp_cfi *c;

	for (len = 0; len <= m.len; len++) {
		uint8_t *copy = mp_memdup(m.bytes, len);

		c = mp_cfi_new(&mp_arch_x86_64);
		mp_cfi_add(c, true, copy, len, ADDR);
		mp_cfi_each(c, count, &rows);
		find_row(c, FUNCTION + 5, &row);
		mp_cfi_free(c);
		free(copy);
	}
	ok(rows > 0, "cut anywhere");
	for (at = 0; at < m.len * 256; at++) {
		struct image bad = m;

		bad.bytes[at / 256] = at % 256;
		c = load(&bad, bad.len);
		rows = 0;
		mp_cfi_each(c, count, &rows);
		mp_cfi_free(c);
	}
	ok(rows < 1000, "any byte changed");
	m = make("zR", "\x3f", 1);
	c = load(&m, m.len);
	ok(find_row(c, FUNCTION, &row) == -1, "an unknown instruction is reported");
	mp_cfi_free(c);
	m = make("zR", "\x0b", 1);
	c = load(&m, m.len);
	ok(find_row(c, FUNCTION, &row) == -1, "so is a state that nobody remembered");
	mp_cfi_free(c);
	m = make("eh", "", 0);
	c = load(&m, m.len);
	ok(mp_cfi_count(c) == 0, "what is not understood is skipped");
	mp_cfi_free(c);
}

static void put_large_u32(struct mp_buf *to, uint32_t v)
{
	mp_buf_add(to, &v, sizeof(v));
}

/*
 * A section whose functions have a CIE with `nops` instructions that do nothing; `n` functions of
 * 16 bytes, each with one row.
 */
static struct mp_buf make_large(size_t nops, size_t n)
{
	struct mp_buf b = { NULL, 0, 0 };
	size_t i;

	put_large_u32(&b, (uint32_t)(4 + 11 + nops));
	mp_buf_add(&b, "\0\0\0\0\1\0\1\x78\x10\x0c\7\x08\x90\1", 15);
	for (i = 0; i < nops; i++)
		mp_buf_byte(&b, DW_CFA_nop);
	for (i = 0; i < n; i++) {
		const uint64_t range[2] = { 16 * i, 16 };

		put_large_u32(&b, 20);
		put_large_u32(&b, (uint32_t)b.len);
		mp_buf_add(&b, range, sizeof(range));
	}
	return b;
}

static void test_steps(void)
{
	struct image m = make("zR", program, sizeof(program) - 1);
	struct mp_cfi *c = load(&m, m.len);
	struct mp_limit limit = { .bytes = 100 };
	unsigned steps = 3;
	struct mp_cfi_row row;
	struct mp_buf large;
	size_t rows = 0;

	ok(mp_cfi_find(c, FUNCTION + 24, &row, &steps) == -1 && steps == 0, "too few steps");
	steps = 100;
	ok(mp_cfi_find(c, FUNCTION + 24, &row, &steps) == 1 && steps > 0 && steps < 100,
	   "enough steps, of which some are left");
	mp_cfi_free(c);

	/* executed for each function, this would be more than mp_cfi_each() may make */
	large = make_large(1000, 200000);
	c = mp_cfi_new(&mp_arch_x86_64);
	mp_cfi_add(c, true, large.p, large.len, 0);
	ok(mp_cfi_each(c, count, &rows) && rows == 200000,
	   "what functions have in common is executed once");
	mp_cfi_free(c);
	c = mp_cfi_new(&mp_arch_x86_64);
	mp_cfi_give(c, true, large.p, large.len, 0, &limit);
	ok(mp_cfi_count(c) == 0 && limit.reason && limit.bytes == 100, "an index above the limit");
	mp_cfi_free(c);

	large = make_large(2000, 10);
	c = mp_cfi_new(&mp_arch_x86_64);
	limit = MP_LIMIT_INIT;
	mp_cfi_give(c, true, large.p, large.len, 0, &limit);
	ok(mp_cfi_count(c) == 0 && limit.reason,
	   "more instructions than functions have in common are above the limit");
	mp_cfi_free(c);
}

/* --- expressions ------------------------------------------------------------------------------ */

static bool read_memory(void *arg, uint64_t addr, size_t size, uint64_t *value)
{
	(void)arg;
	if (addr < 100 || addr > 200)
		return false;
	*value = size == 8 ? addr * 2 : addr & 0xff;
	return true;
}

static enum mp_cfi_result evaluate(const char *expr, size_t len, const uint64_t *cfa,
				   uint64_t *result)
{
	static const uint64_t regs[] = { 100, 101, 102, 103, 104, 105, 106, 107,   108,
					 109, 110, 111, 112, 113, 114, 115, 0x100b };
	unsigned steps = MP_CFI_STEPS;
	struct mp_cfi_machine m = { regs, MP_ARRAY_SIZE(regs), read_memory, NULL, &steps };
	uint8_t *copy = mp_memdup(expr, len);
	enum mp_cfi_result r = mp_cfi_eval(copy, len, &m, cfa, result);

	free(copy);
	return r;
}

static void test_expressions(void)
{
	static const struct {
		const char *expr;
		size_t len;
		uint64_t want;
		const char *what;
	} good[] = {
#define EXPR(bytes) bytes, sizeof(bytes) - 1
		{ EXPR("\x77\x08\x80\0\x3f\x1a\x3b\x2a\x33\x24\x22"), 107 + 8 + 8,
		  "a stub of the PLT" },
		{ EXPR("\x76\x78\x06"), (106 - 8) * 0, "a frame that was realigned" },
		{ EXPR("\x08\xff\x09\xff\x22"), 254, "plus" },
		{ EXPR("\x0a\x34\x12\x31\x1c"), 0x1233, "minus" },
		{ EXPR("\x0b\xfe\xff\x33\x1e"), (uint64_t)-6, "mul" },
		{ EXPR("\x0b\xf9\xff\x32\x1b"), (uint64_t)-3, "div is signed" },
		{ EXPR("\x3a\x33\x1d"), 1, "mod" },
		{ EXPR("\x31\x32\x33\x17\x1c"), (uint64_t)-1, "rot" },
		{ EXPR("\x31\x32\x16\x1c"), 1, "swap" },
		{ EXPR("\x35\x36\x14\x22\x22"), 16, "over" },
		{ EXPR("\x35\x36\x37\x15\2\x13"), 7, "pick, drop" },
		{ EXPR("\x31\x28\1\0\x3f\x32"), 2, "bra" },
		{ EXPR("\x2f\1\0\x3f\x32"), 2, "skip" },
		{ EXPR("\x32\x28\1\0\x3f\x33"), 3, "bra, again" },
		{ EXPR("\x10\xe4\0\x23\x81\1"), 0x64 + 129, "constu, plus_uconst" },
		{ EXPR("\x11\x7f\x19"), 1, "consts, abs" },
		{ EXPR("\x31\x1f\x20"), 0, "neg, not" },
		{ EXPR("\x3f\x36\x27\x33\x21"), (15 ^ 6) | 3, "xor, or" },
		{ EXPR("\x11\x70\x32\x26"), (uint64_t)-4, "shra" },
		{ EXPR("\x31\x08\x40\x24"), 0, "shl by 64" },
		{ EXPR("\x92\3\1"), 104, "bregx" },
		{ EXPR("\x08\x70\x94\1"), 0x70, "deref_size" },
	};
	static const struct {
		const char *expr;
		size_t len;
		enum mp_cfi_result want;
		const char *what;
	} bad[] = {
		{ EXPR(""), MP_CFI_BAD, "nothing" },
		{ EXPR("\x22"), MP_CFI_BAD, "an empty stack" },
		{ EXPR("\x31\x30\x1b"), MP_CFI_BAD, "division by 0" },
		{ EXPR("\x0e\0\0\0\0\0\0\0\x80\x11\x7f\x1b"), MP_CFI_BAD,
		  "the division that overflows" },
		{ EXPR("\x2f\xfd\xff"), MP_CFI_BAD, "an endless loop" },
		{ EXPR("\x2f\xf0\xff"), MP_CFI_BAD, "a branch before the beginning" },
		{ EXPR("\x31\x12\x2f\xfc\xff"), MP_CFI_BAD, "a stack that overflows" },
		{ EXPR("\x0c\1\2"), MP_CFI_BAD, "cut" },
		{ EXPR("\x8f\0"), MP_CFI_BAD, "a register that is not followed" },
		{ EXPR("\xf0"), MP_CFI_BAD, "an unknown operation" },
		{ EXPR("\x30\x06"), MP_CFI_NO_DATA, "memory that is not known" },
	};
	uint64_t result, cfa = 1000;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(good); i++) {
		enum mp_cfi_result r = evaluate(good[i].expr, good[i].len, NULL, &result);

		if (i == 1) /* this expression reads at r6 - 8 = 98 */
			ok(r == MP_CFI_NO_DATA, "%s", good[i].what);
		else
			ok(r == MP_CFI_DONE && result == good[i].want, "%s", good[i].what);
	}
	for (i = 0; i < MP_ARRAY_SIZE(bad); i++)
		ok(evaluate(bad[i].expr, bad[i].len, NULL, &result) == bad[i].want, "%s",
		   bad[i].what);
	ok(evaluate("\x23\x08", 2, &cfa, &result) == MP_CFI_DONE && result == 1008,
	   "the CFA is first on the stack");
}

int main(void)
{
	mp_init("unit-cfi");
	test_program();
	test_damaged();
	test_steps();
	test_expressions();
	test_oracle("/lib/x86_64-linux-gnu/libc.so.6", 1000); /* including tables written by hand */
	test_oracle("/usr/bin/perl", 1000);
	test_oracle("/proc/self/exe", 100);
	return tap_done();
}
