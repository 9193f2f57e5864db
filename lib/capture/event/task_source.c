// SPDX-License-Identifier: GPL-2.0-only
/* Events of tasks, which the kernel reports by special records: "task:exec" and so on. */
#include "lib/capture/event/builtin_source.h"

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
	/* only samples have a cgroup */
	e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CGROUP;
	e->context &= ~MP_CTX_CGROUP;
}

static enum cap_resolved resolve(struct mp_resolver *r)
{
	return mp_builtin_resolve(r, "task:", add);
}

static bool list(struct cap_listing *l)
{
	mp_builtin_list(l, false);
	return false;
}

const struct cap_source mp_event_source_task = {
	.name = "task event",
	.heading = "Starts, names and ends of tasks",
	.resolve = resolve,
	.list = list,
};
