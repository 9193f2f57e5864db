// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sums by stack, made in the kernel: of samples and of what probes see, of the time for which tasks
 * are blocked, of memory that has not been given back. Each stack goes to user space once, when it
 * is first seen and its process still there; its sums go by a hash of 64 bits of it.
 */
#include "bpf/aggregate.h"

#define COPY_CONTEXTS MP_AGG_CONTEXTS
#include "bpf/copy.h"
#include "bpf/target.h"

/* Contexts that may interrupt each other; each has a buffer of its own. */
enum context { IN_SWITCH, IN_WAKING, IN_PROBE, IN_SAMPLE, IN_MEMORY };

/* Fields that kernels have under one of two names, or not all. */
struct task_struct___new {
	unsigned int __state;
} __attribute__((preserve_access_index));

struct task_struct___old {
	long state;
} __attribute__((preserve_access_index));

struct kmem_cache {
	unsigned int object_size;
} __attribute__((preserve_access_index));

/* struct bpf_perf_event_data of x86-64: its header has a struct pt_regs of its own. */
struct sample {
	__u64 regs[21];
	__u64 period;
};

const volatile struct mp_agg_setup setup SEC(".rodata.setup");
struct mp_agg_state state SEC(".data.state");

#define SUMS(name)                                  \
	struct {                                    \
		__uint(type, BPF_MAP_TYPE_HASH);    \
		__uint(max_entries, MP_AGG_STACKS); \
		__type(key, struct mp_agg_key);     \
		__type(value, struct mp_agg_total); \
	} name SEC(".maps")

SUMS(sums_a);
SUMS(sums_b);

/* Stacks that user space has. One that is forgotten is sent again. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 2 * MP_AGG_STACKS);
	__type(key, __u64);
	__type(value, __u8);
} sent SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MP_AGG_BLOCKED);
	__type(key, __u64); /* task_struct */
	__type(value, struct mp_agg_blocked);
} blocked SEC(".maps");

/* What a thread has asked for. */
struct asked {
	__u64 weight, id, into;
	__u32 sum, unused;
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
	__u64 busy;
	struct walk walk;
	struct mp_agg_stack stack;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MP_AGG_CONTEXTS);
	__type(key, __u32);
	__type(value, struct buffer);
} buffers SEC(".maps");

/* For rules with `every`: what has come together. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, MP_AGG_RULES);
	__type(key, __u32);
	__type(value, __u64);
} together SEC(".maps");

/* Whether it is recording, and the process is not left out. */
static __always_inline bool is_on(const struct task_struct *task)
{
	return state.enabled && !is_excluded(task->tgid);
}

static bool is_wanted(const struct task_struct *task)
{
	return is_on(task) && is_target(task->tgid, task->pid);
}

static __always_inline void drop(__u64 sum, __u64 weight)
{
	__asm__ volatile("%0 &= 63" : "+r"(sum)); /* for the verifier */
	__sync_fetch_and_add(&state.dropped[sum].weight, weight);
	__sync_fetch_and_add(&state.dropped[sum].count, 1);
}

/* --- stacks ------------------------------------------------------------------------------------------ */

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

/* Who has a stack: frames of another process mean something else. */
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

static __always_inline void take_kernel(void *ctx, struct mp_agg_stack *s)
{
	long n = bpf_get_stack(ctx, s->kernel, MP_AGG_KERNEL * 8, 0);

	s->n_kernel = n > 0 ? (__u64)n / 8 : 0;
}

/* At least where it is. */
static __always_inline void take_leaf(struct mp_agg_stack *s, struct task_struct *task)
{
	s->user[0] = ((struct pt_regs *)bpf_task_pt_regs(task))->ip;
	s->end = MP_BPF_NO_TABLES;
	s->n_user = 1;
}

/* A copy of the stack, if the tables do not do for it. */
static __always_inline struct mp_bpf_copy *take_user(struct buffer *b, struct task_struct *task,
						     enum context which)
{
	struct mp_agg_stack *s = &b->stack;
	struct walker w = { find_space(task), &b->walk, s->user };
	struct mp_bpf_copy *copy = 0;

	if (!task->mm)
		return 0;
	if (needs_copy(&w, task)) /* what it is for is sent right behind it */
		copy = make_copy(task, s->time_ns, s->time_ns, which);
	if (copy) {
		s->end = MP_BPF_COPIED;
	} else if (w.space) {
		s->end = b->walk.end;
		s->n_user = b->walk.n;
	} else {
		take_leaf(s, task);
	}
	return copy;
}

struct copy_hash {
	__u64 v;
	const struct mp_bpf_copy *copy;
};

enum { WORDS = 8, WORDS_BYTES = WORDS * 8 };

/* Eight words at a time; what is left at the end is where the program began. */
static long mix_words(__u32 i, struct copy_hash *h)
{
	__u64 at = (__u64)i * WORDS_BYTES;
	const __u64 *words;
	__u32 j;

	__asm__ volatile("" : "+r"(at));
	if (at > MP_BPF_COPY_BYTES - WORDS_BYTES || at + WORDS_BYTES > h->copy->len)
		return 1;
	words = (const __u64 *)(h->copy->stack + at);
#pragma unroll
	for (j = 0; j < WORDS; j++)
		h->v = mixed(h->v, words[j]);
	return 0;
}

/* Equal stacks of equal bytes are one; others are put together by their words in the end. */
static __always_inline __u64 mix_copy(__u64 v, const struct mp_bpf_copy *copy)
{
	struct copy_hash h = { .v = v, .copy = copy };

	h.v = mixed(mixed(h.v, copy->regs[7]), copy->regs[8]); /* stack pointer, address */
	bpf_loop(MP_BPF_COPY_BYTES / WORDS_BYTES, mix_words, &h, 0);
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

/* Makes a stack known to user space; its number. */
static __always_inline __u64 tell(struct mp_agg_stack *s, struct task_struct *task,
				  struct mp_bpf_copy *copy)
{
	__u64 id = hash_stack(s, task, copy);

	s->id = id;
	if (bpf_map_lookup_elem(&sent, &id))
		return id;
	if (copy && !send_copy(copy)) { /* no room for so much */
		take_leaf(s, task);
		s->id = id = hash_stack(s, task, 0);
		if (bpf_map_lookup_elem(&sent, &id))
			return id;
	}
	send(s);
	return id;
}

/* The stack of the current task. 0: it could not be taken. */
static __always_inline __u64 stack_id(void *ctx, enum context which, bool kernel, bool user)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct mp_bpf_copy *copy = 0;
	struct mp_agg_stack *s;
	__u32 index = which;
	struct buffer *b;
	__u64 id;

	b = bpf_map_lookup_elem(&buffers, &index);
	if (!b || b->busy)
		return 0;
	b->busy = 1;
	s = &b->stack;
	s->pid = task->tgid;
	s->tid = task->pid;
	s->time_ns = bpf_ktime_get_ns();
	bpf_get_current_comm(s->comm, sizeof(s->comm));
	s->n_kernel = s->n_user = 0;
	s->end = MP_BPF_NO_STACK;
	if (kernel)
		take_kernel(ctx, s);
	if (user)
		copy = take_user(b, task, which);
	id = tell(s, task, copy);
	b->busy = 0;
	return id;
}

/* --- sums -------------------------------------------------------------------------------------------- */

static __always_inline void add_to(void *map, const struct mp_agg_key *key, __u64 weight)
{
	struct mp_agg_total none = { 0, 0 }, *total = bpf_map_lookup_elem(map, key);

	if (!total) {
		bpf_map_update_elem(map, key, &none, BPF_NOEXIST);
		total = bpf_map_lookup_elem(map, key);
	}
	if (!total) {
		drop(key->sum, weight);
		return;
	}
	__sync_fetch_and_add(&total->weight, weight);
	__sync_fetch_and_add(&total->count, 1);
}

static __always_inline void add(__u32 sum, __u64 id, __u64 other, __u64 weight)
{
	struct mp_agg_key key = { id, other, sum };

	if (!id) {
		drop(sum, weight);
		return;
	}
	if (state.current)
		add_to(&sums_b, &key, weight);
	else
		add_to(&sums_a, &key, weight);
}

/* --- memory that is held ----------------------------------------------------------------------------- */

static __always_inline void hold(__u64 address, __u32 pid, __u32 sum, __u64 weight, __u64 id)
{
	struct mp_agg_held value = { weight, bpf_ktime_get_ns(), id };
	struct mp_agg_pointer key = { address, pid, sum };

	if (!id || bpf_map_update_elem(&held, &key, &value, BPF_ANY))
		drop(sum, weight);
}

static __always_inline void give_back(__u64 address, __u32 pid, __u32 sum)
{
	struct mp_agg_pointer key = { address, pid, sum };

	bpf_map_delete_elem(&held, &key);
}

/* --- probes and samples ------------------------------------------------------------------------------ */

/* The values that rules may name, by enum mp_agg_value. */
struct values {
	__u64 v[MP_AGG_COUNT + 1];
};

/* Each is loaded by itself: of a context, the verifier takes no address but its beginning. */
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

/* What was asked for has come. */
static __always_inline void take_got(const volatile struct mp_agg_rule *rule, __u64 address,
				     __u32 pid, __u32 tid)
{
	struct asked *asked = bpf_map_lookup_elem(&asking, &tid);

	if (!asked)
		return;
	if (asked->into && bpf_probe_read_user(&address, sizeof(address), (void *)asked->into))
		address = 0;
	if (address && asked->sum == rule->sum)
		hold(address, pid, rule->sum, asked->weight, asked->id);
	bpf_map_delete_elem(&asking, &tid);
}

/* Whether so much weight has come together that a stack is taken for it; `*weight` is all of it. */
static __always_inline bool is_time(__u32 index, __u64 every, __u64 *weight)
{
	__u64 *sum = bpf_map_lookup_elem(&together, &index);

	if (every <= 1 || !sum)
		return true;
	*sum += *weight;
	if (*sum < every)
		return false;
	*weight = *sum;
	*sum = 0;
	return true;
}

static __always_inline int take_probe(struct pt_regs *regs, const volatile struct mp_agg_rule *rule,
				      __u32 index, struct task_struct *task)
{
	__u32 pid = task->tgid, tid = task->pid;
	struct values values = { { 0 } };
	struct asked asked = { 0 };
	__u64 weight = 0, id;

	load_values(&values, regs);
	if (rule->freed)
		give_back(value_of(&values, rule->freed), pid, rule->sum);
	if (rule->got)
		take_got(rule, value_of(&values, rule->got), pid, tid);
	if (rule->weight[0])
		weight = product(&values, rule->weight);
	else if (rule->ask[0])
		weight = asked.weight = product(&values, rule->ask);
	if (!weight || !is_time(index, rule->every, &weight))
		return 0;
	id = stack_id(regs, IN_PROBE, rule->kernel, rule->user);
	if (rule->weight[0]) {
		add(rule->sum, id, 0, weight);
		return 0;
	}
	asked.id = id;
	asked.sum = rule->sum;
	asked.into = rule->into ? value_of(&values, rule->into) : 0;
	bpf_map_update_elem(&asking, &tid, &asked, BPF_ANY);
	return 0;
}

/* On the probe itself, which is ours alone: once for each hit, whatever events there are. */
SEC("kprobe")
int sum_probe(struct pt_regs *regs)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 index = bpf_get_attach_cookie(regs);

	if (!is_on(task))
		return 0;
	__asm__ volatile("%0 &= 63" : "+r"(index)); /* MP_AGG_RULES - 1, for the verifier */
	return take_probe(regs, &setup.rules[index], index, task);
}

/* On a perf event, where it decides for that event alone: 0, there is no sample. */
static __always_inline int take_sample(struct sample *ctx, __u32 index)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const volatile struct mp_agg_rule *rule = &setup.sampled[index];
	__u64 weight = rule->weight[0] == MP_AGG_PERIOD ? ctx->period : 1;

	if (is_on(task))
		add(rule->sum, stack_id(ctx, IN_SAMPLE, rule->kernel, rule->user), 0, weight);
	return 0;
}

#define SAMPLE(index)                              \
	SEC("perf_event")                          \
	int sum_sample_##index(struct sample *ctx) \
	{                                          \
		return take_sample(ctx, index);    \
	}

SAMPLE(0)
SAMPLE(1)
SAMPLE(2)
SAMPLE(3)

/* --- blocked tasks ----------------------------------------------------------------------------------- */

#define TASK_DEAD 0x80 /* Linux, include/linux/sched.h, since 4.14 */

static __always_inline __u64 state_of(const struct task_struct *task)
{
	const struct task_struct___new *n = (const void *)task;
	const struct task_struct___old *o = (const void *)task;

	if (bpf_core_field_exists(n->__state))
		return BPF_CORE_READ(n, __state);
	return (__u64)BPF_CORE_READ(o, state);
}

/* `waker`: its stack is to be taken. */
static __always_inline void end_block(void *ctx, __u64 task, bool waker)
{
	struct mp_agg_blocked *b = bpf_map_lookup_elem(&blocked, &task);
	__u64 now = bpf_ktime_get_ns(), other = 0, id, since;

	if (!b)
		return;
	id = b->id;
	since = b->time_ns;
	if (bpf_map_delete_elem(&blocked, &task)) /* another CPU has been faster */
		return;
	if (waker)
		other = stack_id(ctx, IN_WAKING, setup.blocked.kernel, setup.blocked.user);
	add(setup.blocked.sum, id, other, now > since ? now - since : 0);
}

/* sched_switch(preempt, prev, next): prev is the current task. */
SEC("raw_tp/sched_switch")
int sum_switch(struct bpf_raw_tracepoint_args *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 state = state_of(task), key = ctx->args[1];
	struct mp_agg_blocked value;

	/* it runs again: if the waking fell between its leaving and this, its time ends here */
	end_block(ctx, ctx->args[2], false);
	if (ctx->args[0] || !state || state & TASK_DEAD || !is_wanted(task))
		return 0;
	value.time_ns = bpf_ktime_get_ns();
	value.id = stack_id(ctx, IN_SWITCH, setup.blocked.kernel, setup.blocked.user);
	if (!value.id || bpf_map_update_elem(&blocked, &key, &value, BPF_ANY))
		drop(setup.blocked.sum, 0);
	return 0;
}

SEC("raw_tp/sched_waking")
int sum_waking(struct bpf_raw_tracepoint_args *ctx)
{
	end_block(ctx, ctx->args[0], setup.with_waker);
	return 0;
}

/* --- memory of the kernel ---------------------------------------------------------------------------- */

static __always_inline void hold_memory(struct bpf_raw_tracepoint_args *ctx,
					const volatile struct mp_agg_rule *rule, __u64 address,
					__u64 bytes)
{
	if (address && is_wanted(bpf_get_current_task_btf()))
		hold(address, 0, rule->sum, bytes,
		     stack_id(ctx, IN_MEMORY, rule->kernel, rule->user));
}

static __always_inline __u64 argument(struct bpf_raw_tracepoint_args *ctx, __u32 number)
{
	__u64 third = *(volatile __u64 *)&ctx->args[3], fourth = *(volatile __u64 *)&ctx->args[4];

	return number == 4 ? fourth : third;
}

/* kmalloc(call_site, ptr, [s,] bytes_req, bytes_alloc, ...) */
SEC("raw_tp/kmalloc")
int sum_kmalloc(struct bpf_raw_tracepoint_args *ctx)
{
	hold_memory(ctx, &setup.memory, ctx->args[1], argument(ctx, setup.kmalloc_size));
	return 0;
}

/* kmem_cache_alloc(call_site, ptr, s, ...), or as kmalloc in older ones */
SEC("raw_tp/kmem_cache_alloc")
int sum_cache_alloc(struct bpf_raw_tracepoint_args *ctx)
{
	const struct kmem_cache *cache = (const void *)ctx->args[2];
	__u64 bytes = setup.cache_size ? argument(ctx, setup.cache_size)
				       : BPF_CORE_READ(cache, object_size);

	hold_memory(ctx, &setup.memory, ctx->args[1], bytes);
	return 0;
}

/* kfree(call_site, ptr) */
SEC("raw_tp/kfree")
int sum_kfree(struct bpf_raw_tracepoint_args *ctx)
{
	give_back(ctx->args[1], 0, setup.memory.sum);
	return 0;
}

/* kmem_cache_free(call_site, ptr, ...) */
SEC("raw_tp/kmem_cache_free")
int sum_cache_free(struct bpf_raw_tracepoint_args *ctx)
{
	give_back(ctx->args[1], 0, setup.memory.sum);
	return 0;
}

/* mm_page_alloc(page, order, ...) */
SEC("raw_tp/mm_page_alloc")
int sum_pages_alloc(struct bpf_raw_tracepoint_args *ctx)
{
	hold_memory(ctx, &setup.pages, ctx->args[0], 4096ull << (ctx->args[1] & 31));
	return 0;
}

/* mm_page_free(page, order) */
SEC("raw_tp/mm_page_free")
int sum_pages_free(struct bpf_raw_tracepoint_args *ctx)
{
	give_back(ctx->args[0], 0, setup.pages.sum);
	return 0;
}

char _license[] SEC("license") = "GPL";
