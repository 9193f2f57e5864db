// SPDX-License-Identifier: GPL-2.0-only
/* A shared library with an inlined function, for tests/srcline.bats. */
volatile unsigned long library_sum;

void library_work(unsigned long n);

static inline __attribute__((always_inline)) void library_inlined(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		library_sum += i;
}

void library_work(unsigned long n)
{
	library_inlined(n);
	library_sum++;
}
