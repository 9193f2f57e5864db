// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/arch.h"

/* Linux, arch/x86/include/uapi/asm/perf_regs.h: AX BX CX DX SI DI BP SP IP, then from 16 R8 to R15. */
static const uint8_t x86_64_dwarf[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15 };

const struct mp_arch mp_arch_x86_64 = {
	.name = "x86_64",
	.perf_regs = 0xff01ff,
	.perf_pc = 1 << 8,
	.n_regs = MP_ARRAY_SIZE(x86_64_dwarf),
	.dwarf = x86_64_dwarf,
	.sp = 7,
	.fp = 6,
	.pc = 16,
	.code_mask = UINT64_MAX,
};

/* arch/arm64/include/uapi/asm/perf_regs.h: X0 to X29, LR, SP, PC. */
static const uint8_t arm64_dwarf[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
				       11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
				       22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };

const struct mp_arch mp_arch_arm64 = {
	.name = "aarch64",
	.perf_regs = 0x1ffffffff,
	.perf_pc = 1ull << 32,
	.n_regs = MP_ARRAY_SIZE(arm64_dwarf),
	.dwarf = arm64_dwarf,
	.sp = 31,
	.fp = 29,
	.pc = 32,
	.link_register = true,
	.code_mask = 0x0000ffffffffffff, /* addresses of programs have 48 bits */
};

const struct mp_arch *mp_arch_here(void)
{
#if defined(__x86_64__)
	return &mp_arch_x86_64;
#elif defined(__aarch64__)
	return &mp_arch_arm64;
#else
	return NULL;
#endif
}
