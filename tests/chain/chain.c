// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls down to a leaf and up again, for tests/chain/make: frames of several shapes, and nothing
 * but system calls. Signal handlers would return to signal_return, which has the name and the call
 * frame information of its like in the vDSO.
 */
#define NOINLINE __attribute__((noinline, noclone))

static volatile long sink;

/* Its return address stays in the link register. */
NOINLINE static long leaf(long n)
{
	return sink + n;
}

/* Callee-saved registers, of which the frame pointer is one like the others. */
NOINLINE static long saves(long a, long b, long c)
{
	long x = leaf(a), y = leaf(b), z = leaf(c);

	return x * a + y * b + z * c + leaf(x);
}

NOINLINE static long recurses(long n)
{
	return n ? recurses(n - 1) + sink : saves(n, n + 1, n + 2);
}

/* By the frame pointer, since the size is not known. */
NOINLINE static long allocates(long n)
{
	volatile char *p = __builtin_alloca(n * 16);

	p[n] = 1;
	return recurses(1) + p[n];
}

/* A frame that needs more than one instruction. */
NOINLINE static long large(long n)
{
	volatile char pad[600];

	pad[n] = 1;
	return allocates(n) + pad[n];
}

__attribute__((used)) static long begin(void)
{
	return large(sink + 2);
}

#ifdef __aarch64__
#define ROOT ".cfi_undefined x30\nmov x29, 0\nbl begin\n"
#define SYSTEM_CALL(number) "mov x8, " number "\nsvc 0\n"
#define SIGNAL_RETURN "__kernel_rt_sigreturn"
#else
#define ROOT ".cfi_undefined ra\nli s0, 0\ncall begin\n"
#define SYSTEM_CALL(number) "li a7, " number "\necall\n"
#define SIGNAL_RETURN "__vdso_rt_sigreturn"
#endif

__asm__(".globl _start, signal_return, " SIGNAL_RETURN "\n"
	".type _start, %function\n"
	"_start: .cfi_startproc\n" ROOT SYSTEM_CALL("93") /* exit, with what begin returned */
	".cfi_endproc\n"
	".size _start, . - _start\n"
	".type " SIGNAL_RETURN ", %function\n"
	"signal_return:\n" SIGNAL_RETURN ": .cfi_startproc\n"
	".cfi_signal_frame\n" SYSTEM_CALL("139") ".cfi_endproc\n"
						 ".size " SIGNAL_RETURN ", . - " SIGNAL_RETURN
						 "\n");
