/* SPDX-License-Identifier: GPL-2.0-only */
/* Unit tests in the Test Anything Protocol: ok(condition, "what"), then return tap_done(). */
#ifndef TAP_H
#define TAP_H

#include <stdio.h>

static int tap_count, tap_failed;

#define ok(condition, ...)                                                       \
	do {                                                                     \
		int ok_ = !!(condition);                                         \
		tap_failed += !ok_;                                              \
		printf("%sok %d ", ok_ ? "" : "not ", ++tap_count);              \
		printf(__VA_ARGS__);                                             \
		printf("\n");                                                    \
		if (!ok_)                                                        \
			printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition); \
	} while (0)

static int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed != 0;
}

#endif
