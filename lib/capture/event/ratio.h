/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ratios of two counters that have a name, "stat:ipc", as the text of their two events. Includes
 * base only.
 */
#ifndef MP_CAPTURE_EVENT_RATIO_H
#define MP_CAPTURE_EVENT_RATIO_H

#include "lib/core/base.h"

struct mp_ratio {
	const char *name;
	const char *events; /* both events, as in -e; the first is divided by the second */
	bool hardware;	    /* they are counted by the processor */
};

/* The ratios, and after the last one a row whose name is NULL. */
extern const struct mp_ratio mp_ratios[];

/* The events of a ratio by its name; NULL if there is none. */
const char *mp_ratio_find(const char *name);

#endif
