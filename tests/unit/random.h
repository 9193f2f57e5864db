/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers of unit tests, the same in each run; the test sets `random_state`, not to 0. */
#ifndef TESTS_UNIT_RANDOM_H
#define TESTS_UNIT_RANDOM_H

#include <math.h>
#include <stdint.h>

static uint64_t random_state;

/* xorshift64*, https://doi.org/10.18637/jss.v008.i14: a number from 0 to below 1 */
static inline double random_number(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return (double)(random_state * 0x2545f4914f6cdd1d >> 11) / 9007199254740992.0;
}

/* A number of the normal distribution. */
static inline double random_normal(void)
{
	return sqrt(-2 * log(1 - random_number())) * cos(2 * M_PI * random_number());
}

#endif
