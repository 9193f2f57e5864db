// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/pending_stacks.h"

#include <stdlib.h>

enum {
	KEPT = 16,	   /* stacks of a task; no more occur within MP_BPF_EARLIER_NS */
	KEPT_COPIES = 256, /* 15 MiB: a sample follows its stack immediately, or never */
	NEAR_NS = 200000,  /* a sample comes some us after its stack; an interrupt may delay it */
	MAX_TASKS = 8 << 10,
};

struct stored {
	struct mp_pending_stack chain;
	uint64_t copy; /* number of the copy plus 1; 0: it is a chain */
};

struct latest {
	struct stored v[KEPT];
	unsigned next;
};

struct copy {
	struct mp_bpf_copy *record;
	size_t cap; /* bytes */
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

	mp_map_each (&c->map, e)
		for (i = 0; i < KEPT; i++)
			free(((struct latest *)mp_map_value(e))->v[i].chain.ips);
}

void mp_pending_stacks_release(struct mp_pending_stacks *c)
{
	size_t i;

	free_chains(c);
	mp_map_release(&c->map);
	for (i = 0; i < KEPT_COPIES; i++)
		free(c->copies[i].record);
	free(c->copies);
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
	case MP_BPF_END_UNKNOWN:
		return MP_UNWIND_UNKNOWN;
	case MP_BPF_END_ABI:
		return MP_UNWIND_ABI;
	case MP_BPF_NO_TABLES:
		return MP_UNWIND_NO_TABLES;
	}
	return MP_UNWIND_CFI;
}

/* The slot for the next stack of a task. */
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
	to = &l->v[l->next++ % KEPT];
	to->chain.time_ns = head->time_ns;
	to->copy = 0;
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

	if (r->head.size < fixed || r->head.size > sizeof(*r) || r->len > r->head.size - fixed)
		return false;
	to->record = mp_grow(to->record, &to->cap, r->head.size, 1);
	memcpy(to->record, r, r->head.size);
	next_of(c, &r->head)->copy = ++c->n_copies;
	return true;
}

bool mp_pending_stacks_put(struct mp_pending_stacks *c, const struct mp_bpf_head *head)
{
	return head->type == MP_BPF_COPY ? put_copy(c, (const struct mp_bpf_copy *)head)
					 : put_chain(c, (const struct mp_bpf_record *)head);
}

const struct mp_pending_stack *mp_pending_stacks_find(struct mp_pending_stacks *c, pid_t tid,
						      uint64_t time_ns)
{
	struct mp_str key = { (const char *)&tid, sizeof(tid) };
	struct mp_map_entry *e = mp_map_find(&c->map, &key, 1);
	struct stored *nearest = NULL;
	uint64_t least = NEAR_NS, apart;
	struct latest *l;
	size_t i;

	if (!e)
		return NULL;
	l = mp_map_value(e);
	for (i = 0; i < KEPT; i++) {
		uint64_t at = l->v[i].chain.time_ns;

		apart = at > time_ns ? at - time_ns : time_ns - at;
		if (!at || apart >= least)
			continue;
		least = apart;
		nearest = &l->v[i];
	}
	if (!nearest || (nearest->copy && c->n_copies - nearest->copy >= KEPT_COPIES))
		return NULL;
	nearest->chain.copy =
		nearest->copy ? c->copies[(nearest->copy - 1) % KEPT_COPIES].record : NULL;
	return &nearest->chain;
}
