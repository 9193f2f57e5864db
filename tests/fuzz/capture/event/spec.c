// SPDX-License-Identifier: GPL-2.0-only
/* The operands of -e, --fields and -p. */
#include <stdlib.h>

#include "lib/capture/event/pmu.h"
#include "lib/capture/event/spec.h"
#include "lib/capture/host/proc.h"
#include "lib/capture/session/sources.h"
#include "lib/stream/rec.h"

static void check_spec(const struct mp_spec *s)
{
	struct mp_pmu_event event;
	char *error;

	if (!*s->name || s->precise > 3 || (s->precise && s->most_precise) || s->max_stack > 1024 ||
	    s->top > 1000000)
		abort();
	if (s->when.running && s->when.running_min > s->when.running_max)
		abort();
	if (s->config && strchr(s->name, ':'))
		abort();
	if (!strchr(s->name, ':') &&
	    mp_pmu_find(MP_PMU_DEVICES, s->name, s->config, &event, &error) < 0)
		free(error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mp_strndup((const char *)data, size), *error = NULL;
	struct mp_specs specs = { NULL, 0, 0 };
	struct mp_fields fields = { NULL, 0, 0 };
	struct mp_pids pids = { NULL, 0, 0 };
	struct mp_str bad;
	uint64_t v;
	size_t i;

	if (mp_specs_parse(&specs, text, cap_sources_parse, &error) < 0) {
		if (!error || !*error)
			abort();
		free(error);
	} else {
		for (i = 0; i < specs.n; i++)
			check_spec(&specs.v[i]);
	}
	mp_specs_release(&specs);
	mp_fields_parse(&fields, text, &bad);
	mp_fields_release(&fields);
	mp_pids_parse(&pids, text);
	mp_pids_release(&pids);
	mp_num_duration(text, &v);
	mp_num_size(text, &v);
	free(text);
	return 0;
}
