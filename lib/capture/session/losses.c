// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/losses.h"

#include <stdlib.h>

enum {
	/*
	 * Task, softirq, interrupt and NMI context may each be in the middle of an event; on a
	 * starved virtual machine, 5 such events were seen.
	 */
	IN_FLIGHT = 16,
};

/* The losses of an event on a CPU. */
struct account {
	uint64_t counted;   /* reported losses that the kernel's counter shows */
	uint64_t uncounted; /* reported losses that only the comparison shows */
	uint64_t from_ns;   /* all uncounted losses before this time were reported */
	uint64_t begun;	    /* events delivered before the latest reading of the counters began */
	/*
	 * of the latest check: the occurrences, and how many of them were delivered or counted as
	 * lost
	 */
	uint64_t happened;
	uint64_t before, after; /* before the counters were read, and after that */
	/*
	 * the greatest possible number of losses at an earlier check, and its time; 0: there is
	 * none
	 */
	uint64_t most, most_ns;
};

struct ring {
	uint64_t begin_ns;   /* when the latest check began */
	uint64_t checked_ns; /* when the latest check began whose counters have arrived */
};

struct mp_losses {
	struct mp_losses_setup s;
	struct ring *rings;	  /* the beginning of the state */
	struct account *accounts; /* indexed by ring and event; follow the rings */
};

size_t mp_losses_state_bytes(const struct mp_cut_plan *plan)
{
	if (!plan->counts)
		return 0;
	return plan->n_rings * (sizeof(struct ring) + plan->events.n * sizeof(struct account));
}

void *mp_losses_state(struct mp_losses *l)
{
	return l ? l->rings : NULL;
}

struct mp_losses *mp_losses_new(const struct mp_losses_setup *setup)
{
	const struct mp_cut_plan *plan = setup->plan;
	struct mp_losses *l;

	if (!plan->counts)
		return NULL;
	l = mp_zalloc(sizeof(*l));
	l->s = *setup;
	l->rings = mp_zalloc(mp_losses_state_bytes(plan));
	l->accounts = (struct account *)(l->rings + plan->n_rings);
	return l;
}

void mp_losses_free(struct mp_losses *l)
{
	if (!l)
		return;
	free(l->rings);
	free(l);
}

bool mp_losses_is_comparable(const struct mp_cut_event *e, const struct mp_tally *t)
{
	return e->each && !t->weighted && !e->own;
}

static void put(struct mp_losses *l, size_t ring, size_t event, uint64_t n, uint64_t from_ns,
		uint64_t time_ns)
{
	const struct mp_ctl loss = {
		.lost = n,
		.from_ns = MP_MIN(MP_MAX(from_ns, *l->s.start_ns), time_ns),
		.time_ns = time_ns,
		.cpu = l->s.plan->cpus[ring],
		.type = l->s.plan->events.v[event].type,
	};

	l->s.put(l->s.arg, ring, &loss);
}

/*
 * Reports what the kernel has counted since the previous check. It was lost after that check, and
 * after the last record of the ring; or after the record before the loss, if the ring says which
 * that is.
 */
static void put_counted(struct mp_losses *l, size_t ring, const struct mp_counts *counts,
			uint64_t time_ns)
{
	struct mp_ring_tally *t = &l->s.rings[ring];
	uint64_t from_ns = t->full_from_ns ? t->full_from_ns : t->last_ns;
	size_t i;

	from_ns = MP_MAX(from_ns, l->rings[ring].checked_ns);
	for (i = 0; i < l->s.plan->events.n; i++) {
		struct account *a = &l->accounts[ring * l->s.plan->events.n + i];

		if (counts[i].lost <= a->counted)
			continue;
		put(l, ring, i, counts[i].lost - a->counted, from_ns, time_ns);
		a->counted = counts[i].lost;
	}
	t->full_from_ns = 0;
}

static uint64_t delivered(const struct mp_losses *l, size_t at)
{
	return l->s.tally[at].written + l->s.tally[at].excluded;
}

/*
 * Reports the uncounted losses up to the latest check: occurrences that were neither delivered nor
 * counted as lost, though by now they should have been. An event that was in flight while the
 * counters were read is delivered or counted later, so as many events as have been since then, up
 * to IN_FLIGHT, are assumed to have been in flight. A later check therefore reports some of the
 * losses; `from_ns` is the time of the last check at which all losses so far were reported. `known`
 * is the number of events delivered or counted as lost by now.
 */
static void settle(struct mp_losses *l, size_t ring, size_t event, uint64_t known, uint64_t time_ns)
{
	size_t at = ring * l->s.plan->events.n + event;
	struct account *a = &l->accounts[at];
	uint64_t least = a->after + a->uncounted + MP_MIN(known - a->after, (uint64_t)IN_FLIGHT);
	uint64_t most = a->happened - MP_MIN(a->before, a->happened), lost;

	if (!mp_losses_is_comparable(&l->s.plan->events.v[event], &l->s.tally[at]))
		return;
	lost = a->happened - MP_MIN(least, a->happened);
	if (lost) {
		put(l, ring, event, lost, a->from_ns, time_ns);
		a->uncounted += lost;
	}
	if (a->most_ns && a->most <= a->uncounted) {
		a->from_ns = a->most_ns;
		a->most_ns = 0;
	}
	if (!a->most_ns || most <= a->most) {
		a->most = most;
		a->most_ns = l->rings[ring].checked_ns;
	}
	if (most <= a->uncounted) {
		a->from_ns = l->rings[ring].checked_ns;
		a->most_ns = 0;
	}
}

/* Reports the losses of the preceding check, and what the kernel has counted since. */
static void compare(struct mp_losses *l, size_t ring, const struct mp_counts *counts,
		    uint64_t time_ns)
{
	size_t i, first = ring * l->s.plan->events.n;

	for (i = 0; i < l->s.plan->events.n; i++)
		settle(l, ring, i, delivered(l, first + i) + counts[i].lost, time_ns);
	put_counted(l, ring, counts, time_ns);
	for (i = 0; i < l->s.plan->events.n; i++) {
		struct account *a = &l->accounts[first + i];

		a->happened = counts[i].count;
		a->before = a->begun + counts[i].lost;
		a->after = delivered(l, first + i) + counts[i].lost;
	}
	l->rings[ring].checked_ns = l->rings[ring].begin_ns;
}

static void begin(struct mp_losses *l, size_t ring, uint64_t time_ns)
{
	size_t i, first = ring * l->s.plan->events.n;

	for (i = 0; i < l->s.plan->events.n; i++)
		l->accounts[first + i].begun = delivered(l, first + i);
	l->rings[ring].begin_ns = time_ns;
}

bool mp_losses_checked(struct mp_losses *l, const struct perf_event_header *record,
		       uint64_t time_ns)
{
	size_t len, n = l->s.plan->events.n;
	const struct mp_cut_check *c = mp_cut_record_body(record, &len);

	if (len < sizeof(*c) || c->ring >= l->s.plan->n_rings || (c->n && c->n != n) ||
	    len != sizeof(*c) + c->n * sizeof(*c->counts))
		return false;
	if (c->n)
		compare(l, c->ring, c->counts, time_ns);
	else
		begin(l, c->ring, time_ns);
	return true;
}

void mp_losses_end(struct mp_losses *l, uint64_t until_ns, const struct mp_counts *counts)
{
	size_t ring, event;

	for (ring = 0; ring < l->s.plan->n_rings; ring++) {
		begin(l, ring, until_ns);
		compare(l, ring, counts + ring * l->s.plan->events.n, until_ns);
		for (event = 0; event < l->s.plan->events.n; event++)
			settle(l, ring, event,
			       l->accounts[ring * l->s.plan->events.n + event].after, until_ns);
	}
}
