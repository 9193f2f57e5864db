/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of the sources of events. Includes source. */
#ifndef MP_CAPTURE_SESSION_SOURCES_H
#define MP_CAPTURE_SESSION_SOURCES_H

#include "lib/capture/event/source.h"

/* In the order in which they are asked for a name, NULL after the last one. */
extern const struct cap_source *const cap_sources[];

#endif
