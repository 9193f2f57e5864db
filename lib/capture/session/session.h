/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording from beginning to end: plan, open, run, finish. Includes options. */
#ifndef MP_CAPTURE_SESSION_SESSION_H
#define MP_CAPTURE_SESSION_SESSION_H

#include "lib/capture/session/options.h"

/*
 * Records. Returns the status for main. If recording is impossible, ends the program with a message
 * that says what is missing.
 */
enum mp_status mp_record(struct mp_record_options *o);

#endif
