// SPDX-License-Identifier: GPL-2.0-only
#include "lib/export/target.h"

#include "lib/export/chrome.h"
#include "lib/export/perfetto.h"
#include "lib/export/pprof.h"
#include "lib/export/speedscope.h"

static const struct mp_export_target targets[] = {
	{ "chrome", MP_EVENT, false, mp_export_chrome },
	{ "perfetto", MP_EVENT, true, mp_export_perfetto },
	{ "pprof", MP_EVENT | MP_STACK | MP_FOLDED, true, mp_export_pprof },
	{ "speedscope", MP_EVENT | MP_STACK | MP_FOLDED, false, mp_export_speedscope },
};

const struct mp_export_target *mp_export_target(size_t i)
{
	return i < MP_ARRAY_SIZE(targets) ? &targets[i] : NULL;
}
