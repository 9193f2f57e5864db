// SPDX-License-Identifier: GPL-2.0-only
/*
 * With MP_PLAIN in the environment, numbers of tracepoints have no names: what recording with names
 * costs is measured beside that (tests/bench/run names).
 */
#include <stdlib.h>

#include "lib/capture/event/tracepoint_format.h"

struct mp_tp *__real_mp_tp_parse(struct mp_str text, const char *system);
struct mp_tp *__wrap_mp_tp_parse(struct mp_str text, const char *system);

struct mp_tp *__wrap_mp_tp_parse(struct mp_str text, const char *system)
{
	struct mp_tp *tp = __real_mp_tp_parse(text, system);
	size_t i;

	for (i = 0; tp && getenv("MP_PLAIN") && i < tp->n_fields; i++) {
		mp_names_free(tp->fields[i].names);
		tp->fields[i].names = NULL;
	}
	return tp;
}
