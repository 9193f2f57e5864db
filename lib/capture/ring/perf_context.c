// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/ring/perf_context.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Somebody else may have made a probe in tracefs: its payload begins with the address. */
static bool may_be_user_probe(const struct mp_event *e)
{
	if (e->ratio)
		return may_be_user_probe(&e->ratio[0]) || may_be_user_probe(&e->ratio[1]);
	return e->user_probe || (!e->probe && e->tp && e->tp->n_fields &&
				 strncmp(e->tp->fields[0].name, "__probe_", 8) == 0);
}

bool mp_perf_context_matters(const struct mp_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (may_be_user_probe(&events->v[i]))
			return true;
	return false;
}

/* The kernel does not swap a context with an inherited event whose samples have its count. */
int mp_perf_context_keep(pid_t tid)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_READ,
		.inherit = 1,
		.disabled = 1,
	};

	mp_builtin_set_attr(&mp_builtin_count, &attr);
	return syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}
