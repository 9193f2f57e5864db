/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile for pprof. Includes export. */
#ifndef MP_EXPORT_PPROF_H
#define MP_EXPORT_PPROF_H

#include "lib/export/export.h"

void mp_export_pprof(struct mp_export *ex);

#endif
