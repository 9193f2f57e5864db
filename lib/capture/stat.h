/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Counting without recording: how often events happened in each interval, as events "stat:NAME" of
 * a CPU, process or cgroup. Includes session.
 */
#ifndef MP_CAPTURE_STAT_H
#define MP_CAPTURE_STAT_H

#include "lib/capture/session.h"

/*
 * Counts o->specs every o->interval_ns, on what the options say, until it is stopped as a recording
 * is. Returns the status for main. What cannot be done at all ends the program.
 */
enum mp_status mp_stat(struct mp_record_options *o);

#endif
