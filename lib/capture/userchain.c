// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/userchain.h"

#include <stdlib.h>

enum {
	KEPT = 4,
	NEAR_NS =
		200000, /* a program and a sample are some us apart, unless an interrupt comes between */
	MAX_TASKS = 16 << 10,
};

struct latest {
	struct mp_user_chain v[KEPT];
	unsigned next;
};

void mp_user_chains_init(struct mp_user_chains *c)
{
	mp_map_init(&c->map, sizeof(struct latest));
}

static void free_chains(struct mp_user_chains *c)
{
	struct mp_map_entry *e;
	size_t i;

	mp_map_each (&c->map, e)
		for (i = 0; i < KEPT; i++)
			free(((struct latest *)mp_map_value(e))->v[i].ips);
}

void mp_user_chains_release(struct mp_user_chains *c)
{
	free_chains(c);
	mp_map_release(&c->map);
}

enum mp_unwind_end mp_user_chain_end(uint32_t end)
{
	switch (end) {
	case MP_BPF_WHOLE:
		return MP_UNWIND_WHOLE;
	case MP_BPF_NO_STACK:
		return MP_UNWIND_NO_STACK;
	case MP_BPF_END_FRAMES:
		return MP_UNWIND_MAX_STACK;
	case MP_BPF_END_MAPPING:
		return MP_UNWIND_MAPPING;
	case MP_BPF_END_FP:
		return MP_UNWIND_FRAME_POINTER;
	case MP_BPF_NO_TABLES:
		return MP_UNWIND_NO_TABLES;
	}
	return MP_UNWIND_CFI;
}

bool mp_user_chains_put(struct mp_user_chains *c, const struct mp_bpf_record *r)
{
	size_t head = offsetof(struct mp_bpf_record, ips), n;
	struct mp_str key = { (const char *)&r->tid, sizeof(r->tid) };
	struct mp_user_chain *to;
	struct latest *l;

	if (r->size < head + 2 * sizeof(*r->ips) || r->size > sizeof(*r))
		return false;
	n = (r->size - head) / sizeof(*r->ips) - 2;
	if (c->map.n > MAX_TASKS) {
		free_chains(c);
		mp_map_clear(&c->map);
	}
	l = mp_map_value(mp_map_put(&c->map, &key, 1, NULL));
	to = &l->v[l->next++ % KEPT];
	to->time_ns = r->time_ns;
	to->end = mp_user_chain_end(r->end);
	to->ips = mp_grow(to->ips, &to->cap, n + 1, sizeof(*to->ips));
	to->n = n;
	if (n)
		memcpy(to->ips, r->ips, n * sizeof(*to->ips));
	return true;
}

const struct mp_user_chain *mp_user_chains_find(const struct mp_user_chains *c, pid_t tid,
						uint64_t time_ns)
{
	struct mp_str key = { (const char *)&tid, sizeof(tid) };
	struct mp_map_entry *e = mp_map_find(&c->map, &key, 1);
	const struct mp_user_chain *nearest = NULL;
	uint64_t least = NEAR_NS, apart;
	const struct latest *l;
	size_t i;

	if (!e)
		return NULL;
	l = mp_map_value(e);
	for (i = 0; i < KEPT; i++) {
		apart = l->v[i].time_ns > time_ns ? l->v[i].time_ns - time_ns
						  : time_ns - l->v[i].time_ns;
		if (!l->v[i].time_ns || apart >= least)
			continue;
		least = apart;
		nearest = &l->v[i];
	}
	return nearest;
}
