// SPDX-License-Identifier: GPL-2.0-only
/*
 * Aggregates in the kernel, by stack: samples, hits of probes, the time for which tasks are
 * blocked, memory that has not been freed. A program sends each stack to user space once, when it
 * first sees it and the process still exists. Tables refer to a stack by its id, a hash of 64 bits.
 */
#include "bpf/aggregate.h"
#include "bpf/amount.h"

#define COPY_CONTEXTS MP_AGG_BUFFERS
#include "bpf/copy.h"
#include "bpf/target.h"

/* Fields that some kernels lack or name differently. */
struct task_struct___new {
	unsigned int __state;
} __attribute__((preserve_access_index));

struct task_struct___old {
	long state;
} __attribute__((preserve_access_index));

struct kmem_cache {
	unsigned int object_size;
} __attribute__((preserve_access_index));

/*
 * The same as struct bpf_perf_event_data of x86-64, whose header would define another struct
 * pt_regs.
 */
struct sample {
	__u64 regs[21];
	__u64 period;
};

const volatile struct mp_agg_setup setup SEC(".rodata.setup");
struct mp_agg_state state SEC(".data.state");

#define TOTALS(name)                                \
	struct {                                    \
		__uint(type, BPF_MAP_TYPE_HASH);    \
		__uint(max_entries, MP_AGG_STACKS); \
		__type(key, struct mp_agg_key);     \
		__type(value, struct mp_agg_total); \
	} name SEC(".maps")

TOTALS(totals_a);
TOTALS(totals_b);

/* Stacks that user space has. If the table drops a stack, the program sends it again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 2 * MP_AGG_STACKS);
	__type(key, __u64);
	__type(value, __u8);
} sent SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MP_AGG_BLOCKED);
	__type(key, __u64); /* address of the task_struct */
	__type(value, struct mp_agg_blocked);
} blocked SEC(".maps");

/* An allocation that a thread has requested and has not received yet. */
struct asked {
	__u64 weight, id, into;
	__u32 aggregate, unused;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MP_AGG_BLOCKED);
	__type(key, __u32);
	__type(value, struct asked);
} asking SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MP_AGG_HELD);
	__type(key, struct mp_agg_pointer);
	__type(value, struct mp_agg_held);
} held SEC(".maps");

struct buffer {
	__u64 users;
	struct walk walk;
	struct mp_agg_stack stack;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MP_AGG_BUFFERS);
	__type(key, __u32);
	__type(value, struct buffer);
} buffers SEC(".maps");

/*
 * The event that the first program for the memory of the kernel handles on this CPU, or has just
 * handled: the address of its arguments. They are on the stack of the kernel, at the same place for
 * all programs of an event, and at another one for an event in an interrupt.
 */
struct handled {
	__u64 event;  /* 0: none */
	__u64 before; /* the event that was interrupted by this one */
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MP_AGG_MEMORY_EVENTS);
	__type(key, __u32);
	__type(value, struct handled);
} handled SEC(".maps");

/*
 * For rules with `every`: the weight that remains until the next sampling point; 0: the point is
 * still to be chosen at random.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MP_AGG_RULES);
	__type(key, __u32);
	__type(value, __u64);
} distances SEC(".maps");

/* Whether the recording is on and the process is not excluded. */
static __always_inline bool is_on(const struct task_struct *task)
{
	return state.enabled && !is_excluded(TGID(task));
}

static bool is_wanted(const struct task_struct *task)
{
	return is_on(task) && is_target(TGID(task), TID(task));
}

static __always_inline void drop(__u64 aggregate, __u64 weight)
{
	__asm__ volatile("%0 &= 63" : "+r"(aggregate)); /* bounds the index for the verifier */
	__sync_fetch_and_add(&state.dropped[aggregate].weight, weight);
	__sync_fetch_and_add(&state.dropped[aggregate].count, 1);
}

/* --- stacks ----------------------------------------------------------------------------------- */

struct hash {
	__u64 v;
	const __u64 *ips;
};

static __always_inline __u64 mixed(__u64 v, __u64 with)
{
	v = (v ^ with) * 0x9fb21c651e98df25ull;
	return v ^ v >> 32;
}

static long mix_frame(__u32 i, struct hash *h)
{
	BOUND(i);
	h->v = mixed(h->v, h->ips[i]);
	return 0;
}

/*
 * Adds the task to the hash, since an address belongs to different functions in different
 * processes.
 */
static __always_inline __u64 mix_task(const struct mp_agg_stack *s, const struct task_struct *task)
{
	const struct task_struct *leader = task->group_leader;
	const __u64 *comm = (const __u64 *)s->comm;
	__u64 v = mixed((__u64)s->pid << 32 | s->n_kernel << 16 | s->n_user, task->self_exec_id);

	return mixed(mixed(mixed(v, leader ? leader->start_time : 0), comm[0]), comm[1]);
}

static void send(struct mp_agg_stack *s)
{
	__u8 one = 1;

	s->type = MP_AGG_STACK;
	s->misc = 0;
	s->size = sizeof(*s);
	s->time_again_ns = s->time_ns;
	s->zero = 0;
	if (bpf_ringbuf_output(&records, s, sizeof(*s), BPF_RB_NO_WAKEUP))
		__sync_fetch_and_add(&state.unsent, 1);
	else
		bpf_map_update_elem(&sent, &s->id, &one, BPF_ANY);
}

static __always_inline void read_kernel_stack(void *ctx, struct mp_agg_stack *s)
{
	long n = bpf_get_stack(ctx, s->kernel, MP_AGG_KERNEL * 8, 0);

	s->n_kernel = n > 0 ? (__u64)n / 8 : 0;
}

/* Sets the address of the leaf, which is all that is known without tables and without a copy. */
static __always_inline void set_leaf(struct mp_agg_stack *s, struct task_struct *task)
{
	s->user[0] = ((struct pt_regs *)bpf_task_pt_regs(task))->ip;
	s->end = MP_BPF_NO_TABLES;
	s->n_user = 1;
}

/*
 * Walks the user stack. If the tables do not suffice, returns a copy of it, which must be sent
 * before the stack.
 */
static __always_inline struct mp_bpf_copy *read_user_stack(struct buffer *b,
							   struct task_struct *task, __u32 number)
{
	struct mp_agg_stack *s = &b->stack;
	struct walker w = { find_space(task), &b->walk, s->user };
	struct mp_bpf_copy *copy = 0;

	if (!task->mm)
		return 0;
	if (needs_copy(&w, task))
		copy = make_copy(task, s->time_ns, s->time_ns, buffer_of(number));
	if (copy) {
		s->end = MP_BPF_COPIED;
	} else if (w.space) {
		s->end = b->walk.end;
		s->n_user = b->walk.n;
	} else {
		set_leaf(s, task);
	}
	return copy;
}

struct copy_hash {
	__u64 v;
	const struct mp_bpf_copy *copy;
};

enum { CHUNK = 8, CHUNK_BYTES = CHUNK * 8 };

/*
 * Hashes eight numbers of the copy. Bytes at its end that do not fill eight numbers are ignored:
 * they belong to the first functions of the program.
 */
static long mix_chunk(__u32 i, struct copy_hash *h)
{
	__u64 at = (__u64)i * CHUNK_BYTES;
	const __u64 *chunk;
	__u32 j;

	__asm__ volatile("" : "+r"(at));
	if (at > MP_BPF_COPY_BYTES - CHUNK_BYTES || at + CHUNK_BYTES > h->copy->len)
		return 1;
	chunk = (const __u64 *)(h->copy->stack + at);
#pragma unroll
	for (j = 0; j < CHUNK; j++)
		h->v = mixed(h->v, chunk[j]);
	return 0;
}

/*
 * Adds a copy to the hash, so that copies with equal bytes are one stack. Stacks that are equal
 * only once they are symbolized are merged by user space.
 */
static __always_inline __u64 mix_copy(__u64 v, const struct mp_bpf_copy *copy)
{
	struct copy_hash h = { .v = v, .copy = copy };

	/* the stack pointer and the program counter */
	h.v = mixed(mixed(h.v, copy->regs[7]), copy->regs[8]);
	bpf_loop(MP_BPF_COPY_BYTES / CHUNK_BYTES, mix_chunk, &h, 0);
	return h.v;
}

static __always_inline __u64 hash_stack(struct mp_agg_stack *s, const struct task_struct *task,
					const struct mp_bpf_copy *copy)
{
	struct hash h = { .v = mix_task(s, task), .ips = s->kernel };

	bpf_loop(s->n_kernel, mix_frame, &h, 0);
	h.ips = s->user;
	bpf_loop(s->n_user, mix_frame, &h, 0);
	if (copy)
		h.v = mix_copy(h.v, copy);
	return h.v ? h.v : 1;
}

/* Sends a stack if user space does not have it. Returns its id. */
static __always_inline __u64 announce(struct mp_agg_stack *s, struct task_struct *task,
				      struct mp_bpf_copy *copy)
{
	__u64 id = hash_stack(s, task, copy);

	s->id = id;
	if (bpf_map_lookup_elem(&sent, &id))
		return id;
	if (copy && !send_copy(copy)) { /* the ring buffer has no room for the copy */
		set_leaf(s, task);
		s->id = id = hash_stack(s, task, 0);
		if (bpf_map_lookup_elem(&sent, &id))
			return id;
	}
	send(s);
	return id;
}

/*
 * Takes a buffer of this CPU, since this program may have interrupted others. Returns its number, or
 * MP_AGG_BUFFERS if all are in use.
 */
static __always_inline __u32 take_buffer(void)
{
	struct buffer *b;
	__u32 number, i;

#pragma clang loop unroll(full)
	for (i = 0; i < MP_AGG_BUFFERS; i++) {
		number = i;
		b = bpf_map_lookup_elem(&buffers, &number);
		if (b && take(&b->users))
			return number;
	}
	return MP_AGG_BUFFERS;
}

/* The id of the stack of the current task; 0 if all buffers are in use. */
static __always_inline __u64 stack_id(void *ctx, bool kernel, bool user)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct mp_bpf_copy *copy = 0;
	struct mp_agg_stack *s;
	__u32 number = take_buffer();
	struct buffer *b = bpf_map_lookup_elem(&buffers, &number);
	__u64 id;

	if (!b)
		return 0;
	s = &b->stack;
	s->pid = TGID(task);
	s->tid = TID(task);
	s->time_ns = bpf_ktime_get_ns();
	bpf_get_current_comm(s->comm, sizeof(s->comm));
	s->n_kernel = s->n_user = 0;
	s->end = MP_BPF_NO_STACK;
	if (kernel)
		read_kernel_stack(ctx, s);
	if (user)
		copy = read_user_stack(b, task, number);
	id = announce(s, task, copy);
	give_back(&b->users);
	return id;
}

/* --- totals ----------------------------------------------------------------------------------- */

/* Whether the share of the task's user allows another total in the current table. */
static __always_inline bool may_add(const struct task_struct *task)
{
	__u32 uid = BPF_CORE_READ(task, cred, uid.val), table = state.current;
	struct mp_bpf_copier *c;

	if (!is_limited(uid))
		return true;
	c = copier_of(uid);
	if (!c)
		return true;
	if (c->table != table) {
		c->table = table;
		c->totals = 0;
	}
	if (c->totals >= MP_AGG_STACKS_A_USER) {
		refuse(c, BPF_CORE_READ(task, tgid));
		return false;
	}
	__sync_fetch_and_add(&c->totals, 1);
	return true;
}

static __always_inline void add_to(void *map, const struct mp_agg_key *key, __u64 weight,
				   const struct task_struct *task)
{
	struct mp_agg_total none = { 0, 0 }, *total = bpf_map_lookup_elem(map, key);

	if (!total && may_add(task)) {
		bpf_map_update_elem(map, key, &none, BPF_NOEXIST);
		total = bpf_map_lookup_elem(map, key);
	}
	if (!total) {
		drop(key->aggregate, weight);
		return;
	}
	__sync_fetch_and_add(&total->weight, weight);
	__sync_fetch_and_add(&total->count, 1);
}

/* Adds to the total of a stack of a task, which is not the current one if that has woken it. */
static __always_inline void add(const struct task_struct *task, __u32 aggregate, __u64 id,
				__u64 other, __u64 weight)
{
	struct mp_agg_key key = { id, other, aggregate };

	if (!id) {
		drop(aggregate, weight);
		return;
	}
	if (state.current & 1)
		add_to(&totals_b, &key, weight, task);
	else
		add_to(&totals_a, &key, weight, task);
}

/* --- memory that is held ---------------------------------------------------------------------- */

static __always_inline void hold(__u64 address, __u32 pid, __u32 aggregate, __u64 weight, __u64 id)
{
	struct mp_agg_held value = { weight, bpf_ktime_get_ns(), id };
	struct mp_agg_pointer key = { address, pid, aggregate };

	if (!id || bpf_map_update_elem(&held, &key, &value, BPF_ANY))
		drop(aggregate, weight);
}

static __always_inline void release(__u64 address, __u32 pid, __u32 aggregate)
{
	struct mp_agg_pointer key = { address, pid, aggregate };

	bpf_map_delete_elem(&held, &key);
}

/* --- probes and samples ----------------------------------------------------------------------- */

/* The values that rules refer to, indexed by enum mp_agg_value. */
struct values {
	__u64 v[MP_AGG_COUNT + 1];
};

/* Loads each register by itself: the verifier allows no pointer into the middle of a context. */
#define LOAD(reg) (*(volatile unsigned long *)&regs->reg)

static __always_inline void load_values(struct values *to, const struct pt_regs *regs)
{
	to->v[MP_AGG_ARG1] = LOAD(di);
	to->v[MP_AGG_ARG2] = LOAD(si);
	to->v[MP_AGG_ARG3] = LOAD(dx);
	to->v[MP_AGG_ARG4] = LOAD(cx);
	to->v[MP_AGG_ARG5] = LOAD(r8);
	to->v[MP_AGG_ARG6] = LOAD(r9);
	to->v[MP_AGG_RETVAL] = LOAD(ax);
	to->v[MP_AGG_PERIOD] = to->v[MP_AGG_COUNT] = 1;
}

static __always_inline __u64 value_of(const struct values *values, __u64 what)
{
	if (what > MP_AGG_COUNT)
		return 0;
	return values->v[what];
}

static __always_inline __u64 product(const struct values *values, const volatile __u8 *of)
{
	__u64 v = value_of(values, of[0]);

	return of[1] ? v * value_of(values, of[1]) : v;
}

/* Handles an event by which the thread gets the memory that it asked for. */
static __always_inline void handle_got(const volatile struct mp_agg_rule *rule, __u64 address,
				       __u32 pid, __u32 tid)
{
	struct asked *asked = bpf_map_lookup_elem(&asking, &tid);

	if (!asked)
		return;
	if (asked->into && bpf_probe_read_user(&address, sizeof(address), (void *)asked->into))
		address = 0;
	if (address && asked->aggregate == rule->aggregate)
		hold(address, pid, rule->aggregate, asked->weight, asked->id);
	bpf_map_delete_elem(&asking, &tid);
}

/*
 * Whether a sampling point lies within `*weight`; if so, sets `*weight` to the amount that the
 * sample represents.
 */
static __always_inline bool is_due(__u32 index, __u64 every, __u64 *weight)
{
	__u64 *distance = bpf_map_lookup_elem(&distances, &index);

	if (every <= 1 || !distance)
		return true;
	if (!*distance)
		*distance = mp_amount_distance(every, bpf_get_prandom_u32());
	if (*weight < *distance) {
		*distance -= *weight;
		return false;
	}
	*distance = 0;
	*weight = mp_amount_scaled(every, *weight, bpf_get_prandom_u32());
	return true;
}

static __always_inline int handle_probe(struct pt_regs *regs,
					const volatile struct mp_agg_rule *rule, __u32 index,
					struct task_struct *task)
{
	__u32 pid = task->tgid, tid = task->pid;
	struct values values = { { 0 } };
	struct asked asked = { 0 };
	__u64 weight = 0, id;

	load_values(&values, regs);
	if (rule->freed)
		release(value_of(&values, rule->freed), pid, rule->aggregate);
	if (rule->got)
		handle_got(rule, value_of(&values, rule->got), pid, tid);
	if (rule->weight[0])
		weight = product(&values, rule->weight);
	else if (rule->ask[0])
		weight = asked.weight = product(&values, rule->ask);
	if (!weight || !is_due(index, rule->every, &weight))
		return 0;
	id = stack_id(regs, rule->kernel, rule->user);
	if (rule->weight[0]) {
		add(task, rule->aggregate, id, 0, weight);
		return 0;
	}
	asked.id = id;
	asked.aggregate = rule->aggregate;
	asked.into = rule->into ? value_of(&values, rule->into) : 0;
	bpf_map_update_elem(&asking, &tid, &asked, BPF_ANY);
	return 0;
}

/*
 * Attached to a probe, which no other program uses: runs once per hit, however many events of the
 * probe are open.
 */
SEC("kprobe")
int aggregate_probe(struct pt_regs *regs)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 index = bpf_get_attach_cookie(regs);

	if (!is_on(task))
		return 0;
	/* bounds the index to MP_AGG_RULES - 1 for the verifier */
	__asm__ volatile("%0 &= 63" : "+r"(index));
	return handle_probe(regs, &setup.rules[index], index, task);
}

/* Attached to one perf event. Returns 0, so that the kernel makes no sample. */
static __always_inline int handle_sample(struct sample *ctx, __u32 index)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const volatile struct mp_agg_rule *rule = &setup.sampled[index];
	__u64 weight = rule->weight[0] == MP_AGG_PERIOD ? ctx->period : 1;

	if (is_on(task))
		add(task, rule->aggregate, stack_id(ctx, rule->kernel, rule->user), 0, weight);
	return 0;
}

#define SAMPLE(index)                                    \
	SEC("perf_event")                                \
	int aggregate_sample_##index(struct sample *ctx) \
	{                                                \
		return handle_sample(ctx, index);        \
	}

SAMPLE(0)
SAMPLE(1)
SAMPLE(2)
SAMPLE(3)

/* --- blocked tasks ---------------------------------------------------------------------------- */

#define TASK_DEAD 0x80 /* from include/linux/sched.h, Linux 4.14 and later */

static __always_inline __u64 state_of(const struct task_struct *task)
{
	const struct task_struct___new *n = (const void *)task;
	const struct task_struct___old *o = (const void *)task;

	if (bpf_core_field_exists(n->__state))
		return BPF_CORE_READ(n, __state);
	return (__u64)BPF_CORE_READ(o, state);
}

/*
 * Handles a task that is no longer blocked. With `waker` the current task wakes it, and the waker's
 * stack becomes part of the total.
 */
static __always_inline void end_block(void *ctx, __u64 task, bool waker)
{
	struct mp_agg_blocked *b = bpf_map_lookup_elem(&blocked, &task);
	__u64 now = bpf_ktime_get_ns(), other = 0, id, since;

	if (!b)
		return;
	id = b->id;
	since = b->time_ns;
	if (bpf_map_delete_elem(&blocked, &task)) /* another CPU has removed the entry already */
		return;
	if (waker)
		other = stack_id(ctx, setup.blocked.kernel, setup.blocked.user);
	add((const struct task_struct *)task, setup.blocked.aggregate, id, other,
	    now > since ? now - since : 0);
}

/* sched_switch(preempt, prev, next): prev is the current task. */
SEC("raw_tp/sched_switch")
int aggregate_switch(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 state = state_of(task), key = ctx->args[1];
	struct mp_agg_blocked value;

	/*
	 * for a task that was woken before this program saw it leave the CPU: it counts as blocked
	 * until it runs again
	 */
	end_block(ctx, ctx->args[2], false);
	if (ctx->args[0] || !state || state & TASK_DEAD || !is_wanted(task))
		return 0;
	value.time_ns = bpf_ktime_get_ns();
	value.id = stack_id(ctx, setup.blocked.kernel, setup.blocked.user);
	if (!value.id || bpf_map_update_elem(&blocked, &key, &value, BPF_ANY))
		drop(setup.blocked.aggregate, 0);
	return 0;
}

SEC("raw_tp/sched_waking")
int aggregate_waking(struct bpf_raw_tracepoint_args *ctx)
{
	end_block(ctx, ctx->args[0], setup.with_waker);
	return 0;
}

/* --- memory of the kernel --------------------------------------------------------------------- */

static __always_inline void hold_memory(struct bpf_raw_tracepoint_args *ctx,
					const volatile struct mp_agg_rule *rule, __u64 address,
					__u64 bytes)
{
	if (address && is_wanted(bpf_get_current_task_btf()))
		hold(address, 0, rule->aggregate, bytes, stack_id(ctx, rule->kernel, rule->user));
}

static __always_inline __u64 argument(struct bpf_raw_tracepoint_args *ctx, __u32 number)
{
	__u64 third = *(volatile __u64 *)&ctx->args[3], fourth = *(volatile __u64 *)&ctx->args[4];

	return number == 4 ? fourth : third;
}

/* kmalloc(call_site, ptr, [s,] bytes_req, bytes_alloc, ...) */
static __always_inline void handle_kmalloc(struct bpf_raw_tracepoint_args *ctx)
{
	hold_memory(ctx, &setup.memory, ctx->args[1], argument(ctx, setup.kmalloc_size));
}

/* kmem_cache_alloc(call_site, ptr, s, ...); in older kernels with the arguments of kmalloc */
static __always_inline void handle_cache_alloc(struct bpf_raw_tracepoint_args *ctx)
{
	const struct kmem_cache *cache = (const void *)ctx->args[2];
	__u64 bytes = setup.cache_size ? argument(ctx, setup.cache_size)
				       : BPF_CORE_READ(cache, object_size);

	hold_memory(ctx, &setup.memory, ctx->args[1], bytes);
}

/* kfree(call_site, ptr), kmem_cache_free(call_site, ptr, ...) */
static __always_inline void handle_free(struct bpf_raw_tracepoint_args *ctx)
{
	release(ctx->args[1], 0, setup.memory.aggregate);
}

/* mm_page_alloc(page, order, ...) */
static __always_inline void handle_pages_alloc(struct bpf_raw_tracepoint_args *ctx)
{
	hold_memory(ctx, &setup.pages, ctx->args[0], 4096ull << (ctx->args[1] & 31));
}

/* mm_page_free(page, order) */
static __always_inline void handle_pages_free(struct bpf_raw_tracepoint_args *ctx)
{
	release(ctx->args[0], 0, setup.pages.aggregate);
}

static __always_inline volatile struct handled *handled_of(__u32 kind)
{
	return bpf_map_lookup_elem(&handled, &kind);
}

static __always_inline void begin(void *ctx, __u32 kind)
{
	volatile struct handled *h = handled_of(kind);

	if (!h)
		return;
	h->before = h->event;
	h->event = (__u64)ctx;
}

/* Whether the kernel has not started the first program for this event. */
static __always_inline bool was_skipped(void *ctx, __u32 kind)
{
	volatile struct handled *h = handled_of(kind);

	if (!h)
		return false;
	if (h->event == (__u64)ctx) {
		h->event = h->before;
		return false;
	}
	__sync_fetch_and_add(&state.nested[kind], 1);
	return true;
}

/*
 * The kernel does not start a program on a CPU that runs this program already, as when an interrupt
 * frees memory while the program handles what a task frees. So each tracepoint has a second program,
 * which the kernel runs after the first one: it handles what the first one was not started for. To
 * handle an event twice does no harm.
 */
#define MEMORY(tracepoint, name, kind, handle)                           \
	SEC("raw_tp/" #tracepoint)                                       \
	int aggregate_##name(struct bpf_raw_tracepoint_args *ctx)        \
	{                                                                \
		begin(ctx, kind);                                        \
		handle(ctx);                                             \
		return 0;                                                \
	}                                                                \
                                                                         \
	SEC("raw_tp/" #tracepoint)                                       \
	int aggregate_nested_##name(struct bpf_raw_tracepoint_args *ctx) \
	{                                                                \
		if (was_skipped(ctx, kind))                              \
			handle(ctx);                                     \
		return 0;                                                \
	}

MEMORY(kmalloc, kmalloc, MP_AGG_KMALLOC, handle_kmalloc)
MEMORY(kfree, kfree, MP_AGG_KFREE, handle_free)
MEMORY(kmem_cache_alloc, cache_alloc, MP_AGG_CACHE_ALLOC, handle_cache_alloc)
MEMORY(kmem_cache_free, cache_free, MP_AGG_CACHE_FREE, handle_free)
MEMORY(mm_page_alloc, pages_alloc, MP_AGG_PAGES_ALLOC, handle_pages_alloc)
MEMORY(mm_page_free, pages_free, MP_AGG_PAGES_FREE, handle_pages_free)

char _license[] SEC("license") = "GPL";
