/* SPDX-License-Identifier: GPL-2.0-only */
/* Trace events, for Perfetto and chrome://tracing. Includes export. */
#ifndef MP_EXPORT_CHROME_H
#define MP_EXPORT_CHROME_H

#include "lib/export/export.h"

void mp_export_chrome(struct mp_export *ex);

#endif
