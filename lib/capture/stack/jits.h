/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The perf maps of all processes, within the shares of their users; the least recently used ones
 * give way. Includes perfmap, task.
 */
#ifndef MP_CAPTURE_STACK_JITS_H
#define MP_CAPTURE_STACK_JITS_H

#include "lib/capture/object/perfmap.h"
#include "lib/capture/stack/task.h"

struct mp_jits {
	struct mp_opener *opener; /* borrowed, like the next two members */
	struct mp_budget *budget; /* NULL: no limits for single users */
	const struct mp_tasks *tasks;
	struct mp_intmap by_pid; /* -> struct mp_jit */
};

void mp_jits_init(struct mp_jits *j, struct mp_opener *opener);
void mp_jits_release(struct mp_jits *j);

/*
 * The name of code that has no file, NULL if there is none; valid until the next call. `now_ns` may
 * be of any clock.
 */
const char *mp_jits_find(struct mp_jits *j, struct mp_process *process, uint64_t addr,
			 uint64_t now_ns);

#endif
