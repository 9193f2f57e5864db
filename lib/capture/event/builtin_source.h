/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the sources of the built-in events (builtin.h) share: how a name is resolved, and how the
 * events are listed. Includes builtin, source.
 */
#ifndef MP_CAPTURE_EVENT_BUILTIN_SOURCE_H
#define MP_CAPTURE_EVENT_BUILTIN_SOURCE_H

#include "lib/capture/event/builtin.h"
#include "lib/capture/event/source.h"

/*
 * Calls `add` with the resolver for each event that matches the name, if this begins with the
 * prefix ("mem:"). Refuses filters and modifiers. Clears r->count, since these events cannot be
 * counted.
 */
enum cap_resolved mp_builtin_resolve(struct mp_resolver *r, const char *prefix, mp_builtin_fn *add);

/* Shows the polled values, or the events for which the kernel has records. */
void mp_builtin_list(struct cap_listing *l, bool polled);

#endif
