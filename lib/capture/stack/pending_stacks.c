// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/pending_stacks.h"

#include <stdlib.h>
#include <string.h>

enum {
	/*
	 * Stacks that are kept of a task. At first there is room for a few; it grows up to
	 * KEPT_LONG while the oldest stack may be of use, and up to KEPT while that one is at most
	 * NEAR_NS old: no task has more stacks within MP_BPF_EARLIER_NS.
	 */
	KEPT_FIRST = 4,
	KEPT_LONG = 128,
	KEPT = 512,
	KEEP_NS = 20000000, /* how long a stack may be of use */
	KEPT_COPIES = 256,  /* 15 MiB; the sample comes immediately after its stack, or never */
	NEAR_NS = 200000,   /* a sample comes some us after its stack; an interrupt may delay it */
	MAX_TASKS = 4 << 10,
	/* if one sample proves the contrary, this many samples that agree outweigh it */
	CERTAIN = 8,
};

struct stored {
	struct mp_pending_stack chain;
	uint64_t copy; /* number of the copy plus 1; 0: the stack is a chain */
	bool dropped;  /* the previous record on its CPU was lost */
};

struct latest {
	struct stored
		*v; /* a ring of `size`, a power of two: the next stack replaces the oldest one */
	unsigned next, size;
	/* a bit for each place in `v`: no sample has taken the stack */
	uint64_t waiting[KEPT / 64];
};

struct copy {
	struct mp_bpf_copy *record;
	size_t cap; /* size of the allocation */
};

void mp_pending_stacks_init(struct mp_pending_stacks *c)
{
	*c = (struct mp_pending_stacks){ .copies = mp_zalloc(KEPT_COPIES * sizeof(*c->copies)) };
	mp_map_init(&c->map, sizeof(struct latest));
}

static void free_chains(struct mp_pending_stacks *c)
{
	struct mp_map_entry *e;
	size_t i;

	mp_map_each (&c->map, e) {
		struct latest *l = mp_map_value(e);

		for (i = 0; i < l->size; i++)
			free(l->v[i].chain.ips);
		free(l->v);
	}
}

void mp_pending_stacks_release(struct mp_pending_stacks *c)
{
	size_t i;

	free_chains(c);
	mp_map_release(&c->map);
	for (i = 0; i < KEPT_COPIES; i++)
		free(c->copies[i].record);
	free(c->copies);
	free(c->orders);
	free(c->drops);
}

enum mp_unwind_end mp_pending_stack_end(uint32_t end)
{
	switch (end) {
	case MP_BPF_COMPLETE:
		return MP_UNWIND_COMPLETE;
	case MP_BPF_NO_STACK:
		return MP_UNWIND_NO_STACK;
	case MP_BPF_END_FRAMES:
		return MP_UNWIND_MAX_STACK;
	case MP_BPF_END_MAPPING:
		return MP_UNWIND_MAPPING;
	case MP_BPF_END_FP:
		return MP_UNWIND_FRAME_POINTER;
	case MP_BPF_END_STACK:
		return MP_UNWIND_OTHER_STACK;
	case MP_BPF_END_UNKNOWN:
		return MP_UNWIND_UNKNOWN;
	case MP_BPF_END_ABI:
		return MP_UNWIND_ABI;
	case MP_BPF_NO_TABLES:
		return MP_UNWIND_NO_TABLES;
	}
	return MP_UNWIND_CFI;
}

/* Whether records of the CPU were lost since the previous record. */
static bool note_drops(struct mp_pending_stacks *c, const struct mp_bpf_head *head)
{
	enum { CPUS_MAX = 1 << 16 };
	size_t n = c->n_drops;
	bool more;

	if (head->cpu >= CPUS_MAX)
		return false;
	if (head->cpu >= n) {
		c->n_drops = head->cpu + 1;
		c->drops = mp_realloc(c->drops, c->n_drops * sizeof(*c->drops));
		memset(c->drops + n, 0, (c->n_drops - n) * sizeof(*c->drops));
	}
	more = c->drops[head->cpu] != head->drops;
	c->drops[head->cpu] = head->drops;
	return more;
}

static void set_waiting(uint64_t *waiting, unsigned place, bool on)
{
	uint64_t bit = 1ull << place % 64;

	waiting[place / 64] = on ? waiting[place / 64] | bit : waiting[place / 64] & ~bit;
}

static bool is_waiting(const struct latest *l, unsigned place)
{
	return l->waiting[place / 64] >> place % 64 & 1;
}

/* Doubles the room, so that the oldest stack comes first. */
static void grow(struct latest *l)
{
	unsigned size = l->size ? 2 * l->size : KEPT_FIRST, i;
	struct stored *v = mp_zalloc(size * sizeof(*v));
	uint64_t waiting[KEPT / 64] = { 0 };

	for (i = 0; i < l->size; i++) {
		v[i] = l->v[(l->next + i) % l->size];
		set_waiting(waiting, i, is_waiting(l, (l->next + i) % l->size));
	}
	memcpy(l->waiting, waiting, sizeof(waiting));
	free(l->v);
	l->v = v;
	l->next = l->size;
	l->size = size;
}

/* Whether the oldest stack must not be replaced yet. */
static bool is_in_use(const struct latest *l, uint64_t time_ns)
{
	uint64_t oldest_ns = l->v[l->next % l->size].chain.time_ns;

	return oldest_ns && oldest_ns + (l->size < KEPT_LONG ? KEEP_NS : NEAR_NS) > time_ns;
}

static struct stored *next_slot(struct latest *l, uint64_t time_ns)
{
	unsigned place;

	if (!l->size || (l->size < KEPT && is_in_use(l, time_ns)))
		grow(l);
	place = l->next++ % l->size;
	set_waiting(l->waiting, place, true);
	return &l->v[place];
}

/* The slot where the next stack of a task is stored. */
static struct stored *next_of(struct mp_pending_stacks *c, const struct mp_bpf_head *head)
{
	struct mp_str key = { (const char *)&head->tid, sizeof(head->tid) };
	struct latest *l;
	struct stored *to;

	if (c->map.n > MAX_TASKS) {
		free_chains(c);
		mp_map_clear(&c->map);
	}
	l = mp_map_value(mp_map_put(&c->map, &key, 1, NULL));
	to = next_slot(l, head->time_ns);
	to->chain.time_ns = head->time_ns;
	to->copy = 0;
	to->dropped = note_drops(c, head);
	return to;
}

static bool put_chain(struct mp_pending_stacks *c, const struct mp_bpf_record *r)
{
	size_t head = offsetof(struct mp_bpf_record, ips), n;
	struct mp_pending_stack *to;

	if (r->head.size < head + 2 * sizeof(*r->ips) || r->head.size > sizeof(*r))
		return false;
	n = (r->head.size - head) / sizeof(*r->ips) - 2;
	to = &next_of(c, &r->head)->chain;
	to->end = mp_pending_stack_end(r->head.end);
	to->ip = r->ip;
	to->sp = r->sp;
	to->ips = mp_grow(to->ips, &to->cap, n + 1, sizeof(*to->ips));
	to->n = n;
	if (n)
		memcpy(to->ips, r->ips, n * sizeof(*to->ips));
	return true;
}

static bool put_copy(struct mp_pending_stacks *c, const struct mp_bpf_copy *r)
{
	struct copy *to = &c->copies[c->n_copies % KEPT_COPIES];
	size_t fixed = offsetof(struct mp_bpf_copy, stack);
	struct stored *stored;

	if (r->head.size < fixed || r->head.size > sizeof(*r) || r->len > r->head.size - fixed)
		return false;
	to->record = mp_grow(to->record, &to->cap, r->head.size, 1);
	memcpy(to->record, r, r->head.size);
	stored = next_of(c, &r->head);
	stored->copy = ++c->n_copies;
	stored->chain.sp = r->regs[MP_BPF_REG_SP];
	stored->chain.ip = r->regs[MP_BPF_REG_IP];
	return true;
}

bool mp_pending_stacks_put(struct mp_pending_stacks *c, const struct mp_bpf_head *head)
{
	return head->type == MP_BPF_COPY ? put_copy(c, (const struct mp_bpf_copy *)head)
					 : put_chain(c, (const struct mp_bpf_record *)head);
}

static struct latest *latest_of(const struct mp_pending_stacks *c, pid_t tid)
{
	struct mp_str key = { (const char *)&tid, sizeof(tid) };
	struct mp_map_entry *e = mp_map_find(&c->map, &key, 1);

	return e ? mp_map_value(e) : NULL;
}

static const struct mp_bpf_copy *copy_of(const struct mp_pending_stacks *c, const struct stored *s)
{
	return s->copy ? c->copies[(s->copy - 1) % KEPT_COPIES].record : NULL;
}

static int8_t *order_of(struct mp_pending_stacks *c, size_t event)
{
	size_t n = c->n_orders;

	if (event >= n) {
		c->n_orders = event + 1;
		c->orders = mp_realloc(c->orders, c->n_orders);
		memset(c->orders + n, 0, c->n_orders - n);
	}
	return &c->orders[event];
}

/* The place of a stack in `v`, by its age; the latest has the age 0. */
static unsigned place_of(const struct latest *l, unsigned age)
{
	return (l->next - 1 - age) % l->size;
}

static struct stored *stored_of(struct latest *l, unsigned age)
{
	return &l->v[place_of(l, age)];
}

/* The age of the oldest stack that waits and has at most this age; below 0: there is none. */
static int next_waiting(const struct latest *l, int age)
{
	while (age >= 0) {
		unsigned place = place_of(l, (unsigned)age);
		uint64_t word = l->waiting[place / 64] >> place % 64;

		if (word)
			return age - __builtin_ctzll(word);
		age -= (int)(MP_MIN(64, l->size) - place % 64);
	}
	return age;
}

struct candidate {
	struct stored *s; /* or NULL */
	unsigned age;
};

/*
 * The last stack before a sample, the first one after it, and the last one that waits too far before
 * it. The latter may be that of the sample, if the task was interrupted in between.
 */
struct candidates {
	struct candidate before, after, far;
};

static bool is_kept(const struct mp_pending_stacks *c, const struct stored *s)
{
	return !s->copy || c->n_copies - s->copy < KEPT_COPIES;
}

/*
 * Finds the candidates among the stacks that wait. They came in order of time, some of them
 * MP_BPF_EARLIER_NS ahead of their samples: so the first that wait are looked at first.
 */
static struct candidates find(const struct mp_pending_stacks *c, struct latest *l,
			      const struct mp_pending_want *want)
{
	struct candidates found = { 0 };
	int age = next_waiting(l, (int)l->size - 1);

	for (; age >= 0 && !found.after.s; age = next_waiting(l, age - 1)) {
		struct candidate one = { stored_of(l, (unsigned)age), (unsigned)age };
		uint64_t at = one.s->chain.time_ns;

		if (at >= want->time_ns + NEAR_NS)
			break;
		if (one.s->chain.ip != want->ip || one.s->chain.sp != want->sp ||
		    at + KEEP_NS <= want->time_ns)
			continue;
		if (at + NEAR_NS <= want->time_ns)
			found.far = one;
		else if (!is_kept(c, one.s))
			continue;
		else if (at <= want->time_ns)
			found.before = one;
		else
			found.after = one;
	}
	return found;
}

/*
 * Whether a stack too far before a sample is taken for that of the sample: if the task has had no
 * other one in between, even one that another sample took.
 */
static bool is_last(const struct mp_pending_stacks *c, struct latest *l, struct candidate far,
		    uint64_t time_ns)
{
	return is_kept(c, far.s) &&
	       (!far.age || stored_of(l, far.age - 1)->chain.time_ns > time_ns);
}

/*
 * Chooses the candidate before the sample or the one after it, whichever is usual for the event:
 * `*order` is below 0 for before, above 0 for after. If the only candidate is after the sample,
 * stacks of this event come after their samples, unless the record before the stack was lost. But
 * if another stack waits too far before the sample, this sample only weakens what others have
 * shown. Otherwise one mistake would last: each sample would get the stack of the next one.
 */
static struct candidate choose(const struct candidates *c, int8_t *order, bool after)
{
	if (c->after.s && !c->before.s && !c->after.s->dropped)
		*order = c->far.s && *order < 0 ? *order + 1 : CERTAIN;
	else if (c->before.s && !c->after.s && *order > -CERTAIN)
		--*order;
	if (*order ? *order > 0 : after)
		return c->after;
	return c->before.s || !*order ? c->before : c->far;
}

const struct mp_pending_stack *mp_pending_stacks_take(struct mp_pending_stacks *c,
						      const struct mp_pending_want *want)
{
	struct latest *l = latest_of(c, want->tid);
	struct candidates found;
	struct candidate one;

	/* if all come from after the sample, later ones have overwritten its own */
	if (!l || (l->size == KEPT && stored_of(l, KEPT - 1)->chain.time_ns > want->time_ns))
		return NULL;
	found = find(c, l, want);
	one = choose(&found, order_of(c, want->event), want->after);
	if (!one.s || (one.s == found.far.s && !is_last(c, l, one, want->time_ns)))
		return NULL;
	set_waiting(l->waiting, place_of(l, one.age), false);
	one.s->chain.copy = copy_of(c, one.s);
	return &one.s->chain;
}

const struct mp_bpf_copy *mp_pending_stacks_copy(struct mp_pending_stacks *c, pid_t tid,
						 uint64_t time_ns)
{
	struct latest *l = latest_of(c, tid);
	size_t i;

	for (i = 0; l && i < l->size; i++)
		if (l->v[i].chain.time_ns == time_ns && l->v[i].copy && is_kept(c, &l->v[i]))
			return copy_of(c, &l->v[i]);
	return NULL;
}
