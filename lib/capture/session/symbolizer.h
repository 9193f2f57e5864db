/* SPDX-License-Identifier: GPL-2.0-only */
/* How records become text, for sources that handle some of their own. Includes format, task, taskname. */
#ifndef MP_CAPTURE_SESSION_SYMBOLIZER_H
#define MP_CAPTURE_SESSION_SYMBOLIZER_H

#include "lib/capture/format/format.h"
#include "lib/capture/stack/task.h"
#include "lib/stream/taskname.h"

/* Borrowed. */
struct cap_symbolizer {
	struct mp_formatter *formatter;
	struct mp_tasks *tasks;
	struct mp_tasknames *names; /* NULL: tasks keep theirs */
};

#endif
