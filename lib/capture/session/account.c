// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/account.h"

#include <stdio.h>
#include <stdlib.h>

/* Totals of the kernel's counters, by ring and event like the writer's counts. */
static struct mp_counts *read_counters(const struct mp_writer *w)
{
	struct mp_counts *sums = mp_zalloc(w->rings->n * w->events->n * sizeof(*sums)), counts;
	size_t i;

	for (i = 0; i < w->rings->n_counters; i++) {
		const struct mp_counter *c = &w->rings->counters[i];
		struct mp_counts *sum = &sums[c->ring * w->events->n + c->event];

		if (!mp_counter_read(w->rings, c, &counts))
			continue;
		sum->count += counts.count;
		sum->lost += counts.lost;
	}
	return sums;
}

/* Adds what sources count themselves, because the kernel's counters do not count their events. */
static void add_sources(struct mp_counts *sums, const struct mp_writer *w,
			const struct cap_opened_sources *sources)
{
	size_t ring, i;

	for (i = 0; i < w->events->n; i++) {
		for (ring = 0; ring < w->rings->n; ring++)
			sums[ring * w->events->n + i].count +=
				cap_sources_account(sources, i, w->rings->v[ring].cpu);
		sums[i].count += cap_sources_account(sources, i, -1);
	}
}

static void add_event(struct mp_account *a, struct mp_cpu_account *cpu, const struct mp_event *e,
		      const struct mp_tally *t, const struct mp_counts *counts)
{
	uint64_t known = t->written + t->excluded + counts->lost, fired;

	cpu->written += t->written;
	cpu->excluded += t->excluded;
	cpu->lost += counts->lost;
	/* task:exec and so on have no counter: they were delivered, or did not fit */
	fired = e->each && !t->weighted && !e->own ? counts->count : known;
	cpu->fired += fired;
	if (fired > known) {
		a->unexplained += fired - known;
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
	struct mp_counts *counts = read_counters(w);
	size_t i, j;

	add_sources(counts, w, sources);
	*a = (struct mp_account){ .cpus = mp_zalloc(w->rings->n * sizeof(*a->cpus)) };
	for (i = 0; i < w->rings->n; i++) {
		struct mp_cpu_account *cpu = &a->cpus[i];

		for (j = 0; j < w->events->n; j++)
			add_event(a, cpu, &w->events->v[j], mp_writer_tally(w, i, j),
				  &counts[i * w->events->n + j]);
		if (!w->rings->has_lost)
			add_ring_losses(a, cpu, w->ring_tally[i].lost);
		a->fired += cpu->fired;
		a->lost += cpu->lost;
	}
	free(counts);
}

void mp_account_release(struct mp_account *a)
{
	free(a->cpus);
}

void mp_account_write_rest(const struct mp_account *a, struct mp_writer *w)
{
	struct mp_buf line = { NULL, 0, 0 };
	size_t i;

	for (i = 0; i < w->rings->n; i++) {
		const struct mp_ring_tally *t = &w->ring_tally[i];

		if (a->cpus[i].lost <= t->lost)
			continue;
		w->lost += a->cpus[i].lost - t->lost;
		line.len = 0;
		mp_ctl_add_lost(&line, &(struct mp_ctl){ .lost = a->cpus[i].lost - t->lost,
							 .from_ns = MP_MIN(t->last_ns, w->until_ns),
							 .time_ns = w->until_ns,
							 .cpu = w->rings->v[i].cpu });
		if (!w->readable)
			mp_writer_put(w, mp_buf_view(&line));
	}
	mp_buf_release(&line);
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
