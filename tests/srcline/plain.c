// SPDX-License-Identifier: GPL-2.0-only
/* A function of another unit, without inlined ones. */
extern volatile unsigned long sum;

void plain_work(unsigned long n);

void plain_work(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sum ^= i;
}
