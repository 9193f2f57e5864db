// SPDX-License-Identifier: GPL-2.0-only
/* Any collector file, with and without an argument. */
#include <stdlib.h>

#include "lib/capture/session/collector.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "name", "name:argument,list" };
	struct mp_collector *c;
	char *error;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(names); i++) {
		c = mp_collector_parse(names[i], "file",
				       (struct mp_str){ (const char *)data, size }, &error);
		if (!c)
			free(error);
		else if (!c->summary || (!c->events.n && !c->optional.n && !c->members.n))
			abort();
		mp_collector_free(c);
	}
	return 0;
}
