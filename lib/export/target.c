// SPDX-License-Identifier: GPL-2.0-only
#include "lib/export/target.h"

#include "lib/export/chrome.h"
#include "lib/export/firefox.h"
#include "lib/export/ftrace.h"
#include "lib/export/openmetrics.h"
#include "lib/export/perfetto.h"
#include "lib/export/pprof.h"
#include "lib/export/speedscope.h"

static const struct mp_export_target targets[] = {
	{ "chrome", MP_EVENT, false, false, mp_export_chrome },
	{ "firefox", MP_EVENT | MP_STACK | MP_FOLDED, false, true, mp_export_firefox },
	{ "ftrace", MP_EVENT, false, false, mp_export_ftrace },
	{ "openmetrics", MP_EVENT, false, false, mp_export_openmetrics },
	{ "perfetto", MP_EVENT, true, false, mp_export_perfetto },
	{ "pprof", MP_EVENT | MP_STACK | MP_FOLDED, true, false, mp_export_pprof },
	{ "speedscope", MP_EVENT | MP_STACK | MP_FOLDED, false, false, mp_export_speedscope },
};

const struct mp_export_target *mp_export_target(size_t i)
{
	return i < MP_ARRAY_SIZE(targets) ? &targets[i] : NULL;
}
