// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/cut.h"

#include <stdlib.h>

void mp_cut_places_release(struct mp_cut_places *places)
{
	size_t i;

	for (i = 0; i < places->n; i++) {
		free(places->v[i].provider);
		free(places->v[i].name);
		free(places->v[i].args);
	}
	free(places->v);
	free(places->path);
	*places = (struct mp_cut_places){ .n = 0 };
}
