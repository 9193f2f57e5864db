// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/sources.h"

/*
 * A row for each source. Those with a prefix of their own come before the tracepoints, which any name
 * with a colon may be.
 */
#define SOURCES(ROW)               \
	ROW(cap_aggregates)        \
	ROW(mp_event_source_pmu)   \
	ROW(mp_samplers_source)    \
	ROW(mp_event_source_task)  \
	ROW(mp_tracings_source)    \
	ROW(mp_event_source_probe) \
	ROW(mp_event_source_tracepoint)

#define DECLARATION(source) extern const struct cap_source source;
#define POINTER(source) &source,

SOURCES(DECLARATION)

const struct cap_source *const cap_sources[] = { SOURCES(POINTER) NULL };
