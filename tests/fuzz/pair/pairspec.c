// SPDX-License-Identifier: GPL-2.0-only
/*
 * The options of mp-pair, a step, a key and fields in turn, one on each line: each is parsed, or
 * refused with a reason.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/pair/pairspec.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_names(const struct mp_pair_specs *s)
{
	size_t i, k;

	for (i = 0; i < s->n_takes; i++)
		for (k = 0; k < i; k++)
			if (mp_str_eq(s->takes[i].name, s->takes[k].name))
				abort();
	for (i = 0; i < s->n_keys; i++)
		if (s->keys[i].begin.n != s->keys[i].end.n)
			abort();
	for (i = 0; i < s->n_specs; i++)
		if (!*s->specs[i].glob || strpbrk(s->specs[i].glob, ",/"))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = mp_strndup((const char *)data, size), *line = text, *next;
	struct mp_pair_specs *specs = mp_zalloc(sizeof(*specs));
	char *error = NULL;
	int n = 0, status = 0;

	for (; line && status == 0; line = next, n++) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (n % 3 == 0)
			status = mp_pair_specs_step(specs, n / 3, line, &error);
		else if (n % 3 == 1)
			status = mp_pair_specs_key(specs, line, &error);
		else
			status = mp_pair_specs_fields(specs, line, &error);
	}
	if (status < 0 && (!error || !*error))
		abort();
	if (status == 0)
		check_names(specs);
	free(error);
	mp_pair_specs_release(specs);
	free(specs);
	free(text);
	return 0;
}
