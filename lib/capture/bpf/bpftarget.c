// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/bpf/bpftarget.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "bpf/targeted.h"

struct mp_bpf_target mp_bpf_target_of(const struct cap_recording *r)
{
	return (struct mp_bpf_target){
		.processes = r->whole || r->command ? NULL
			     : r->processes->n	    ? r->processes
						    : r->tids,
		.threads = r->tids->n > 0,
		.command = r->command,
		.cgroups = r->target->cgroups,
		.n_cgroups = r->target->n_cgroups,
		.exclude = r->exclude,
	};
}

int mp_bpf_target_set(struct bpf_object *object, const struct mp_bpf_target *t, bool wide)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, ".rodata.targeted");
	size_t size;
	struct mp_bpf_targeted *to = map ? (void *)bpf_map__initial_value(map, &size) : NULL;

	errno = to ? E2BIG : ENOENT;
	if (!to || t->n_cgroups > MP_BPF_CGROUPS)
		return -1;
	*to = (struct mp_bpf_targeted){
		.by_task = !wide && (t->processes || t->command),
		.by_thread = t->threads,
		.n_cgroups = wide ? 0 : (uint16_t)t->n_cgroups,
		.command = (uint32_t)t->command,
	};
	return 0;
}

const char *const *mp_bpf_target_programs(const struct mp_bpf_target *t)
{
	static const char *const programs[] = { "target_exec", "target_fork", "target_free", NULL };

	if (t->threads || (!t->processes && !t->command))
		return &programs[3];
	return t->command ? programs : &programs[1];
}

int mp_bpf_add_pids(struct bpf_object *object, const char *name, const struct mp_pids *pids)
{
	int map = bpf_object__find_map_fd_by_name(object, name);
	uint8_t one = 1;
	size_t i;

	for (i = 0; i < pids->n; i++)
		if (bpf_map_update_elem(map, &pids->v[i], &one, BPF_ANY) < 0)
			return -1;
	return 0;
}

/* Includes the children that were created before the programs were attached. */
static int add_processes(struct bpf_object *object, const struct mp_bpf_target *t)
{
	struct mp_pids all = { NULL, 0, 0 };
	size_t i;
	int result;

	for (i = 0; i < t->processes->n; i++)
		mp_pids_add(&all, t->processes->v[i]);
	if (!t->threads)
		mp_proc_add_children(&all);
	result = mp_bpf_add_pids(object, "targets", &all);
	mp_pids_release(&all);
	return result;
}

int mp_bpf_target_fill(struct bpf_object *object, const struct mp_bpf_target *t)
{
	int map = bpf_object__find_map_fd_by_name(object, "cgroups");
	uint32_t i;

	for (i = 0; i < t->n_cgroups; i++)
		if (bpf_map_update_elem(map, &i, &t->cgroups[i].fd, BPF_ANY) < 0)
			return -1;
	if (mp_bpf_add_pids(object, "excluded", t->exclude) < 0)
		return -1;
	return t->processes ? add_processes(object, t) : 0;
}
