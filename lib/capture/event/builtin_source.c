// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/builtin_source.h"

enum cap_resolved mp_builtin_resolve(struct mp_resolver *r, const char *prefix, mp_builtin_fn *add)
{
	const struct mp_spec *s = r->spec;

	if (strncmp(s->name, prefix, strlen(prefix)) != 0)
		return CAP_OTHER;
	r->count = false;
	if (!mp_builtin_each(s->name, add, r)) {
		r->count = s->count;
		return CAP_OTHER;
	}
	return r->failed ? CAP_FAILED : CAP_RESOLVED;
}

struct listing {
	struct cap_listing *to;
	bool polled;
};

static void show(void *arg, const struct mp_builtin *own)
{
	const struct listing *l = arg;

	if ((own->kind != MP_BUILTIN_RECORD) == l->polled)
		l->to->show(l->to->arg, &(struct cap_listed){
						.name = own->name,
						.what = own->what,
						.fields = own->fields,
						.n_fields = own->n_fields,
					});
}

void mp_builtin_list(struct cap_listing *l, bool polled)
{
	mp_builtin_each(l->glob, show, &(struct listing){ l, polled });
}
