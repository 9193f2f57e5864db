// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/bpf/bpfcalls.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>

#include "bpf/calls.h"
#include "lib/capture/bpf/bpf.h"
#include "lib/capture/event/call.h"
#include "lib/capture/event/source.h"
#include "lib/capture/host/archs.h"
#include "lib/capture/ring/recording.h"

enum { LINKS = 5 }; /* the two programs, and those that follow processes to their children */

/* A system call, and the event that it is. */
struct call {
	size_t event;
	struct mp_event_program program;
};

struct mp_bpf_calls {
	struct bpf_object *object;
	const struct mp_events *events;
	struct call *v;
	size_t n, cap;
	int n_cpus;
	struct bpf_link *links[LINKS];
	size_t n_links;
};

static struct bpf_program *program_of(const struct mp_bpf_calls *c, const char *name)
{
	return bpf_object__find_program_by_name(c->object, name);
}

static int map_of(const struct mp_bpf_calls *c, const char *name)
{
	return bpf_object__find_map_fd_by_name(c->object, name);
}

/* --- loading ---------------------------------------------------------------------------------- */

static void find_calls(struct mp_bpf_calls *c)
{
	struct call found;

	for (found.event = 0; found.event < c->events->n; found.event++) {
		if (!mp_event_find_call(&c->events->v[found.event], &found.program))
			continue;
		c->v = mp_grow(c->v, &c->cap, c->n + 1, sizeof(*c->v));
		c->v[c->n++] = found;
	}
}

static bool set_up(struct mp_bpf_calls *c, const struct mp_bpf_target *target)
{
	struct mp_calls_setup setup = { (uint32_t)c->n_cpus };
	const char *const *name = mp_bpf_target_programs(target);
	struct bpf_program *p;

	bpf_object__for_each_program(p, c->object) bpf_program__set_autoload(p, false);
	bpf_program__set_autoload(program_of(c, "record_call"), true);
	bpf_program__set_autoload(program_of(c, "record_return"), true);
	for (; *name; name++)
		bpf_program__set_autoload(program_of(c, *name), true);
	bpf_map__set_max_entries(bpf_object__find_map_by_name(c->object, "events"),
				 (uint32_t)c->n * setup.n_cpus);
	bpf_map__set_max_entries(bpf_object__find_map_by_name(c->object, "fired"), (uint32_t)c->n);
	return bpf_map__set_initial_value(bpf_object__find_map_by_name(c->object, ".rodata.setup"),
					  &setup, sizeof(setup)) == 0 &&
	       mp_bpf_target_set(c->object, target, false) == 0;
}

/* Describes a system call to the program. */
static bool add_call(const struct mp_bpf_calls *c, size_t number)
{
	const struct mp_tracing_setup *setup = &c->v[number].program.tracing->setup;
	const struct mp_event *e = &c->events->v[c->v[number].event];
	struct mp_call call = { .event = (uint32_t)number + 1, .n_tests = setup->n_tests };
	size_t i;

	for (i = 1; i < setup->n_fields; i++) {
		if (setup->fields[i].kind == MP_TRACING_TEXT_USER)
			call.texts |= 1u << (i - 1);
		if (setup->fields[i].kind == MP_TRACING_ARRAY_USER)
			call.array = i;
	}
	memcpy(call.tests, setup->tests, sizeof(call.tests));
	return bpf_map_update_elem(map_of(c, "calls"), &e->syscall, &call, BPF_ANY) == 0;
}

static bool load(struct mp_bpf_calls *c, const struct mp_bpf_target *target)
{
	size_t i;

	c->n_cpus = libbpf_num_possible_cpus();
	c->object = c->n_cpus > 0 ? mp_bpf_open("calls") : NULL;
	if (!c->object || !set_up(c, target) || bpf_object__load(c->object) < 0)
		return false;
	for (i = 0; i < c->n; i++)
		if (!add_call(c, i))
			return false;
	return true;
}

struct mp_bpf_calls *mp_bpf_calls_load(struct mp_events *events, const struct mp_bpf_target *target,
				       bool quiet)
{
	struct mp_bpf_calls *c = mp_zalloc(sizeof(*c));
	size_t i;

	c->events = events;
	find_calls(c);
	if (c->n && mp_arch_has_bpf() && load(c, target)) {
		for (i = 0; i < c->n; i++)
			mp_event_use_call(&events->v[c->v[i].event], &c->v[i].program);
		return c;
	}
	if (c->n && !quiet)
		mp_say("the kernel accepts no BPF program for the texts of system calls: their "
		       "fields are pointers");
	mp_bpf_calls_free(c);
	return NULL;
}

void mp_bpf_calls_free(struct mp_bpf_calls *c)
{
	size_t i;

	if (!c)
		return;
	for (i = 0; i < c->n_links; i++)
		bpf_link__destroy(c->links[i]);
	for (i = 0; i < c->n; i++)
		mp_event_program_release(&c->v[i].program);
	bpf_object__close(c->object);
	free(c->v);
	free(c);
}

/* --- recording -------------------------------------------------------------------------------- */

/* Sets the perf events to which the program writes its samples. */
static bool connect(const struct mp_bpf_calls *c, const struct mp_rings *rings)
{
	size_t i, j;

	for (i = 0; i < rings->n_counters; i++) {
		const struct mp_counter *counter = &rings->counters[i];
		uint32_t key;

		for (j = 0; j < c->n && c->v[j].event != counter->event; j++)
			;
		if (j == c->n || counter->tid != -1)
			continue;
		key = (uint32_t)(j * c->n_cpus + rings->v[counter->ring].cpu);
		if (bpf_map_update_elem(map_of(c, "events"), &key, &counter->fd, BPF_ANY) < 0)
			return false;
	}
	return true;
}

static bool attach(struct mp_bpf_calls *c, const char *name)
{
	struct bpf_link *link = bpf_program__attach(program_of(c, name));

	if (link)
		c->links[c->n_links++] = link;
	return link;
}

static int open_program(void **state, const struct cap_recording *r, char **error)
{
	struct mp_bpf_target target = mp_bpf_target_of(r);
	const char *const *name = mp_bpf_target_programs(&target);
	struct mp_bpf_calls *c = r->calls;
	bool done;

	*state = c;
	if (!c)
		return 0;
	done = connect(c, r->rings);
	for (; done && *name; name++)
		done = attach(c, *name);
	if (done && mp_bpf_target_fill(c->object, &target) == 0 && attach(c, "record_return") &&
	    attach(c, "record_call"))
		return 0;
	*error = mp_asprintf("%s: the kernel does not accept the BPF program: %m",
			     c->events->v[c->v[0].event].type);
	return -1;
}

static uint64_t account(void *state, size_t event, int cpu)
{
	const struct mp_bpf_calls *c = state;
	uint64_t *fired = mp_zalloc(c->n_cpus * sizeof(*fired)), count = 0;
	uint32_t i = 0;

	while (i < c->n && c->v[i].event != event)
		i++;
	if (cpu >= 0 && cpu < c->n_cpus && i < c->n &&
	    bpf_map_lookup_elem(map_of(c, "fired"), &i, fired) == 0)
		count = fired[cpu];
	free(fired);
	return count;
}

static void close_program(void *state)
{
	mp_bpf_calls_free(state);
}

const struct cap_source mp_bpf_source_call = {
	.name = "system call",
	.open = open_program,
	.account = account,
	.close = close_program,
};
