// SPDX-License-Identifier: GPL-2.0-only
/*
 * User stacks for events that come often. The program is attached to the same raw tracepoints (on
 * perf's tracepoint it would decide for all users of that), or to events of other kinds. Where the
 * tables do not say how to continue, it sends a copy of the stack to user space. Two more programs
 * update what is known of a process at its fork or execve, before user space reads of these.
 */
#define COPY_CONTEXTS MP_BPF_COPY_CONTEXTS
#include "bpf/copy.h"

struct scratch {
	struct walk walk;
	struct mp_bpf_record record;
};

/* A program does not interrupt itself, so that one per CPU and program suffices. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

static void emit(struct mp_bpf_record *r, __u32 n)
{
	BOUND(n); /* MP_BPF_FRAMES at most */
	r->ips[n] = r->head.time_ns - MP_BPF_EARLIER_NS;
	r->ips[n + 1] = 0;
	r->head.type = MP_BPF_RECORD;
	output(&r->head, __builtin_offsetof(struct mp_bpf_record, ips) + (n + 2) * 8, sizeof(*r));
}

static __always_inline void record_stack(__u32 which)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct scratch *s = bpf_map_lookup_elem(&scratch, &which);
	__u64 now = bpf_ktime_get_ns();
	struct mp_bpf_copy *copy;
	struct walker w;

	if (!s || task->flags & KTHREAD)
		return;
	w = (struct walker){ find_space(task), &s->walk, s->record.ips };
	if (needs_copy(&w, task)) {
		copy = make_copy(task, now, now - MP_BPF_EARLIER_NS, which);
		if (copy)
			send_copy(copy);
	} else if (w.space) {
		s->record.head.time_ns = now;
		s->record.head.tid = task->pid;
		s->record.head.end = s->walk.end;
		emit(&s->record, s->walk.n);
	}
}

SEC("raw_tp")
int unwind(void *ctx)
{
	(void)ctx;
	record_stack(0);
	return 0;
}

/*
 * Attached to a perf event that is not a tracepoint, for which alone it decides: 1 keeps the sample.
 */
SEC("perf_event")
int unwind_event(void *ctx)
{
	(void)ctx;
	record_stack(1);
	return 1;
}

/* A new process has the mappings of its parent. */
SEC("raw_tp/sched_process_fork")
int unwind_fork(struct bpf_raw_tracepoint_args *ctx)
{
	const struct task_struct *parent = (void *)ctx->args[0], *child = (void *)ctx->args[1];
	__u32 from = BPF_CORE_READ(parent, tgid), to = BPF_CORE_READ(child, tgid);
	const struct mp_bpf_task *known = bpf_map_lookup_elem(&tasks, &from);
	struct mp_bpf_task task;

	if (!known || from == to)
		return 0;
	task = *known;
	bpf_map_update_elem(&tasks, &to, &task, BPF_ANY);
	return 0;
}

/* The tables of the process belong to the program that it ran before. */
SEC("raw_tp/sched_process_exec")
int unwind_exec(void *ctx)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	struct mp_bpf_task fresh = { .exec_ns = bpf_ktime_get_ns() }, *known;
	__u32 tgid = task->tgid;

	(void)ctx;
	known = bpf_map_lookup_elem(&tasks, &tgid);
	if (known)
		known->exec_ns = fresh.exec_ns;
	else if (records_everyone())
		bpf_map_update_elem(&tasks, &tgid, &fresh, BPF_ANY);
	return 0;
}

char _license[] SEC("license") = "GPL";
