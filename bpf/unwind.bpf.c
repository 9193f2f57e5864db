// SPDX-License-Identifier: GPL-2.0-only
/*
 * User stacks for events that come often: a program on the same raw tracepoints (one on the
 * tracepoint of perf would decide for all of its users), or on events of other kinds. A task whose
 * tables have not been made is passed over.
 */
#include "bpf/walk.h"

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 16 << 20);
} records SEC(".maps");

/* A program does not interrupt itself, so one per CPU and program will do. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct mp_bpf_record);
} scratch SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} dropped SEC(".maps");

static void emit(struct mp_bpf_record *r, __u32 n)
{
	__u32 size, zero = 0;
	__u64 *lost;

	BOUND(n); /* MP_BPF_FRAMES at most */
	r->ips[n] = r->time_ns - MP_BPF_EARLIER_NS;
	r->ips[n + 1] = 0;
	size = __builtin_offsetof(struct mp_bpf_record, ips) + (n + 2) * 8;
	r->type = MP_BPF_RECORD;
	r->misc = 0;
	r->size = size;
	if (size > sizeof(*r) || !bpf_ringbuf_output(&records, r, size, BPF_RB_NO_WAKEUP))
		return;
	lost = bpf_map_lookup_elem(&dropped, &zero);
	if (lost)
		++*lost;
}

static __always_inline void take_stack(__u32 which)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct mp_bpf_record *record = bpf_map_lookup_elem(&scratch, &which);
	struct walk w = { .space = find_space(task) };

	if (!w.space || !record)
		return;
	w.ips = record->ips;
	record->time_ns = bpf_ktime_get_ns();
	record->tid = task->pid;
	walk_user(&w, task);
	record->end = w.end;
	emit(record, w.n);
}

SEC("raw_tp")
int unwind(void *ctx)
{
	(void)ctx;
	take_stack(0);
	return 0;
}

/* On a perf event that is no tracepoint, where it decides for that event alone: 1, the sample is kept. */
SEC("perf_event")
int unwind_event(void *ctx)
{
	(void)ctx;
	take_stack(1);
	return 1;
}

char _license[] SEC("license") = "GPL";
