// SPDX-License-Identifier: GPL-2.0-only
/*
 * 64-bit RISC-V. DWARF numbers, frame records and the procedure linkage table: "RISC-V ABIs
 * Specification" (riscv-elf-psabi-doc). Samples: Linux, arch/riscv/include/uapi/asm/perf_regs.h:
 * PC, then x1 (RA) to x31 (T6).
 */
#include <elf.h>
#include <stdio.h>

#include "lib/capture/host/arch.h"

/* DWARF has no number for the program counter; this one is that of f0, which no function saves */
enum { PC = 32 };

static const uint8_t dwarf[] = { PC, 1,	 2,  3,	 4,  5,	 6,  7,	 8,  9,	 10, 11, 12, 13, 14, 15,
				 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };
static const char *const arg_regs[] = { "%a0", "%a1", "%a2", "%a3", "%a4", "%a5" };

/* The assembler's names are those of arch/riscv/kernel/ptrace.c; it has none for "zero". */
static bool put_register(struct mp_buf *to, struct mp_str reg)
{
	static const char names[] = " ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 "
				    "s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6 ";
	char word[8];

	if (reg.len > 3 || memchr(reg.p, ' ', reg.len))
		return false;
	snprintf(word, sizeof(word), " %.*s ", MP_STR_ARGS(reg));
	if (!reg.len || !strstr(names, word))
		return false;
	mp_buf_printf(to, "%%%.*s", MP_STR_ARGS(reg));
	return true;
}

const struct mp_arch mp_arch_riscv64 = {
	.name = "riscv64",
	.elf_machine = EM_RISCV,
	.libraries = "riscv64-linux-gnu",
	.perf_regs = 0xffffffff,
	.n_regs = MP_ARRAY_SIZE(dwarf),
	.dwarf = dwarf,
	.cfi_regs = 32,
	.sp = 2,
	.fp = 8,
	.pc = PC,
	.ra = 1,
	.link_register = true,
	.code_mask = UINT64_MAX,
	.record_fp = -16,
	.record_ra = -8,
	/*
	 * arch/riscv/kernel/signal.c: siginfo (128 bytes), then ucontext, whose registers are at
	 * 176
	 */
	.signal_return = "__vdso_rt_sigreturn",
	.signal_regs = 128 + 176,
	.plt_head = 32,
	.plt_entry = 16,
	.arg_regs = arg_regs,
	.n_arg_regs = MP_ARRAY_SIZE(arg_regs),
	.bp_exec_len = 8, /* the length that perf uses; the kernel accepts any */
	.put_register = put_register,
};
