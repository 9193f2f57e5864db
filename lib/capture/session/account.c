// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/account.h"

#include <stdio.h>
#include <stdlib.h>

static void add_event(struct mp_account *a, struct mp_cpu_account *cpu,
		      const struct mp_cut_plan *plan, const struct mp_tally *t, size_t ring,
		      size_t event)
{
	const struct mp_counts *counts = &a->counts[ring * plan->events.n + event];
	const struct mp_cut_event *e = &plan->events.v[event];
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

/* Linux before 6.0 counts losses only by ring, and reports them only in records. */
static void add_ring_losses(struct mp_account *a, struct mp_cpu_account *cpu, uint64_t lost)
{
	cpu->lost = MP_MAX(cpu->lost, lost);
	a->unexplained -= MP_MIN(a->unexplained, lost);
}

void mp_account_init(struct mp_account *a, const struct mp_cut_plan *plan,
		     const struct mp_writer_counts *written, const struct mp_counts *counts)
{
	size_t i, j;

	*a = (struct mp_account){
		.cpus = mp_zalloc(plan->n_rings * sizeof(*a->cpus)),
		.counts = counts,
		.unexplained_of = mp_zalloc(plan->events.n * sizeof(*a->unexplained_of)),
	};
	for (i = 0; i < plan->n_rings; i++) {
		struct mp_cpu_account *cpu = &a->cpus[i];

		for (j = 0; j < plan->events.n; j++)
			add_event(a, cpu, plan, mp_writer_tally(written, i, j), i, j);
		if (!plan->counts)
			add_ring_losses(a, cpu, written->rings[i].lost);
		a->fired += cpu->fired;
		a->lost += cpu->lost;
	}
}

void mp_account_known(struct mp_account *a, const struct mp_cut_plan *plan,
		      const struct mp_writer_counts *written)
{
	size_t i, j;

	*a = (struct mp_account){ .cpus = mp_zalloc(plan->n_rings * sizeof(*a->cpus)) };
	for (i = 0; i < plan->n_rings; i++) {
		struct mp_cpu_account *cpu = &a->cpus[i];

		for (j = 0; j < plan->events.n; j++) {
			cpu->written += mp_writer_tally(written, i, j)->written;
			cpu->excluded += mp_writer_tally(written, i, j)->excluded;
		}
		cpu->lost = written->rings[i].lost;
		cpu->fired = cpu->written + cpu->excluded + cpu->lost;
	}
}

void mp_account_release(struct mp_account *a)
{
	free(a->unexplained_of);
	free(a->cpus);
}

void mp_account_write_rest(const struct mp_account *a, struct mp_writer_events *w,
			   struct mp_losses *losses)
{
	size_t i;

	if (losses) {
		mp_losses_end(losses, w->window->until_ns, a->counts);
		return;
	}
	for (i = 0; i < w->plan->n_rings; i++) {
		const struct mp_ring_tally *t = &w->counts->rings[i];
		const struct mp_ctl loss = {
			.lost = a->cpus[i].lost - MP_MIN(t->lost, a->cpus[i].lost),
			.from_ns = t->last_ns,
			.time_ns = w->window->until_ns,
			.cpu = w->plan->cpus[i],
		};

		if (loss.lost)
			mp_writer_put_loss(w, i, &loss);
	}
}

void mp_account_json(const struct mp_account *a, const struct mp_cut_plan *plan,
		     const struct mp_writer_totals *all, json_t *trailer)
{
	json_t *cpus = json_object();
	char name[16];
	size_t i;

	json_object_set_new(trailer, "fired", json_integer(a->fired));
	json_object_set_new(trailer, "excluded", json_integer(all->excluded));
	if (all->late)
		json_object_set_new(trailer, "late", json_integer(all->late));
	for (i = 0; i < plan->n_rings; i++) {
		snprintf(name, sizeof(name), "%d", plan->cpus[i]);
		json_object_set_new(cpus, name,
				    json_pack("[I,I,I]", (json_int_t)a->cpus[i].fired,
					      (json_int_t)a->cpus[i].written,
					      (json_int_t)a->cpus[i].lost));
	}
	json_object_set_new(trailer, "cpus", cpus);
}
