// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/bpf/bpftracing.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/capture/bpf/bpf.h"
#include "lib/capture/event/cut.h"
#include "lib/capture/event/tracingfilter.h"

enum { FOLLOWERS = 3 }; /* number of the programs that follow processes to their children */

static const char *const programs[] = {
	[MP_TRACED_ENTRY] = "record_entry",
	[MP_TRACED_EXIT] = "record_exit",
	[MP_TRACED_POINT] = "record_tracepoint",
	[MP_TRACED_TRACEFS] = "record_tracefs",
};

/* The program of one event. */
struct loaded {
	struct bpf_object *object;
	struct bpf_program *program;
	struct bpf_link *link;
	size_t event;
	uint64_t *fired; /* scratch: a value for each CPU */
	/* number of skipped runs at the beginning of the recording, and at its end */
	uint64_t missed_before, missed;
};

struct mp_tracings {
	struct loaded *v;
	size_t n;
	struct bpf_link *followers[FOLLOWERS];
	size_t n_followers;
};

static int fail(char **error, char *text)
{
	*error = text;
	return -1;
}

/* --- programs --------------------------------------------------------------------------------- */

bool mp_tracings_has(const struct mp_event *e)
{
	return e->tracing && e->tracing->traced != MP_TRACED_CALL;
}

static bool is_function(const struct mp_tracing *t)
{
	return t->traced == MP_TRACED_ENTRY || t->traced == MP_TRACED_EXIT;
}

static char *explain(const struct mp_event *e, int error)
{
	bool point = !is_function(e->tracing);

	if (!mp_bpf_built())
		return mp_asprintf("%s needs BPF, and this mp-record was built without clang",
				   e->type);
	if (error == EPERM && !mp_perf_may_system())
		return mp_asprintf("%s needs BPF: root, or CAP_BPF with CAP_PERFMON", e->type);
	if (!point && (error == EPERM || error == ENOTSUP || error == EBUSY || error == ENOENT))
		return mp_asprintf(
			"%s: this kernel allows no BPF programs on its functions: %s (try kprobe: "
			"or a tracepoint; rawtp: works everywhere)",
			e->type, strerror(error));
	return mp_asprintf("%s: the kernel does not accept the BPF program: %s", e->type,
			   strerror(error));
}

static bool set_up(struct loaded *l, const struct mp_event *e, const struct mp_bpf_target *target)
{
	const struct mp_tracing *t = e->tracing;
	struct mp_tracing_setup setup = t->setup;
	struct bpf_map *map;
	char *error;

	setup.of_all = mp_event_of_any_task(e);
	setup.of_everyone = e->wide;
	if (e->filter && mp_tracing_filter(&setup, e->tp, e->filter, &error) < 0) {
		free(error);
		/* the filter was valid, but with the fields of a merged event it is too long */
		errno = E2BIG;
		return false;
	}
	map = bpf_object__find_map_by_name(l->object, ".rodata.setup");
	l->program = bpf_object__find_program_by_name(l->object, programs[t->traced]);
	if (!map || !l->program || bpf_map__set_initial_value(map, &setup, sizeof(setup)) < 0 ||
	    mp_bpf_target_set(l->object, target, e->wide) < 0)
		return false;
	bpf_program__set_autoload(l->program, true);
	return !is_function(t) || bpf_program__set_attach_target(l->program, 0, t->name) == 0;
}

/* Makes an object use the maps of the first object that hold the target. */
static bool share(struct loaded *l, const struct loaded *first, const struct mp_bpf_target *target)
{
	static const char *const maps[] = { "excluded", "targets", "cgroups" };
	const char *const *name = mp_bpf_target_programs(target);
	struct bpf_map *map;
	size_t i;

	for (; l == first && *name; name++)
		bpf_program__set_autoload(bpf_object__find_program_by_name(l->object, *name), true);
	for (i = 0; l != first && i < MP_ARRAY_SIZE(maps); i++) {
		map = bpf_object__find_map_by_name(l->object, maps[i]);
		if (bpf_map__reuse_fd(map,
				      bpf_object__find_map_fd_by_name(first->object, maps[i])) < 0)
			return false;
	}
	return true;
}

/* Loads the program of an event without attaching it. Returns false with errno on failure. */
static bool load(struct loaded *l, const struct loaded *first, const struct mp_event *e,
		 const struct mp_bpf_target *target)
{
	struct bpf_program *p;
	int error;

	l->object = mp_bpf_open("tracing");
	if (!l->object)
		return false;
	bpf_object__for_each_program(p, l->object) bpf_program__set_autoload(p, false);
	if (!set_up(l, e, target) || !share(l, first, target))
		return false;
	error = bpf_object__load(l->object);
	errno = -error;
	return error == 0;
}

/*
 * Attaches a program to a tracepoint by its id. bpf_program__attach_tracepoint() would look for the
 * id in a mounted tracefs, and the recorder works without one.
 */
static struct bpf_link *attach_to_id(struct bpf_program *p, const struct mp_event *e)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = e->tp->id,
	};
	int fd = mp_ring_open_in_group(&attr, -1, 0, -1, 0), saved;
	struct bpf_link *link = fd < 0 ? NULL : bpf_program__attach_perf_event(p, fd);

	saved = errno;
	if (!link && fd >= 0)
		close(fd);
	errno = saved;
	return link;
}

static bool attach(struct loaded *l, const struct mp_event *e)
{
	const struct mp_tracing *t = e->tracing;

	if (t->traced == MP_TRACED_TRACEFS)
		l->link = attach_to_id(l->program, e);
	else if (t->traced == MP_TRACED_POINT)
		l->link = bpf_program__attach_raw_tracepoint(l->program, t->name);
	else
		l->link = bpf_program__attach_trace(l->program);
	return l->link;
}

static bool follow(struct mp_tracings *t, const struct mp_bpf_target *target)
{
	const char *const *name = mp_bpf_target_programs(target);
	struct bpf_object *object = t->v[0].object;
	struct bpf_link *link;

	for (; *name; name++) {
		link = bpf_program__attach(bpf_object__find_program_by_name(object, *name));
		if (!link)
			return false;
		t->followers[t->n_followers++] = link;
	}
	return mp_bpf_target_fill(object, target) == 0;
}

/* Sets, for each CPU, the event to which the program writes its samples. */
static bool connect(const struct loaded *l, const struct mp_rings *rings)
{
	int map = bpf_object__find_map_fd_by_name(l->object, "events");
	size_t i;

	for (i = 0; i < rings->n_counters; i++) {
		const struct mp_counter *c = &rings->counters[i];

		if (c->event == l->event && c->tid == -1 &&
		    bpf_map_update_elem(map, &rings->v[c->ring].cpu, &c->fd, BPF_ANY) < 0)
			return false;
	}
	return true;
}

static int open_one(struct mp_tracings *t, const struct mp_event *e, size_t event,
		    const struct mp_rings *rings, const struct mp_bpf_target *target, char **error)
{
	struct loaded *l = &t->v[t->n++];

	l->event = event;
	l->fired = mp_zalloc(MP_MAX(libbpf_num_possible_cpus(), 1) * sizeof(*l->fired));
	if (load(l, &t->v[0], e, target) && connect(l, rings) &&
	    (l != &t->v[0] || follow(t, target)) && attach(l, e))
		return 0;
	return fail(error, explain(e, errno));
}

int mp_tracings_open(struct mp_tracings **tracings, const struct mp_events *events,
		     const struct mp_rings *rings, const struct mp_bpf_target *target, char **error)
{
	struct mp_tracings *t = mp_zalloc(sizeof(*t));
	size_t i;

	*tracings = t;
	t->v = mp_zalloc(events->n * sizeof(*t->v));
	for (i = 0; i < events->n; i++)
		if (mp_tracings_has(&events->v[i]) &&
		    open_one(t, &events->v[i], i, rings, target, error) < 0)
			return -1;
	return 0;
}

static void release(struct loaded *l)
{
	bpf_link__destroy(l->link);
	bpf_object__close(l->object);
	free(l->fired);
}

void mp_tracings_free(struct mp_tracings *t)
{
	size_t i;

	if (!t)
		return;
	for (i = 0; i < t->n; i++)
		release(&t->v[i]);
	for (i = 0; i < t->n_followers; i++)
		bpf_link__destroy(t->followers[i]);
	free(t->v);
	free(t);
}

int mp_tracings_try(const struct mp_event *e, char **error)
{
	struct mp_pids nobody = { NULL, 0, 0 };
	struct mp_bpf_target target = { .exclude = &nobody };
	struct loaded l = { .event = 0 };
	int result = 0;

	if (mp_tracings_has(e) && (!load(&l, &l, e, &target) || !attach(&l, e)))
		result = fail(error, explain(e, errno));
	release(&l);
	return result;
}

/* --- counts ----------------------------------------------------------------------------------- */

static const struct loaded *find(const struct mp_tracings *t, size_t event)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		if (t->v[i].event == event)
			return &t->v[i];
	return NULL;
}

uint64_t mp_tracings_fired(const struct mp_tracings *t, size_t event, int cpu)
{
	const struct loaded *l = find(t, event);
	uint32_t zero = 0;

	if (!l || bpf_map_lookup_elem(bpf_object__find_map_fd_by_name(l->object, "fired"), &zero,
				      l->fired) < 0)
		return 0;
	return l->fired[cpu];
}

void mp_tracings_start(struct mp_tracings *t)
{
	size_t i;

	for (i = 0; i < t->n; i++)
		t->v[i].missed_before = mp_bpf_skipped(t->v[i].program);
}

void mp_tracings_stop(struct mp_tracings *t)
{
	size_t i;

	for (i = 0; t && i < t->n; i++)
		t->v[i].missed = mp_bpf_skipped(t->v[i].program);
}

uint64_t mp_tracings_missed(const struct mp_tracings *t, size_t event)
{
	const struct loaded *l = find(t, event);

	return l && l->missed > l->missed_before ? l->missed - l->missed_before : 0;
}
