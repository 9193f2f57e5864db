/* SPDX-License-Identifier: GPL-2.0-only */
/* What sources need to convert records of their own to text. Includes format, task, taskname. */
#ifndef MP_CAPTURE_SESSION_SYMBOLIZER_H
#define MP_CAPTURE_SESSION_SYMBOLIZER_H

#include "lib/capture/format/format.h"
#include "lib/capture/stack/task.h"
#include "lib/stream/taskname.h"

/* Members are borrowed. */
struct cap_symbolizer {
	struct mp_formatter *formatter;
	struct mp_tasks *tasks;
	struct mp_tasknames *names; /* names from the user's table; NULL: tasks keep theirs */
};

#endif
