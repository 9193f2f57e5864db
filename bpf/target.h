/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which tasks a program records. lib/capture/bpf/bpftarget.c fills the maps; the programs of this
 * header add the children of recorded processes.
 */
#ifndef MP_BPF_TARGET_H
#define MP_BPF_TARGET_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/excluded.h"
#include "bpf/ids.h"
#include "bpf/targeted.h"

const volatile struct mp_bpf_targeted targeted SEC(".rodata.targeted");

/* The targets. If there are too many, those that were used longest ago are dropped. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MP_BPF_TARGETS);
	__type(key, __u32); /* process, or thread */
	__type(value, __u8);
} targets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_CGROUP_ARRAY);
	__uint(max_entries, MP_BPF_CGROUPS);
	__type(key, __u32);
	__type(value, __u32);
} cgroups SEC(".maps");

static __always_inline bool is_target(__u32 tgid, __u32 pid)
{
	__u32 id = targeted.by_thread ? pid : tgid;

	return !targeted.by_task || bpf_map_lookup_elem(&targets, &id);
}

/* Whether the current task is in one of the cgroups or below; true if there are none. */
static __always_inline bool is_in_cgroup(void)
{
	__u32 i;

	for (i = 0; i < MP_BPF_CGROUPS && i < targeted.n_cgroups; i++)
		if (bpf_current_task_under_cgroup(&cgroups, i) == 1)
			return true;
	return !targeted.n_cgroups;
}

static __always_inline void add_target(__u32 tgid)
{
	__u8 one = 1;

	bpf_map_update_elem(&targets, &tgid, &one, BPF_ANY);
}

/* Makes the children of targets targets. */
SEC("raw_tp/sched_process_fork")
int target_fork(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 of = tgid_of((void *)ctx->args[0]), tgid = tgid_of((void *)ctx->args[1]);

	if (of != tgid && bpf_map_lookup_elem(&targets, &of))
		add_target(tgid);
	return 0;
}

/* Makes the command a target at its execve(2). */
SEC("raw_tp/sched_process_exec")
int target_exec(void *ctx)
{
	__u32 tgid = current_ids() >> 32;

	(void)ctx;
	if (tgid == targeted.command)
		add_target(tgid);
	return 0;
}

/*
 * Removes a process when its first thread is freed, which happens last: from then on another
 * process may get its id. In inner namespaces the thread no longer has an id by then, so its entry
 * remains until the map is full.
 */
SEC("raw_tp/sched_process_free")
int target_free(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 pid = tid_of((void *)ctx->args[0]), tgid = tgid_of((void *)ctx->args[0]);

	if (pid == tgid)
		bpf_map_delete_elem(&targets, &tgid);
	return 0;
}

#endif
