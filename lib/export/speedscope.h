/* SPDX-License-Identifier: GPL-2.0-only */
/* A profile for speedscope. Includes export. */
#ifndef MP_EXPORT_SPEEDSCOPE_H
#define MP_EXPORT_SPEEDSCOPE_H

#include "lib/export/export.h"

void mp_export_speedscope(struct mp_export *ex);

#endif
