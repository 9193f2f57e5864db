// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls down to a leaf and up again, for tests/arm64/make: frames of several shapes, return addresses
 * signed (-mbranch-protection=standard), nothing but system calls.
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

__asm__(".globl _start\n"
	".type _start, %function\n"
	"_start: .cfi_startproc\n"
	".cfi_undefined x30\n"
	"mov x29, 0\n"
	"bl begin\n"
	"mov x8, 93\n" /* exit */
	"mov x0, 0\n"
	"svc 0\n"
	".cfi_endproc\n"
	".size _start, . - _start\n");
