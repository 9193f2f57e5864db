// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/account.h"

#include <stdio.h>
#include <stdlib.h>

static void balance(struct mp_account *a, struct mp_cpu_account *cpu, bool has_lost,
		    const struct mp_tally *t)
{
	uint64_t told;

	if (!has_lost) /* all that can be known is what the records say */
		cpu->lost = cpu->lost_each = t->lost;
	told = t->each + t->each_excluded + cpu->lost_each;
	if (cpu->fired > told)
		cpu->unexplained = cpu->fired - told;
	else
		a->surplus += told - cpu->fired;
	cpu->lost += cpu->unexplained;
	a->fired += cpu->fired;
	a->lost += cpu->lost;
	a->unexplained += cpu->unexplained;
}

void mp_account_init(struct mp_account *a, const struct mp_writer *w)
{
	size_t i;

	*a = (struct mp_account){ .cpus = mp_zalloc(w->rings->n * sizeof(*a->cpus)) };
	for (i = 0; i < w->rings->n_counters; i++) {
		const struct mp_counter *c = &w->rings->counters[i];
		struct mp_cpu_account *cpu = &a->cpus[c->ring];
		struct mp_counts counts;

		if (!mp_counter_read(w->rings, c, &counts))
			continue;
		cpu->lost += counts.lost;
		if (!w->events->v[c->event].each)
			continue;
		cpu->fired += counts.count;
		cpu->lost_each += counts.lost;
	}
	for (i = 0; i < w->rings->n; i++)
		balance(a, &a->cpus[i], w->rings->has_lost, &w->tally[i]);
}

void mp_account_release(struct mp_account *a)
{
	free(a->cpus);
}

void mp_account_write_rest(const struct mp_account *a, struct mp_writer *w, uint64_t end_ns)
{
	struct mp_buf line = { NULL, 0, 0 };
	size_t i;

	for (i = 0; i < w->rings->n; i++) {
		const struct mp_tally *t = &w->tally[i];

		if (a->cpus[i].lost <= t->lost)
			continue;
		w->lost += a->cpus[i].lost - t->lost;
		line.len = 0;
		mp_ctl_add_lost(&line, a->cpus[i].lost - t->lost, t->last_ns, end_ns,
				w->rings->v[i].cpu);
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
					      (json_int_t)w->tally[i].written,
					      (json_int_t)a->cpus[i].lost));
	}
	json_object_set_new(trailer, "cpus", cpus);
}
