// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks over handmade stacks of x86-64 and arm64: tests each way to reach a caller, and each way to
 * end.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/stack/unwind.h"
#include "tests/unit/tap.h"

/*
 * One file, mapped at CODE with offset 0, whose functions have 0x100 bytes each; after it code
 * without a file.
 */
enum {
	CODE = 0x400000,
	CODE_SIZE = 0x10000,
	JIT = 0x900000,
	STACK = 0x7000,
	STACK_SIZE = 512,
	ASKED = 1024,
	FUNCTIONS_MAX = 16,
};

struct image {
	uint8_t bytes[2048];
	size_t len, entry;
};

static struct image cfi_image;
static struct mp_cfi *cfi;
static struct mp_dsos dsos;
static struct mp_dso file;
static struct mp_space space;
static struct mp_unwinder unwinder;
static uint64_t regs[33], stack[STACK_SIZE / 8], ips[64];
static size_t n;

static void put(const void *data, size_t len)
{
	memcpy(cfi_image.bytes + cfi_image.len, data, len);
	cfi_image.len += len;
}

static void put_u32(uint32_t v)
{
	put(&v, 4);
}

static void begin_entry(void)
{
	cfi_image.entry = cfi_image.len;
	put_u32(0);
}

static void end_entry(void)
{
	uint32_t len;

	while (cfi_image.len % 8)
		cfi_image.bytes[cfi_image.len++] = 0;
	len = cfi_image.len - cfi_image.entry - 4;
	memcpy(cfi_image.bytes + cfi_image.entry, &len, 4);
}

/*
 * Makes a CIE and one function, with absolute addresses. The letters are "z", and "S" for a signal
 * frame.
 */
static void function(uint32_t addr, bool signal, int ra, const char *code, size_t len)
{
	size_t cie = cfi_image.len;
	char ra_byte = (char)ra;

	begin_entry();
	put_u32(0);
	put("\1", 1);
	put(signal ? "zRS" : "zR", signal ? 4 : 3);
	put("\1\x78", 2);
	put(&ra_byte, 1);
	put("\1\3", 2); /* encoding: addresses have four bytes */
	end_entry();
	begin_entry();
	put_u32(cfi_image.len - cie);
	put_u32(addr);
	put_u32(0x100);
	put("", 1);
	put(code, len);
	end_entry();
}

#define FUNCTION(addr, signal, ra, code) function(addr, signal, ra, code, sizeof(code) - 1)

static void begin(const struct mp_arch *arch)
{
	cfi_image.len = 0;
	mp_dsos_init(&dsos, NULL);
	mp_unwinder_init(&unwinder, arch, &dsos);
	memset(regs, 0, sizeof(regs));
	memset(stack, 0, sizeof(stack));
}

static void ready(void)
{
	cfi = mp_cfi_new(unwinder.arch);
	mp_cfi_add(cfi, true, cfi_image.bytes, cfi_image.len, 0);
	file = (struct mp_dso){
		.fd = -1, .loaded = true, .cfi_loaded = true, .cfi = cfi, .cfi_id = 1
	};
	space = (struct mp_space){ .refs = 1 };
	mp_space_add(&space, &(struct mp_mapping){ CODE, CODE + CODE_SIZE, 0, &file }, NULL, 0);
	mp_space_add(&space, &(struct mp_mapping){ JIT, JIT + CODE_SIZE, 0, NULL }, NULL, 0);
}

static void end(void)
{
	mp_space_clear(&space, NULL);
	mp_unwinder_release(&unwinder);
	mp_dsos_release(&dsos);
	mp_cfi_free(cfi);
}

static uint64_t *slot(uint64_t addr)
{
	return &stack[(addr - STACK) / 8];
}

static struct mp_dump dump_of(size_t len)
{
	return (struct mp_dump){
		.abi = PERF_SAMPLE_REGS_ABI_64,
		.regs = regs,
		.stack = (const char *)stack,
		.len = len,
		.asked = ASKED,
	};
}

static enum mp_unwind_end walk(void)
{
	struct mp_dump d = dump_of(STACK_SIZE);

	return mp_unwind(&unwinder, &space, &d, ips, MP_ARRAY_SIZE(ips), &n);
}

static bool frames(size_t count, const uint64_t *want)
{
	size_t i;

	for (i = 0; i < n; i++)
		printf("#%s %#llx", i ? "" : " frames", (unsigned long long)ips[i]);
	printf("\n");
	return n == count && memcmp(ips, want, count * sizeof(*ips)) == 0;
}

#define FRAMES(...) frames(sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (uint64_t[]){ __VA_ARGS__ })

/* --- x86-64: perf's order is AX BX CX DX SI DI BP SP IP R8-R15 -------------------------------- */

enum { BX = 1, BP = 6, SP = 7, IP = 8, R10 = 11, R12 = 13 };

static void make_x86(void)
{
	begin(&mp_arch_x86_64);
	/* leaf: CFA = rsp + 16, rbx saved at CFA - 16 */
	FUNCTION(0x1000, false, 16, "\x0c\7\x10\x90\1\x83\2");
	/* by rbx: CFA = rbx + 32 */
	FUNCTION(0x1100, false, 16, "\x0c\3\x20\x90\1\x86\2");
	/* realigned, as gcc does main: CFA = *(rbp - 8), rbp saved where rbp points */
	FUNCTION(0x1200, false, 16, "\x0f\3\x76\x78\6\x90\1\x10\6\2\x76\0");
	/* _start: the return address is undefined */
	FUNCTION(0x1300, false, 16, "\x07\x10\x0c\7\x08");
	/* a signal frame: CFA = *(rsp + 160), rip at rsp + 168, rbx at rsp + 128 */
	FUNCTION(0x13ff, true, 16, "\x0f\4\x77\xa0\1\6\x10\x10\3\x77\xa8\1\x10\3\3\x77\x80\1");
	/* its caller is itself */
	FUNCTION(0x1600, false, 16, "\x0c\7\0\x90\0");
	ready();
}

static void test_x86(void)
{
	uint64_t sp = STACK;

	make_x86();
	regs[IP] = CODE + 0x1010;
	regs[SP] = sp;
	regs[BX] = 77;
	*slot(sp) = STACK + 32;			   /* the saved rbx */
	*slot(sp + 8) = CODE + 0x1150;		   /* the return address, in the caller */
	*slot(STACK + 32 + 32 - 16) = STACK + 128; /* the saved rbp */
	*slot(STACK + 32 + 32 - 8) =
		CODE + 0x1200 + 0x100;	      /* after a call that ends the function */
	*slot(STACK + 128 - 8) = STACK + 256; /* the CFA of the realigned function */
	*slot(STACK + 128) = 1;		      /* the rbp of its caller */
	*slot(STACK + 256 - 8) = CODE + 0x1320;
	ok(walk() == MP_UNWIND_COMPLETE &&
		   FRAMES(CODE + 0x1010, CODE + 0x1150, CODE + 0x1300, CODE + 0x1320),
	   "by the stack pointer, by a register that was saved, realigned, up to the root");

	regs[IP] = CODE + 0x1020;
	*slot(sp + 8) =
		CODE +
		0x1400; /* a handler returns to the beginning of the signal frame's function */
	*slot(sp + 16 + 128) = STACK + 32;
	*slot(sp + 16 + 160) = STACK + 272;
	*slot(sp + 16 + 168) = CODE + 0x1300; /* interrupted at the first instruction */
	ok(walk() == MP_UNWIND_COMPLETE &&
		   FRAMES(CODE + 0x1020, CODE + 0x1400 + 1, CODE + 0x1300 + 1),
	   "through a signal frame; what was interrupted is exact, and counts for naming so");
	end();
}

static void test_x86_frame_pointer(void)
{
	make_x86();
	regs[IP] = JIT + 0x10;
	regs[SP] = STACK;
	regs[BP] = STACK + 64;
	*slot(STACK + 64) = STACK + 128;
	*slot(STACK + 72) = JIT + 0x100;
	*slot(STACK + 128) = 0;
	*slot(STACK + 136) = CODE + 0x1310;
	ok(walk() == MP_UNWIND_COMPLETE && FRAMES(JIT + 0x10, JIT + 0x100, CODE + 0x1310),
	   "along frame pointers where no tables are, then over tables again");
	*slot(STACK + 136) = JIT + 0x200;
	ok(walk() == MP_UNWIND_UNKNOWN && FRAMES(JIT + 0x10, JIT + 0x100, JIT + 0x200),
	   "frame pointer 0: not known to be the root");
	*slot(STACK + 136) = 0x1234567;
	ok(walk() == MP_UNWIND_FRAME_POINTER && FRAMES(JIT + 0x10, JIT + 0x100),
	   "one that leads to no code is not a frame");
	regs[BP] = STACK - 8;
	ok(walk() == MP_UNWIND_FRAME_POINTER && FRAMES(JIT + 0x10), "one below the stack");
	regs[BP] = STACK + 65;
	ok(walk() == MP_UNWIND_FRAME_POINTER && FRAMES(JIT + 0x10), "an odd one");
	regs[BP] = STACK + 64;
	*slot(STACK + 72) = 0;
	ok(walk() == MP_UNWIND_UNKNOWN && FRAMES(JIT + 0x10), "nor return address 0 there");
	regs[IP] = CODE + 0x1010;
	*slot(STACK + 8) = 0;
	ok(walk() == MP_UNWIND_COMPLETE && FRAMES(CODE + 0x1010), "by tables it is the root");
	end();
}

static void test_x86_ends(void)
{
	struct mp_dump d;

	make_x86();
	regs[IP] = CODE + 0x1010;
	regs[SP] = STACK;
	*slot(STACK + 8) = 0x5555555;
	ok(walk() == MP_UNWIND_MAPPING && FRAMES(CODE + 0x1010), "a caller where no code is");
	*slot(STACK + 8) = *slot(STACK + 16) = CODE + 0x1650;
	ok(walk() == MP_UNWIND_CFI && FRAMES(CODE + 0x1010, CODE + 0x1650), "tables in a circle");
	*slot(STACK + 8) = CODE + 0x1050;
	*slot(STACK + 24) = CODE + 0x1060;
	d = dump_of(ASKED);
	d.asked = d.len = 24;
	ok(mp_unwind(&unwinder, &space, &d, ips, 64, &n) == MP_UNWIND_STACK_SIZE &&
		   FRAMES(CODE + 0x1010, CODE + 0x1050),
	   "the copy ends, for it was full");
	d.asked = 64;
	ok(mp_unwind(&unwinder, &space, &d, ips, 64, &n) == MP_UNWIND_ABSENT && n == 2,
	   "a page that was not there");
	d.len = d.asked = 64;
	ok(mp_unwind(&unwinder, &space, &d, ips, 2, &n) == MP_UNWIND_MAX_STACK && n == 2,
	   "the limit of frames");
	d.abi = PERF_SAMPLE_REGS_ABI_32;
	ok(mp_unwind(&unwinder, &space, &d, ips, 64, &n) == MP_UNWIND_ABI && n == 1,
	   "a 32-bit program");
	d.abi = PERF_SAMPLE_REGS_ABI_NONE;
	ok(mp_unwind(&unwinder, &space, &d, ips, 64, &n) == MP_UNWIND_NO_STACK && n == 0,
	   "a kernel thread");
	d.abi = PERF_SAMPLE_REGS_ABI_64;
	d.len = 0;
	d.kernel = true;
	ok(mp_unwind(&unwinder, &space, &d, ips, 64, &n) == MP_UNWIND_NO_STACK && n == 0,
	   "a task that has given its memory up");
	ok(mp_unwind_is_root(&unwinder, &space, CODE + 0x1350, false) &&
		   !mp_unwind_is_root(&unwinder, &space, CODE + 0x1010, false) &&
		   !mp_unwind_is_root(&unwinder, &space, JIT, false),
	   "what a root is");
	end();
}

/* Tests code that has no tables, though its file has some, called by code with tables. */
static void test_x86_bare(void)
{
	make_x86();
	regs[IP] = CODE + 0x3000;
	regs[SP] = STACK;
	regs[BP] = 1;
	*slot(STACK) = CODE + 0x1020;
	*slot(STACK + 16) = CODE + 0x1310;
	ok(walk() == MP_UNWIND_COMPLETE && FRAMES(CODE + 0x3000, CODE + 0x1020, CODE + 0x1310),
	   "a few instructions without tables");
	*slot(STACK) = JIT + 16;
	ok(walk() == MP_UNWIND_FRAME_POINTER && n == 1, "no guess beyond that");
	end();
}

/* Tests the middle of an epilogue: rbx was popped, but the tables still say where it was saved. */
static void test_x86_popped(void)
{
	make_x86();
	regs[IP] = CODE + 0x1010;
	regs[SP] = STACK;
	cfi_image.len = 0;
	mp_cfi_free(cfi);
	mp_space_clear(&space, NULL);
	FUNCTION(0x1000, false, 16, "\x0c\7\x08\x90\1\x83\2"); /* CFA = rsp + 8, rbx at CFA - 16 */
	FUNCTION(0x1100, false, 16, "\x0c\3\x20\x90\1");
	FUNCTION(0x1300, false, 16, "\x07\x10\x0c\7\x08");
	ready();
	regs[BX] = STACK + 16;
	*slot(STACK) = CODE + 0x1150;
	*slot(STACK + 16 + 32 - 8) = CODE + 0x1320;
	ok(walk() == MP_UNWIND_COMPLETE && FRAMES(CODE + 0x1010, CODE + 0x1150, CODE + 0x1320),
	   "a register that was popped already has its value");
	end();
}

/* --- arm64: X0-X29, LR, SP, PC ---------------------------------------------------------------- */

enum { X29 = 29, LR = 30, A_SP = 31, A_PC = 32 };

static void test_arm64(void)
{
	uint64_t signature = 0x0025000000000000;

	begin(&mp_arch_arm64);
	/* a leaf that saves nothing: CFA = sp, the return address is in x30 */
	FUNCTION(0x1000, false, 30, "\x0c\x1f\0");
	/* stp x29, x30, [sp, -32]!; the return address was signed first */
	FUNCTION(0x1100, false, 30, "\x2d\x0c\x1f\x20\x9d\4\x9e\3");
	/* by x29: CFA = x29 + 48, x29 at CFA - 48, x30 at CFA - 40, x19 at CFA - 32 */
	FUNCTION(0x1200, false, 30, "\x0c\x1d\x30\x9d\6\x9e\5\x93\4");
	FUNCTION(0x1300, false, 30, "\x07\x1e\x0c\x1f\0");
	ready();
	regs[A_PC] = CODE + 0x1008;
	regs[LR] = CODE + 0x1120;
	regs[A_SP] = STACK;
	regs[X29] = STACK;
	*slot(STACK) = STACK + 64;			/* x29 */
	*slot(STACK + 8) = signature | (CODE + 0x1220); /* x30 */
	*slot(STACK + 64) = STACK + 160;
	*slot(STACK + 72) = CODE + 0x1310;
	ok(walk() == MP_UNWIND_COMPLETE &&
		   FRAMES(CODE + 0x1008, CODE + 0x1120, CODE + 0x1220, CODE + 0x1310),
	   "arm64: the link register, a signed return address, the frame pointer, the root");
	regs[LR] = CODE + 0x1008;
	ok(walk() == MP_UNWIND_CFI, "arm64: a leaf that returns to itself ends the walk");
	regs[A_PC] = JIT + 16;
	regs[X29] = STACK + 64;
	*slot(STACK + 64) = STACK + 96;
	*slot(STACK + 72) = signature | (JIT + 32);
	*slot(STACK + 96) = 0;
	*slot(STACK + 104) = JIT + 64;
	ok(walk() == MP_UNWIND_UNKNOWN && FRAMES(JIT + 16, JIT + 32, JIT + 64),
	   "arm64: along frame pointers");
	end();
}

int main(void)
{
	mp_init("unit-unwind");
	test_x86();
	test_x86_frame_pointer();
	test_x86_ends();
	test_x86_bare();
	test_x86_popped();
	test_arm64();
	return tap_done();
}
