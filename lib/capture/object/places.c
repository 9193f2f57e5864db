// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/places.h"

#include <stdlib.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/object/binary.h"

/* Converts the arguments of static probes from the notation of notes to that of tracefs. */
static void translate_args(struct mp_cut_places *places)
{
	size_t i;

	for (i = 0; i < places->n; i++) {
		struct mp_buf args = { NULL, 0, 0 };

		mp_usdt_args(&args, mp_arch_here(), places->v[i].args);
		mp_buf_byte(&args, '\0');
		free(places->v[i].args);
		places->v[i].args = args.p;
	}
}

static void find_cheap_places(struct mp_cut_places *places, int fd)
{
	size_t i;

	for (i = 0; i < places->n; i++)
		places->v[i].offset = mp_binary_cheap_place(fd, places->v[i].offset);
}

int mp_binary_places(const struct mp_cut_place_request *request, int fd,
		     struct mp_cut_places *answer, char **error)
{
	const struct mp_binary file = { request->file, fd };
	int result;

	*answer = (struct mp_cut_places){ .path = mp_strdup(request->file) };
	if (request->markers) {
		result = mp_binary_markers(answer, &file, request->what, error);
		translate_args(answer);
	} else {
		result = mp_binary_functions(answer, &file, request->what, error);
		if (request->entry)
			find_cheap_places(answer, fd);
	}
	return result;
}
