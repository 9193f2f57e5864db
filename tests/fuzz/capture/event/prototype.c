// SPDX-License-Identifier: GPL-2.0-only
/* Fields of functions and raw tracepoints, by the types of this kernel. */
#include <stdlib.h>

#include "lib/capture/event/prototype.h"

/* What the program is given must stay within its arrays, and every field within the record. */
static void check(const struct mp_prototype *p)
{
	size_t texts = 0, i;

	if (p->setup.n_fields != p->tp->n_fields || p->setup.n_fields > MP_TRACING_FIELDS ||
	    p->setup.n_args > MP_TRACING_ARGS)
		abort();
	for (i = 0; i < p->setup.n_fields; i++) {
		const struct mp_tracing_field *f = &p->setup.fields[i];
		const struct mp_tp_field *field = &p->tp->fields[i];

		texts += f->kind != MP_TRACING_NUMBER;
		if (f->arg > MP_TRACING_ARGS || f->n_reads > MP_TRACING_READS || f->size > 8 ||
		    f->left > 63 || f->right > 63 || !*field->name ||
		    strpbrk(field->name, "\t\n= ") || field->offset != mp_tracing_offset(i) ||
		    field->size > 8)
			abort();
	}
	if (texts > MP_TRACING_TEXTS)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		enum mp_traced traced;
		const char *name;
	} of[] = {
		{ MP_TRACED_POINT, "sched_switch" },
		{ MP_TRACED_ENTRY, "vfs_read" },
		{ MP_TRACED_EXIT, "tcp_sendmsg" },
	};
	char *list = mp_strndup((const char *)data, size), *error = NULL;
	struct mp_prototype p;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(of); i++) {
		if (mp_prototype_find(&p, of[i].traced, of[i].name, list, &error) < 0) {
			if (!error || !*error)
				abort();
			free(error);
			continue;
		}
		check(&p);
		mp_tp_free(p.tp);
	}
	free(list);
	return 0;
}
