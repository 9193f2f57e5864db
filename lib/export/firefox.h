/* SPDX-License-Identifier: GPL-2.0-only */
/* A processed profile, for profiler.firefox.com. Includes export. */
#ifndef MP_EXPORT_FIREFOX_H
#define MP_EXPORT_FIREFOX_H

#include "lib/export/export.h"

void mp_export_firefox(struct mp_export *ex);

#endif
