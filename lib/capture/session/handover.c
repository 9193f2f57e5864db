// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/handover.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/capture/event/cut.h"

static void copy_pids(struct mp_pids *to, const struct mp_pids *from)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		mp_pids_add(to, from->v[i]);
}

void mp_record_hand_over(const struct mp_record_plan *p, const struct mp_record_opened *k,
			 struct mp_cut_plan *to)
{
	size_t i;

	*to = (struct mp_cut_plan){
		.n_rings = k->rings.n,
		.n_counters = k->rings.n_counters,
		.uid = getuid(),
		.max_events = p->o->max_events,
		.rotate_bytes = p->o->rotate_bytes,
		.rotate_ns = p->o->rotate_ns,
		.everyone = p->everyone,
		.inner = mp_proc_inner_namespace() != 0,
		.user_stacks = p->user_stacks,
		.walks = k->bpf_stacks != NULL,
		.counts = k->counting != NULL,
		.with_command = p->o->command != NULL,
		.quiet = p->o->quiet,
		.verbose = p->o->verbose,
		.watched = isatty(STDERR_FILENO),
	};
	mp_events_cut(&p->events, &to->events);
	for (i = 0; i < to->events.n && !to->kernel_id; i++)
		if (to->events.v[i].context & MP_CTX_PLACES)
			to->kernel_id = mp_proc_kernel_id();
	to->cpus = mp_alloc(to->n_rings * sizeof(*to->cpus));
	for (i = 0; i < to->n_rings; i++)
		to->cpus[i] = k->rings.v[i].cpu;
	to->counters = mp_alloc(to->n_counters * sizeof(*to->counters));
	for (i = 0; i < to->n_counters; i++)
		to->counters[i] = (struct mp_cut_counter){
			.id = k->rings.counters[i].id,
			.event = k->rings.counters[i].event,
			.tid = k->rings.counters[i].tid,
		};
	copy_pids(&to->exclude, &p->o->exclude);
	copy_pids(&to->own, &p->own);
	copy_pids(&to->sources, &k->sources_of);
	copy_pids(&to->found, &k->found);
}

/* The text of an object. Takes the reference. */
static char *text_of(json_t *object)
{
	char *text = json_dumps(object, JSON_COMPACT);

	json_decref(object);
	return text;
}

void mp_record_hand_over_end(const struct mp_record_plan *p, const struct mp_record_opened *k,
			     int command_status, struct mp_cut_end *to)
{
	const struct mp_counting_setup setup = { &k->rings, &p->events, &k->sources, NULL };
	json_t *common = json_object(), *trailer = json_object();

	if (p->o->command)
		json_object_set_new(common, "status", json_integer(command_status));
	cap_sources_trailer(&k->sources, trailer);
	if (mp_link_restarts(k->link))
		json_object_set_new(common, "restarts",
				    json_integer((json_int_t)mp_link_restarts(k->link)));
	*to = (struct mp_cut_end){
		.counts = mp_counting_all(&setup),
		.n_counts = k->rings.n * p->events.n,
		.common = text_of(common),
		.trailer = text_of(trailer),
	};
}
