// SPDX-License-Identifier: GPL-2.0-only
/* What -e, --fields and -p take. */
#include <stdlib.h>

#include "lib/capture/proc.h"
#include "lib/capture/spec.h"
#include "lib/rec.h"

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

	if (mp_specs_parse(&specs, text, &error) < 0) {
		if (!error || !*error)
			abort();
		free(error);
	} else {
		for (i = 0; i < specs.n; i++)
			if (!*specs.v[i].name || specs.v[i].precise > 3 ||
			    specs.v[i].max_stack > 1024 || specs.v[i].top > 1000000)
				abort();
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
