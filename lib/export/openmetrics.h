/* SPDX-License-Identifier: GPL-2.0-only */
/* Distributions and counts of mp-hist, as metrics for Prometheus. Includes export. */
#ifndef MP_EXPORT_OPENMETRICS_H
#define MP_EXPORT_OPENMETRICS_H

#include "lib/export/export.h"

void mp_export_openmetrics(struct mp_export *ex);

#endif
