// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/account.h"

#include <stdio.h>
#include <stdlib.h>

/* Totals of the counters, by ring and event, like the writer's counts. */
static struct mp_counts *read_counters(const struct mp_losses_setup *s)
{
	struct mp_counts *counts = mp_zalloc(s->rings->n * s->events->n * sizeof(*counts));
	size_t i;

	for (i = 0; i < s->rings->n; i++)
		mp_losses_count(s, i, counts + i * s->events->n);
	for (i = 0; i < s->events->n; i++) /* those on an unknown CPU */
		counts[i].count += cap_sources_account(s->sources, i, -1);
	return counts;
}

static void add_event(struct mp_account *a, struct mp_cpu_account *cpu, const struct mp_writer *w,
		      size_t ring, size_t event)
{
	const struct mp_counts *counts = &a->counts[ring * w->events->n + event];
	const struct mp_event *e = &w->events->v[event];
	const struct mp_tally *t = mp_writer_tally(w, ring, event);
	uint64_t known = t->written + t->excluded + counts->lost, fired;

	cpu->written += t->written;
	cpu->excluded += t->excluded;
	cpu->lost += counts->lost;
	/* task:exec and similar events have no counter: they were delivered, or did not fit */
	fired = mp_losses_is_comparable(e, t) ? counts->count : known;
	cpu->fired += fired;
	if (fired > known) {
		a->unexplained += fired - known;
		a->unexplained_of[event] += fired - known;
		cpu->lost += fired - known;
	} else {
		a->surplus += known - fired;
	}
}

/* Linux before 6.0 counts losses only per ring: only the records say more. */
static void add_ring_losses(struct mp_account *a, struct mp_cpu_account *cpu, uint64_t lost)
{
	cpu->lost = MP_MAX(cpu->lost, lost);
	a->unexplained -= MP_MIN(a->unexplained, lost);
}

void mp_account_init(struct mp_account *a, const struct mp_writer *w,
		     const struct cap_opened_sources *sources)
{
	const struct mp_losses_setup setup = { w->rings, w->events, sources, NULL };
	size_t i, j;

	*a = (struct mp_account){
		.cpus = mp_zalloc(w->rings->n * sizeof(*a->cpus)),
		.counts = read_counters(&setup),
		.unexplained_of = mp_zalloc(w->events->n * sizeof(*a->unexplained_of)),
	};
	for (i = 0; i < w->rings->n; i++) {
		struct mp_cpu_account *cpu = &a->cpus[i];

		for (j = 0; j < w->events->n; j++)
			add_event(a, cpu, w, i, j);
		if (!w->rings->has_lost)
			add_ring_losses(a, cpu, w->ring_tally[i].lost);
		a->fired += cpu->fired;
		a->lost += cpu->lost;
	}
}

void mp_account_release(struct mp_account *a)
{
	free(a->counts);
	free(a->unexplained_of);
	free(a->cpus);
}

void mp_account_write_rest(const struct mp_account *a, struct mp_writer *w)
{
	size_t i;

	if (w->losses) {
		mp_losses_end(w->losses, w->until_ns, a->counts);
		return;
	}
	for (i = 0; i < w->rings->n; i++) {
		const struct mp_ring_tally *t = &w->ring_tally[i];
		const struct mp_ctl loss = {
			.lost = a->cpus[i].lost - MP_MIN(t->lost, a->cpus[i].lost),
			.from_ns = t->last_ns,
			.time_ns = w->until_ns,
			.cpu = w->rings->v[i].cpu,
		};

		if (loss.lost)
			mp_writer_put_loss(w, i, &loss);
	}
}

void mp_account_json(const struct mp_account *a, const struct mp_writer *w, json_t *trailer)
{
	json_t *cpus = json_object();
	char name[16];
	size_t i;

	json_object_set_new(trailer, "fired", json_integer(a->fired));
	json_object_set_new(trailer, "excluded", json_integer(w->excluded));
	if (w->late)
		json_object_set_new(trailer, "late", json_integer(w->late));
	for (i = 0; i < w->rings->n; i++) {
		snprintf(name, sizeof(name), "%d", w->rings->v[i].cpu);
		json_object_set_new(cpus, name,
				    json_pack("[I,I,I]", (json_int_t)a->cpus[i].fired,
					      (json_int_t)a->cpus[i].written,
					      (json_int_t)a->cpus[i].lost));
	}
	json_object_set_new(trailer, "cpus", cpus);
}
