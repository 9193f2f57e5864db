// SPDX-License-Identifier: GPL-2.0-only
/* Events of tasks, which the kernel reports by special records: "task:exec" and so on. */
#include "lib/capture/event/resolver.h"
#include "lib/capture/event/source.h"

static void add(void *arg, const struct mp_builtin *own)
{
	struct mp_resolver *r = arg;
	struct mp_event *e;

	if (mp_resolver_find(r, own->name) >= 0)
		return;
	e = mp_resolver_add(r, own->name);
	e->own = own;
	e->each = true;
	mp_builtin_set_attr(own, &e->attr);
	mp_resolver_write_fields(e);
	/* only samples have it */
	e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CGROUP;
	e->context &= ~MP_CTX_CGROUP;
}

static enum cap_resolved resolve(struct mp_resolver *r)
{
	const struct mp_spec *s = r->spec;

	if (strncmp(s->name, "task:", 5) != 0)
		return CAP_OTHER;
	r->count = false;
	if (!mp_builtin_each(s->name, add, r)) {
		r->count = s->count;
		return CAP_OTHER;
	}
	if (s->filter || s->user || s->kernel || s->precise)
		return mp_resolver_fail(r, mp_asprintf("%s: it takes no filter and no modifier "
						       "(mp-select(1) filters afterwards)",
						       s->name));
	if (s->count)
		return mp_resolver_fail(r,
					mp_asprintf("%s: the kernel does not count it", s->name));
	return CAP_RESOLVED;
}

static void show(void *arg, const struct mp_builtin *own)
{
	struct cap_listing *l = arg;

	if (own->kind == MP_BUILTIN_RECORD)
		l->show(l->arg, &(struct cap_listed){
					.name = own->name,
					.what = own->what,
					.fields = own->fields,
					.n_fields = own->n_fields,
				});
}

static bool list(struct cap_listing *l)
{
	mp_builtin_each(l->glob, show, l);
	return false;
}

const struct cap_source mp_event_source_task = {
	.name = "task event",
	.resolve = resolve,
	.list = list,
};
