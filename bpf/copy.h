/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * If a walk needs tables that do not exist yet, a program sends the registers and a copy of the
 * stack, which user space walks. A file that includes this one defines COPY_CONTEXTS: how many
 * programs may make copies on a CPU at a time, since they can interrupt each other.
 */
#ifndef MP_BPF_COPY_H
#define MP_BPF_COPY_H

#include <stdbool.h>

#include "bpf/walk.h"

#define READ_ONCE(x) (*(volatile typeof(x) *)&(x))

enum {
	RING_BYTES = 64 << 20,
	COPIES_BYTES = RING_BYTES / 2,
	WAKE_BYTES = 2 << 20,
	TIGHT_BYTES = COPIES_BYTES / 4 * 3,
	/* a larger record is a copy, which may wake the reader */
	WAKE_SIZE = sizeof(struct mp_bpf_record),
	/*
	 * Tables older than OLD_NS cause at most COPIES_A_SPACE copies, otherwise a mapping that
	 * user space never learns of would cost a copy each time. Younger tables may lack a mapping
	 * that is still on its way to them.
	 */
	COPIES_A_SPACE = 1024,
	OLD_NS = 1000000000,
	/*
	 * While half of what copies may fill is unread, a user who has caused much of that gets no
	 * copies, so that the rest is for others.
	 */
	SHARED_BYTES = COPIES_BYTES / 2,
	USER_BYTES = COPIES_BYTES / 8,
	ALL_PAGES = MP_BPF_COPY_BYTES / MP_BPF_COPY_PAGE + 1,
	STEP_SHIFT = 27,    /* a step of the clock of amounts: 134 ms */
	KTHREAD = 0x200000, /* PF_KTHREAD of the kernel */
	ABI_32 = 1,	    /* enum perf_sample_regs_abi */
	ABI_64 = 2,
};

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RING_BYTES);
} records SEC(".maps");

/*
 * One buffer per CPU and context; too large for a per-CPU map. User space sets the size:
 * COPY_CONTEXTS for each CPU.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, __u32);
	__type(value, struct mp_bpf_copy);
} copies SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct mp_bpf_settings);
} settings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} dropped SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MP_BPF_COPIERS);
	__type(key, __u32); /* uid */
	__type(value, struct mp_bpf_copier);
} copiers SEC(".maps");

/* The reader polls every few ms, which is too seldom when many copies come: then it is woken up. */
static __always_inline bool output(struct mp_bpf_head *head, __u64 size, __u64 max)
{
	__u64 flags = BPF_RB_NO_WAKEUP, *lost;
	__u32 zero = 0;

	lost = bpf_map_lookup_elem(&dropped, &zero);
	head->misc = 0;
	head->size = size;
	head->cpu = bpf_get_smp_processor_id();
	head->drops = lost ? *lost : 0;
	if (size > WAKE_SIZE && bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) > WAKE_BYTES)
		flags = BPF_RB_FORCE_WAKEUP;
	/* keeps `size` in one register, so that the verifier sees the bound */
	__asm__ volatile("" : "+r"(size));
	if (size <= max && bpf_ringbuf_output(&records, head, size, flags) == 0)
		return true;
	if (lost)
		++*lost;
	return false;
}

static __always_inline const struct mp_bpf_settings *the_settings(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&settings, &zero);
}

static bool records_everyone(void)
{
	const struct mp_bpf_settings *s = the_settings();

	return s && s->everyone;
}

/* --- copies ----------------------------------------------------------------------------------- */

struct copying {
	struct mp_bpf_copy *to;
	__u64 from;
	__u32 len, pages, full;
};

/*
 * The number of pages to copy. Other memory, which is not needed, may follow a thread's stack. The
 * copy may have only a few bytes of the first page.
 */
static __always_inline __u32 copied_pages(__u32 bytes)
{
	__u64 unread = bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA);
	__u32 pages = unread > TIGHT_BYTES ? 2 : unread > WAKE_BYTES ? 5 : ALL_PAGES;

	return pages < bytes / MP_BPF_COPY_PAGE + 1 ? pages : bytes / MP_BPF_COPY_PAGE + 1;
}

/* The bytes of the largest copy that the user allows. */
static __always_inline __u32 copy_max(void)
{
	const struct mp_bpf_settings *s = the_settings();

	return s && s->copy_bytes < MP_BPF_COPY_BYTES ? s->copy_bytes : MP_BPF_COPY_BYTES;
}

/* Copies up to the end of a page, since the next page may not be in memory. */
static long copy_page(__u32 i, struct copying *c)
{
	__u32 size = MP_BPF_COPY_PAGE - (c->from & (MP_BPF_COPY_PAGE - 1));
	__u64 at = c->len;

	/* keeps `at` in one register, so that the verifier sees the bound */
	__asm__ volatile("" : "+r"(at));
	if (at > MP_BPF_COPY_BYTES - MP_BPF_COPY_PAGE || i >= c->pages) {
		c->full = 1;
		return 1;
	}
	if (bpf_probe_read_user(c->to->stack + at, size, (void *)c->from))
		return 1;
	c->from += size;
	c->len = at + size;
	return 0;
}

static void copy_regs(__u64 *to, const struct pt_regs *regs)
{
	to[0] = regs->ax;
	to[1] = regs->bx;
	to[2] = regs->cx;
	to[3] = regs->dx;
	to[4] = regs->si;
	to[5] = regs->di;
	to[6] = regs->bp;
	to[7] = regs->sp;
	to[8] = regs->ip;
	to[9] = regs->r8;
	to[10] = regs->r9;
	to[11] = regs->r10;
	to[12] = regs->r11;
	to[13] = regs->r12;
	to[14] = regs->r13;
	to[15] = regs->r14;
	to[16] = regs->r15;
}

/* The buffer for copies of this CPU and context. */
static __always_inline __u32 buffer_of(__u32 which)
{
	return COPY_CONTEXTS * bpf_get_smp_processor_id() + which;
}

/*
 * Takes a buffer unless it is in use; `users` is then 1. It adds to the count and then reads it, since
 * kernels before 5.12 lack an atomic fetch-and-add; if two programs add at the same time, one or none
 * of them gets the buffer.
 */
static __always_inline bool take(__u64 *users)
{
	__sync_fetch_and_add(users, 1);
	if (READ_ONCE(*users) == 1)
		return true;
	__sync_fetch_and_add(users, -1);
	return false;
}

static __always_inline void give_back(__u64 *users)
{
	__sync_fetch_and_add(users, -1);
}

/*
 * Copies the stack into a buffer; `order_ns` is the time by which the writer sorts the record.
 * Returns NULL if there is no buffer.
 */
static __always_inline struct mp_bpf_copy *make_copy(struct task_struct *task, __u64 time_ns,
						     __u64 order_ns, __u32 buffer)
{
	struct pt_regs *regs = (struct pt_regs *)bpf_task_pt_regs(task);
	struct mp_bpf_copy *to = bpf_map_lookup_elem(&copies, &buffer);
	__u32 max = copy_max(), len;
	struct copying c = { .to = to, .pages = copied_pages(max) };

	if (!to)
		return 0;
	to->head.type = MP_BPF_COPY;
	to->head.tid = TID(task);
	to->head.end = 0;
	to->head.time_ns = time_ns;
	to->abi = regs->cs == MP_BPF_CS_32 ? ABI_32 : ABI_64;
	copy_regs(to->regs, regs);
	c.from = regs->sp;
	bpf_loop(ALL_PAGES, copy_page, &c, 0);
	c.full |= c.len > max;
	len = (c.len > max ? max : c.len) & ~7u;
	if (len > MP_BPF_COPY_BYTES)
		return 0;
	to->len = len;
	to->asked = c.full ? len : MP_BPF_COPY_BYTES;
	*(__u64 *)(to->stack + len) = order_ns;
	*(__u64 *)(to->stack + len + 8) = 0;
	return to;
}

/* What a user has caused, as of now. */
static __always_inline struct mp_bpf_copier *copier_of(__u32 uid)
{
	struct mp_bpf_copier fresh = { .step = bpf_ktime_get_ns() >> STEP_SHIFT }, *c;
	__u64 steps;

	c = bpf_map_lookup_elem(&copiers, &uid);
	if (!c) {
		bpf_map_update_elem(&copiers, &uid, &fresh, BPF_NOEXIST);
		return bpf_map_lookup_elem(&copiers, &uid);
	}
	steps = fresh.step - c->step;
	if (steps) {
		c->step = fresh.step;
		c->bytes = steps < 32 ? c->bytes >> steps : 0;
	}
	return c;
}

static __always_inline struct mp_bpf_copier *copier(void)
{
	return copier_of(bpf_get_current_uid_gid());
}

/*
 * Whether a user has a share only. If only some processes are recorded, there are no shares; root,
 * the user of mp-record and the writers of recordings have none.
 */
static __always_inline bool is_limited(__u32 uid)
{
	const struct mp_bpf_settings *s = the_settings();

	return s && s->everyone && uid && uid != s->uid && uid - s->writer_uids >= s->n_writer_uids;
}

/* Notes that a record is missing on this CPU. */
static __always_inline void note_drop(void)
{
	__u32 zero = 0;
	__u64 *lost = bpf_map_lookup_elem(&dropped, &zero);

	if (lost)
		++*lost;
}

static __always_inline void refuse(struct mp_bpf_copier *c, __u32 pid)
{
	if (!c->refused)
		c->pid = pid;
	__sync_fetch_and_add(&c->refused, 1);
}

/* Whether the share of a user allows a copy or a record. */
static __always_inline bool has_share(struct mp_bpf_copier *c, struct task_struct *task)
{
	if (!c || c->bytes < USER_BYTES || !is_limited(bpf_get_current_uid_gid()) ||
	    bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) < SHARED_BYTES)
		return true;
	refuse(c, TGID(task));
	note_drop();
	return false;
}

/*
 * Whether a copy may be sent: not into the half of the ring that is for the records of walks. They
 * are fifty times smaller, so without that, a few thousand copies would keep out all of them until
 * the reader comes.
 */
static __always_inline bool may_copy(struct task_struct *task)
{
	if (bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) > COPIES_BYTES) {
		note_drop();
		return false;
	}
	return has_share(copier(), task);
}

/* Whether a record of `size` bytes may be sent. Records are charged only while much is unread. */
static __always_inline bool may_send(struct task_struct *task, __u64 size)
{
	struct mp_bpf_copier *c;

	if (bpf_ringbuf_query(&records, BPF_RB_AVAIL_DATA) < WAKE_BYTES)
		return true;
	c = copier();
	if (!has_share(c, task))
		return false;
	if (c)
		__sync_fetch_and_add(&c->bytes, size);
	return true;
}

static __always_inline bool send_copy(struct mp_bpf_copy *copy)
{
	__u64 size = __builtin_offsetof(struct mp_bpf_copy, stack) + copy->len + 16;
	struct mp_bpf_copier *c = copier();

	if (c)
		__sync_fetch_and_add(&c->bytes, size);
	return output(&copy->head, size, sizeof(*copy));
}

/* For a task whose tables are stale or do not exist yet: whether it is recorded. */
static __always_inline bool wants_copy(const struct task_struct *task)
{
	__u32 tgid = TGID(task);

	if (!task->mm || task->flags & KTHREAD)
		return false;
	return bpf_map_lookup_elem(&tasks, &tgid) || records_everyone();
}

/*
 * Whether tables are the reason for an incomplete walk: they lack a mapping or a row, or they
 * changed during the walk.
 */
static bool ended_by_tables(struct walker *w, __u32 sequence)
{
	if (!sequence || READ_ONCE(w->space->sequence) != sequence)
		return true;
	if (w->walk->end != MP_BPF_END_MAPPING && w->walk->end != MP_BPF_END_CFI)
		return false;
	if (bpf_ktime_get_ns() - w->space->made_ns < OLD_NS)
		return true;
	if (w->space->copies >= COPIES_A_SPACE)
		return false;
	w->space->copies++;
	return true;
}

/*
 * Walks the stack if the task has tables. Returns whether a copy of its stack is needed
 * nevertheless, and its user has a share left.
 */
static __always_inline bool needs_copy(struct walker *w, struct task_struct *task)
{
	__u32 sequence;

	if (!w->space)
		return wants_copy(task) && may_copy(task);
	sequence = READ_ONCE(w->space->sequence);
	walk_user(w, task);
	return ended_by_tables(w, sequence) && may_copy(task);
}

#endif
