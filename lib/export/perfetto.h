/* SPDX-License-Identifier: GPL-2.0-only */
/* A trace for Perfetto. Includes export. */
#ifndef MP_EXPORT_PERFETTO_H
#define MP_EXPORT_PERFETTO_H

#include "lib/export/export.h"

void mp_export_perfetto(struct mp_export *ex);

#endif
