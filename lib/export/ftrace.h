/* SPDX-License-Identifier: GPL-2.0-only */
/* Text, as in the file trace of tracefs. Includes export. */
#ifndef MP_EXPORT_FTRACE_H
#define MP_EXPORT_FTRACE_H

#include "lib/export/export.h"

void mp_export_ftrace(struct mp_export *ex);

#endif
