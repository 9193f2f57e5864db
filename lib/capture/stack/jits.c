// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/jits.h"

#include <stdlib.h>

enum { MAPS_MAX = 4096 };

#define BUSY_NS 1000000000ull /* a map that was used this recently is not evicted for another */

struct mp_jit {
	struct mp_perfmap map;
	uint64_t used_ns;
	size_t charged;
};

void mp_jits_init(struct mp_jits *j, struct mp_opener *opener)
{
	*j = (struct mp_jits){ .opener = opener };
	mp_intmap_init(&j->by_pid);
}

static struct mp_jit *jit_of(const struct mp_intmap_entry *e)
{
	return (struct mp_jit *)(uintptr_t)e->value;
}

void mp_jits_release(struct mp_jits *j)
{
	struct mp_intmap_entry *e;

	mp_intmap_each (&j->by_pid, e) {
		mp_perfmap_release(&jit_of(e)->map);
		free(jit_of(e));
	}
	mp_intmap_release(&j->by_pid);
}

/* Charges the user of a map for what it takes now. */
static void settle(struct mp_jits *j, struct mp_jit *jit)
{
	size_t bytes = mp_perfmap_bytes(&jit->map);

	if (bytes > jit->charged)
		mp_budget_spend(j->budget, MP_BUDGET_JIT, jit->map.uid, bytes - jit->charged);
	else
		mp_budget_give(j->budget, MP_BUDGET_JIT, jit->map.uid, jit->charged - bytes);
	jit->charged = bytes;
}

static void evict(struct mp_jits *j, struct mp_jit *jit)
{
	mp_perfmap_clear(&jit->map);
	settle(j, jit);
}

/* The least recently used map: of one user, with something to evict; or of all. */
static struct mp_intmap_entry *least_used(struct mp_jits *j, const uid_t *uid)
{
	struct mp_intmap_entry *e, *least = NULL;

	mp_intmap_each (&j->by_pid, e) {
		if (uid &&
		    (!jit_of(e)->charged || mp_budget_uid(j->budget, jit_of(e)->map.uid) != *uid))
			continue;
		if (!least || jit_of(e)->used_ns < jit_of(least)->used_ns)
			least = e;
	}
	return least;
}

struct room {
	struct mp_jits *jits;
	struct mp_jit *of;
};

/* Whether a map may grow, perhaps after evicting others. */
static bool has_room(void *arg, struct mp_perfmap *map)
{
	struct room *r = arg;
	struct mp_budget *b = r->jits->budget;
	struct mp_intmap_entry *e;
	uid_t victim;

	settle(r->jits, r->of);
	while (!mp_budget_fits(b, MP_BUDGET_JIT, map->uid, 0)) {
		victim = mp_budget_victim(b, MP_BUDGET_JIT, map->uid, 0);
		e = least_used(r->jits, &victim);
		if (!e || jit_of(e) == r->of || r->of->used_ns - jit_of(e)->used_ns < BUSY_NS)
			return false;
		evict(r->jits, jit_of(e));
	}
	return true;
}

static struct mp_jit *get(struct mp_jits *j, struct mp_process *process)
{
	struct mp_jit *jit = mp_intmap_pointer(&j->by_pid, (uint32_t)process->pid);
	struct mp_intmap_entry *e;

	if (jit)
		return jit;
	if (j->by_pid.n >= MAPS_MAX) {
		e = least_used(j, NULL);
		evict(j, jit_of(e));
		free(jit_of(e));
		mp_intmap_remove(&j->by_pid, e);
	}
	jit = mp_zalloc(sizeof(*jit));
	mp_perfmap_init(&jit->map, j->opener, process->pid);
	jit->map.uid = process->uid;
	mp_intmap_add_pointer(&j->by_pid, (uint32_t)process->pid, jit);
	return jit;
}

static void update(struct mp_jits *j, struct mp_jit *jit, struct mp_process *process,
		   uint64_t now_ns)
{
	struct room room = { j, jit };
	char name[MP_PERFMAP_NAME_MAX];
	struct mp_budget_who who = { .uid = process->uid };

	mp_perfmap_name(&jit->map, name);
	if (j->budget)
		who = mp_tasks_who(j->tasks, process, name);
	if (who.uid != jit->map.uid) { /* the process has another user now, or is another process */
		evict(j, jit);
		jit->map.uid = who.uid;
	}
	if (!mp_perfmap_update(&jit->map, now_ns, has_room, &room))
		mp_budget_refuse(j->budget, MP_BUDGET_JIT, &who);
	settle(j, jit);
}

const char *mp_jits_find(struct mp_jits *j, struct mp_process *process, uint64_t addr,
			 uint64_t now_ns)
{
	struct mp_jit *jit = get(j, process);

	jit->used_ns = now_ns;
	if (mp_perfmap_is_due(&jit->map, now_ns))
		update(j, jit, process, now_ns);
	return mp_perfmap_find(&jit->map, addr);
}
