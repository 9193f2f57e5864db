/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bell: one thread rings it, another one waits for it with poll(2). It is an eventfd. Includes
 * base only.
 */
#ifndef MP_CAPTURE_HOST_BELL_H
#define MP_CAPTURE_HOST_BELL_H

#include "lib/core/base.h"

/* Makes a bell and returns its file descriptor. A failure ends the program. */
int mp_bell_new(void);

/*
 * Rings the bell: makes it readable, if it is not yet. A ring is never lost: ends the program if it
 * cannot ring.
 */
void mp_bell_ring(int fd);

/* Whether the bell was rung since the last call. Does not wait. */
bool mp_bell_answer(int fd);

#endif
