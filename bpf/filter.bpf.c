// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decides which samples are kept. The program is attached to a sampled event and decides for that
 * event alone (on a tracepoint it would decide for all other users, too). It returns 0 for no
 * sample.
 */
#include <linux/bpf.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/excluded.h"
#include "bpf/filter.h"
#include "bpf/ids.h"

#define X86_IF 0x200ul

struct pt_regs {
	unsigned long flags;
} __attribute__((preserve_access_index));

struct thread_info {
	unsigned long flags;
} __attribute__((preserve_access_index));

struct rq {
	unsigned int nr_running;
} __attribute__((preserve_access_index));

struct cfs_rq {
	struct rq *rq;
} __attribute__((preserve_access_index));

struct sched_entity {
	struct cfs_rq *cfs_rq;
} __attribute__((preserve_access_index));

struct task_struct {
	struct thread_info thread_info;
	struct sched_entity se;
} __attribute__((preserve_access_index));

const volatile struct mp_filter_setting setting = { 0 };

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct mp_wakes);
} wakes SEC(".maps");

/*
 * The number of tasks that run or wait on this CPU. A task of any class has a fair run queue, which
 * leads to the run queue of its CPU. `runqueues` itself is only accessible if the kernel's kallsyms
 * include data (CONFIG_KALLSYMS_ALL).
 */
static __u32 running_here(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return task->se.cfs_rq->rq->nr_running;
}

static __u64 flags_of_current(void)
{
	struct task_struct *task = bpf_get_current_task_btf();

	return task->thread_info.flags;
}

SEC("perf_event")
int filter(void *ctx)
{
	__u32 n;

	if (is_excluded(current_ids() >> 32))
		return 0;
	if (setting.irqs_off && ((struct pt_regs *)ctx)->flags & X86_IF)
		return 0;
	if (setting.need_resched && !(flags_of_current() & setting.need_resched))
		return 0;
	if (setting.running) {
		n = running_here();
		if (n < setting.running_min || n > setting.running_max)
			return 0;
	}
	return 1;
}

/* Notes the flags of a waker, see lib/capture/bpf/bpfresched.c. */
SEC("raw_tp/sched_wakeup")
int observe(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *waker = bpf_get_current_task_btf();
	__u32 woken = tid_of((void *)ctx->args[0]), waking = current_ids(), i;
	struct mp_wakes *w;

	for (i = 0; i < 2; i++) {
		__u32 key = i;

		w = bpf_map_lookup_elem(&wakes, &key);
		if (!w || w->waker != waking || w->woken != woken)
			continue;
		w->flags &= waker->thread_info.flags;
		w->count++;
	}
	return 0;
}

char _license[] SEC("license") = "GPL";
