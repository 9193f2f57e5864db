// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86-64. DWARF numbers: System V ABI, AMD64 supplement, figure 3.36. Samples: Linux,
 * arch/x86/include/uapi/asm/perf_regs.h: AX BX CX DX SI DI BP SP IP, and from bit 16 R8 to R15.
 */
#include <ctype.h>
#include <elf.h>

#include "lib/capture/host/arch.h"

static const uint8_t dwarf[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15 };
static const char *const arg_regs[] = { "%di", "%si", "%dx", "%cx", "%r8", "%r9" };

/*
 * Finds the kernel's name of "r8d" or "r15": Linux, arch/x86/kernel/ptrace.c, has these names
 * without the suffix.
 */
static bool put_numbered(struct mp_buf *to, struct mp_str reg)
{
	size_t len = 1;

	while (len < reg.len && isdigit((unsigned char)reg.p[len]))
		len++;
	if (reg.len < 2 || reg.p[0] != 'r' || len == 1)
		return false;
	mp_buf_printf(to, "%%%.*s", (int)len, reg.p);
	return true;
}

/* Finds the kernel's name of "rdi", "edi", "di" or "dil", which is "di"; that of "al" is "ax". */
static bool put_register(struct mp_buf *to, struct mp_str reg)
{
	static const char *const names[] = { "ax", "bx", "cx", "dx", "si", "di", "bp", "sp" };
	size_t i;

	if (put_numbered(to, reg))
		return true;
	if (reg.len == 3 && (reg.p[0] == 'r' || reg.p[0] == 'e'))
		reg.p++, reg.len--;
	for (i = 0; i < MP_ARRAY_SIZE(names); i++) {
		bool full = reg.len == 2 && memcmp(reg.p, names[i], 2) == 0;
		bool low = reg.len >= 2 && reg.p[0] == names[i][0] &&
			   ((reg.len == 2 && reg.p[1] == 'l' && i < 4) ||
			    (reg.len == 3 && reg.p[1] == names[i][1] && reg.p[2] == 'l'));

		if (!full && !low)
			continue;
		mp_buf_printf(to, "%%%s", names[i]);
		return true;
	}
	return false;
}

/* Instructions that the kernel emulates instead of single-stepping: arch/x86/kernel/uprobes.c. */
static bool is_emulated(const uint8_t *code)
{
	return (code[0] & 0xf8) == 0x50 ||		      /* push */
	       (code[0] & 0xf0) == 0x70 ||		      /* short conditional jump */
	       (code[0] == 0x0f && (code[1] & 0xf0) == 0x80); /* near conditional jump */
}

/*
 * The length of "test %rdi,%rdi" or a similar test, which changes only flags; 0 if it is another
 * instruction.
 */
static size_t test_of_register(const uint8_t *code)
{
	size_t prefix = (code[0] & 0xf0) == 0x40;

	return code[prefix] == 0x85 && code[prefix + 1] >= 0xc0 ? prefix + 2 : 0;
}

static size_t cheap_place(const uint8_t *code, size_t len)
{
	/* bytes of a test, and of an instruction that depends on its flags */
	enum { LONGEST = 3 + 2 };
	size_t test = len >= LONGEST ? test_of_register(code) : 0;

	return test && is_emulated(code + test) ? test : 0;
}

/*
 * breg7 (rsp) + 8, and 8 more if breg16 (rip) & 15 >= 11: the linker writes no other CFA for .plt
 */
static const uint8_t plt_cfa[] = {
	0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22
};

static const struct mp_arch_bpf bpf = {
	.perf_place = 1 << 7 | 1 << 8,
	.ra_copy = 5, /* rdi, in which glibc's vfork keeps its return address */
	.plt_cfa = plt_cfa,
	.plt_cfa_len = sizeof(plt_cfa),
};

const struct mp_arch mp_arch_x86_64 = {
	.name = "x86_64",
	.elf_machine = EM_X86_64,
	.libraries = "x86_64-linux-gnu",
	.perf_regs = 0xff01ff,
	.n_regs = MP_ARRAY_SIZE(dwarf),
	.dwarf = dwarf,
	.cfi_regs = 17,
	.sp = 7,
	.fp = 6,
	.pc = 16,
	.ra = 16,
	.code_mask = UINT64_MAX,
	.record_ra = 8,
	.record_cfa = 16,
	.plt_head = 16,
	.plt_entry = 16,
	.arg_regs = arg_regs,
	.n_arg_regs = MP_ARRAY_SIZE(arg_regs),
	.bp_exec_len = 8, /* arch/x86/kernel/hw_breakpoint.c: only sizeof(long) is accepted */
	.put_register = put_register,
	.cheap_place = cheap_place,
	.bpf = &bpf,
};
