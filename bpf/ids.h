/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ids of tasks as the pid namespace of mp-record has them, which are those of /proc and of perf's
 * records. A task outside it has the id 0. In the initial namespace the verifier removes all this
 * code.
 */
#ifndef MP_BPF_IDS_H
#define MP_BPF_IDS_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/namespace.h"

struct ns_common___ids {
	unsigned int inum;
} __attribute__((preserve_access_index));

struct pid_namespace___ids {
	struct ns_common___ids ns;
} __attribute__((preserve_access_index));

struct upid___ids {
	int nr;
	struct pid_namespace___ids *ns;
} __attribute__((preserve_access_index));

struct pid___ids {
	unsigned int level;
	struct upid___ids numbers[1];
} __attribute__((preserve_access_index));

struct task_struct___ids {
	int pid, tgid;
	struct pid___ids *thread_pid;
	struct task_struct___ids *group_leader;
} __attribute__((preserve_access_index));

const volatile struct mp_bpf_namespace own_ids SEC(".rodata.ids");

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

static __always_inline __u64 own_level(void)
{
	__u64 level;

	__asm__ volatile("%0 = " TEXT(MP_BPF_INITIAL) : "=r"(level));
	return level;
}

static __always_inline bool is_inner(void)
{
	return own_level() != MP_BPF_INITIAL;
}

/*
 * The id in the inner namespace. Since Linux 2.6.24 struct upid begins with `nr`, followed by `ns`.
 */
static __always_inline __u32 inner_id(const struct pid___ids *pid)
{
	struct upid___ids id;
	__u64 at;

	if (!pid || BPF_CORE_READ(pid, level) < own_level())
		return 0;
	at = (__u64)pid + bpf_core_field_offset(struct pid___ids, numbers) +
	     own_level() * sizeof(id);
	if (bpf_probe_read_kernel(&id, sizeof(id), (void *)at) ||
	    BPF_CORE_READ(id.ns, ns.inum) != own_ids.inode)
		return 0;
	return id.nr;
}

/* The thread id of any task, even one from the arguments of a raw tracepoint. */
static __always_inline __u32 tid_of(const void *task)
{
	const struct task_struct___ids *t = task;

	return is_inner() ? inner_id(BPF_CORE_READ(t, thread_pid)) : BPF_CORE_READ(t, pid);
}

static __always_inline __u32 tgid_of(const void *task)
{
	const struct task_struct___ids *t = task;

	return is_inner() ? inner_id(BPF_CORE_READ(t, group_leader, thread_pid))
			  : BPF_CORE_READ(t, tgid);
}

/* Ids of the current task: process << 32 | thread. */
static __always_inline __u64 current_ids(void)
{
	const void *task;

	if (!is_inner())
		return bpf_get_current_pid_tgid();
	task = (void *)bpf_get_current_task();
	return (__u64)tgid_of(task) << 32 | tid_of(task);
}

#endif
