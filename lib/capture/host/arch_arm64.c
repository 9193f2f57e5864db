// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64. DWARF numbers, and the instruction for signed return addresses: "DWARF for the Arm 64-bit
 * Architecture" (AADWARF64). Samples: Linux, arch/arm64/include/uapi/asm/perf_regs.h: X0 to X29,
 * LR, SP, PC.
 */
#include <ctype.h>
#include <elf.h>

#include "lib/capture/host/arch.h"

static const uint8_t dwarf[] = { 0,  1,	 2,  3,	 4,  5,	 6,  7,	 8,  9,	 10, 11, 12, 13, 14, 15, 16,
				 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };
static const char *const arg_regs[] = { "%x0", "%x1", "%x2", "%x3", "%x4", "%x5" };

/*
 * Finds the kernel's name of "x0", of its lower half "w0", or of "sp": Linux,
 * arch/arm64/kernel/ptrace.c.
 */
static bool put_register(struct mp_buf *to, struct mp_str reg)
{
	size_t len = 1;

	while (len < reg.len && isdigit((unsigned char)reg.p[len]))
		len++;
	if (mp_str_eq(reg, MP_STR("sp")))
		mp_buf_str(to, MP_STR("%sp"));
	else if (reg.len > 1 && len > 1 && (reg.p[0] == 'x' || reg.p[0] == 'w'))
		mp_buf_printf(to, "%%x%.*s", (int)len - 1, reg.p + 1);
	else
		return false;
	return true;
}

const struct mp_arch mp_arch_arm64 = {
	.name = "aarch64",
	.elf_machine = EM_AARCH64,
	.libraries = "aarch64-linux-gnu",
	.perf_regs = 0x1ffffffff,
	.n_regs = MP_ARRAY_SIZE(dwarf),
	.dwarf = dwarf,
	.cfi_regs = 35,
	.sp = 31,
	.fp = 29,
	.pc = 32,
	.ra = 30,
	.link_register = true,
	.cfa_sign = 0x2d, /* DW_CFA_AARCH64_negate_ra_state */
	.sign_key = 'B',
	.code_mask = 0x0000ffffffffffff, /* keeps 48 bits, the size of a program's addresses */
	.record_ra = 8,
	.record_cfa = 16,
	/*
	 * arch/arm64/kernel/signal.c: siginfo (128 bytes), then ucontext, whose registers are at
	 * 184
	 */
	.signal_return = "__kernel_rt_sigreturn",
	.signal_regs = 128 + 184,
	.plt_head = 32,
	.plt_entry = 16,
	.arg_regs = arg_regs,
	.n_arg_regs = MP_ARRAY_SIZE(arg_regs),
	.bp_exec_len = 4, /* arch/arm64/kernel/hw_breakpoint.c */
	.put_register = put_register,
};
