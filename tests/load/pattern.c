// SPDX-License-Identifier: GPL-2.0-only
/*
 * pattern ROUNDS: allocates in a pattern with a period of 16 KiB, which a sampler at a fixed
 * distance that divides 16 KiB would follow:
 *
 *	first, second	5,000 bytes each
 *	third		6,384 bytes in 3 blocks
 */
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone, no_icf)) static

NOINLINE void allocate(size_t bytes)
{
	void *volatile block = malloc(bytes);

	free(block);
}

NOINLINE void first(void)
{
	allocate(5000);
	__asm__ volatile("");
}

NOINLINE void second(void)
{
	allocate(5000);
	__asm__ volatile("");
}

NOINLINE void third(void)
{
	allocate(2128);
	allocate(2128);
	allocate(2128);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1;

	while (rounds-- > 0) {
		first();
		second();
		third();
	}
	return 0;
}
