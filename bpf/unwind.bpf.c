// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks user stacks for frequent events. A program is attached to the raw tracepoint of a perf
 * tracepoint (attached to the event, it would decide for all users of the tracepoint), or to an
 * event of another kind. Where the tables do not say how to continue, it sends a copy of the stack
 * to user space. Two more programs update the maps at a fork or execve of a process, before user
 * space has read its record.
 */
#define COPY_CONTEXTS MP_BPF_COPY_CONTEXTS
#include "bpf/copy.h"

struct scratch {
	struct walk walk;
	struct mp_bpf_record record;
};

/* A program does not interrupt itself, so one buffer per CPU and kind of program suffices. */
enum context { ON_TRACEPOINT, ON_SYSCALL, ON_FAULT, ON_EVENT };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MP_BPF_COPY_CONTEXTS);
	__type(key, __u32);
	__type(value, struct scratch);
} scratch SEC(".maps");

/* A buffer for a run of the program on probes, which can interrupt itself. */
struct probe_slot {
	__u64 users;
	struct scratch scratch;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, MP_BPF_PROBE_SLOTS);
	__type(key, __u32);
	__type(value, struct probe_slot);
} probe_slots SEC(".maps");

static void emit(struct mp_bpf_record *r, __u32 n)
{
	BOUND(n); /* n is at most MP_BPF_FRAMES */
	r->ips[n] = r->head.time_ns - MP_BPF_EARLIER_NS;
	r->ips[n + 1] = 0;
	r->head.type = MP_BPF_RECORD;
	output(&r->head, __builtin_offsetof(struct mp_bpf_record, ips) + (n + 2) * 8, sizeof(*r));
}

static __always_inline void record_stack(struct scratch *s, __u32 buffer)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	const struct mp_bpf_settings *settings = the_settings();
	__u64 now = bpf_ktime_get_ns();
	struct mp_bpf_copy *copy;
	struct walker w;

	/* tasks outside the namespace all have the id 0 */
	if (!settings || !settings->on || task->flags & KTHREAD || !TID(task))
		return;
	w = (struct walker){ find_space(task), &s->walk, s->record.ips };
	if (needs_copy(&w, task)) {
		copy = make_copy(task, now, now - MP_BPF_EARLIER_NS, buffer);
		if (copy)
			send_copy(copy);
	} else if (w.space) {
		s->record.head.time_ns = now;
		s->record.head.tid = TID(task);
		s->record.head.end = s->walk.end;
		s->record.ip = regs->ip;
		s->record.sp = regs->sp;
		if (may_send(task, s->walk.n * 8))
			emit(&s->record, s->walk.n);
	}
}

static __always_inline void record_in(enum context which)
{
	__u32 index = which;
	struct scratch *s = bpf_map_lookup_elem(&scratch, &index);

	if (s)
		record_stack(s, buffer_of(which));
}

SEC("raw_tp")
int unwind(void *ctx)
{
	(void)ctx;
	record_in(ON_TRACEPOINT);
	return 0;
}

/*
 * Runs at page faults. perf does not count one that occurs while a program reads a stack, since the
 * kernel does not handle it.
 */
SEC("raw_tp")
int unwind_fault(void *ctx)
{
	const struct task_struct *task = bpf_get_current_task_btf();

	(void)ctx;
	if (!task->pagefault_disabled)
		record_in(ON_FAULT);
	return 0;
}

static __always_inline bool is_set(const __u64 *bits, __u64 n)
{
	return n < MP_BPF_SYSCALLS && bits[n / 64 & (MP_BPF_SYSCALLS / 64 - 1)] >> (n & 63) & 1;
}

/* There is no raw tracepoint for a single system call; all calls share these two. */
SEC("raw_tp/sys_enter")
int unwind_sys_enter(struct bpf_raw_tracepoint_args *ctx)
{
	const struct mp_bpf_settings *s = the_settings();

	if (s && is_set(s->sys_enter, ctx->args[1]))
		record_in(ON_SYSCALL);
	return 0;
}

SEC("raw_tp/sys_exit")
int unwind_sys_exit(struct bpf_raw_tracepoint_args *ctx)
{
	const struct pt_regs *regs = (void *)ctx->args[0];
	const struct mp_bpf_settings *s = the_settings();

	if (s && is_set(s->sys_exit, BPF_CORE_READ(regs, orig_ax)))
		record_in(ON_SYSCALL);
	return 0;
}

/* Attached to one perf event that is not a tracepoint; returns 1 to keep the sample. */
SEC("perf_event")
int unwind_event(void *ctx)
{
	(void)ctx;
	record_in(ON_EVENT);
	return 1;
}

/*
 * Takes a slot that no other task uses. Returns MP_BPF_PROBE_SLOTS if all slots that it tried are
 * in use.
 */
static __always_inline __u32 take_slot(__u32 tid)
{
	struct probe_slot *p;
	__u32 slot, i;

#pragma clang loop unroll(full)
	for (i = 0; i < 4; i++) {
		slot = (tid + i) & (MP_BPF_PROBE_SLOTS - 1);
		p = bpf_map_lookup_elem(&probe_slots, &slot);
		if (!p)
			break;
		if (take(&p->users))
			return slot;
	}
	return MP_BPF_PROBE_SLOTS;
}

/*
 * Attached to a uprobe or kprobe; returns 1 to keep the sample. The kernel may preempt it, so that
 * several tasks of a CPU can be within it at the same time.
 */
SEC("kprobe")
int unwind_probe(void *ctx)
{
	__u32 slot = take_slot(bpf_get_current_pid_tgid());
	struct probe_slot *p = bpf_map_lookup_elem(&probe_slots, &slot);
	const struct mp_bpf_settings *s = the_settings();

	(void)ctx;
	if (!p || !s)
		return 1;
	record_stack(&p->scratch, s->probe_buffers + slot);
	give_back(&p->users);
	return 1;
}

/* Gives a new process the tables of its parent, whose mappings it has. */
SEC("raw_tp/sched_process_fork")
int unwind_fork(struct bpf_raw_tracepoint_args *ctx)
{
	__u32 from = tgid_of((void *)ctx->args[0]), to = tgid_of((void *)ctx->args[1]);
	const struct mp_bpf_task *known = bpf_map_lookup_elem(&tasks, &from);
	struct mp_bpf_task task;

	if (!known || from == to)
		return 0;
	task = *known;
	bpf_map_update_elem(&tasks, &to, &task, BPF_ANY);
	return 0;
}

/*
 * Notes an execve(): from then on the tables of the process are stale, since they describe its
 * previous program.
 */
SEC("raw_tp/sched_process_exec")
int unwind_exec(void *ctx)
{
	const struct task_struct *task = bpf_get_current_task_btf();
	struct mp_bpf_task fresh = { .exec_ns = bpf_ktime_get_ns() }, *known;
	__u32 tgid = TGID(task);

	(void)ctx;
	known = bpf_map_lookup_elem(&tasks, &tgid);
	if (known)
		known->exec_ns = fresh.exec_ns;
	else if (records_everyone())
		bpf_map_update_elem(&tasks, &tgid, &fresh, BPF_ANY);
	return 0;
}

char _license[] SEC("license") = "GPL";
