// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/bpf/bpffilter.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "bpf/filter.h"
#include "lib/capture/bpf/bpf.h"
#include "lib/capture/bpf/bpfresched.h"
#include "lib/capture/bpf/bpftarget.h"
#include "lib/capture/host/proc.h"

/* A loaded program, which serves all events with the same conditions. */
struct loaded {
	struct mp_when when;
	struct bpf_object *object;
	int program;
};

struct mp_bpf_filters {
	struct loaded *v;
	size_t n, cap;
	uint64_t need_resched; /* mp_filter_setting.need_resched; 0: not known yet */
};

/*
 * Loads an object, unless preparing it failed with `error`. On failure closes it and returns NULL
 * with errno.
 */
static struct bpf_object *finish(struct bpf_object *object, int error)
{
	if (error == 0)
		error = bpf_object__load(object);
	if (error == 0)
		return object;
	bpf_object__close(object);
	errno = -error;
	return NULL;
}

/* Loads a program of the object. Returns NULL with errno on failure. */
static struct bpf_object *load(const char *program, const struct mp_filter_setting *setting)
{
	struct bpf_object *object = mp_bpf_open("filter");
	struct bpf_program *p;
	struct bpf_map *map;
	int error;

	if (!object)
		return NULL;
	bpf_object__for_each_program(p, object)
		bpf_program__set_autoload(p, strcmp(bpf_program__name(p), program) == 0);
	map = bpf_object__find_map_by_name(object, ".rodata");
	error = map ? bpf_map__set_initial_value(map, setting, sizeof(*setting)) : -ENOENT;
	return finish(object, error);
}

/* Loads the program that does nothing but exclude processes. Returns NULL with errno on failure. */
static struct bpf_object *load_exclude(void)
{
	struct bpf_object *object;

	/* that program knows the ids of the initial pid namespace only */
	if (mp_proc_inner_namespace()) {
		errno = EPERM;
		return NULL;
	}
	object = mp_bpf_open("exclude");
	return object ? finish(object, 0) : NULL;
}

static char *explain(const struct mp_event *e, int error)
{
	const char *what = mp_when_name(&e->when);

	switch (error) {
	case ENOSYS:
		return mp_asprintf("%s: %s needs BPF, and this mp-record was built without clang",
				   e->type, what);
	case EPERM:
		return mp_asprintf("%s: %s needs BPF: root, or CAP_BPF with CAP_PERFMON", e->type,
				   what);
	case ENOMSG:
		return mp_asprintf(
			"%s: need-resched: cannot find out which flag of a task that is (needs "
			"real-time priority: root, or CAP_SYS_NICE)",
			e->type);
	}
	return mp_asprintf("%s: %s: the kernel does not accept the BPF program: %s", e->type, what,
			   strerror(error));
}

/* Finds the flag for need-resched in this kernel; returns 0 with errno on failure. */
static uint64_t find_need_resched(void)
{
	struct mp_filter_setting none = { 0 };
	struct bpf_object *object = load("observe", &none);
	uint64_t flag;

	if (!object)
		return 0;
	flag = mp_bpf_resched_flag(object);
	bpf_object__close(object);
	errno = flag ? 0 : ENOMSG;
	return flag;
}

/* Loads a program that tests the conditions and excludes processes. Returns 0, or -1 with errno. */
static int load_for(struct mp_bpf_filters *f, const struct mp_when *when,
		    const struct mp_pids *exclude)
{
	struct mp_filter_setting setting = {
		.irqs_off = when->irqs_off,
		.running = when->running,
		.running_min = when->running_min,
		.running_max = when->running_max,
	};
	struct loaded l = { .when = *when };

	if (when->need_resched && !f->need_resched)
		f->need_resched = find_need_resched();
	if (when->need_resched && !f->need_resched)
		return -1;
	setting.need_resched = when->need_resched ? f->need_resched : 0;
	l.object = mp_when_any(when) ? load("filter", &setting) : load_exclude();
	if (!l.object)
		return -1;
	l.program = bpf_program__fd(bpf_object__find_program_by_name(
		l.object, mp_when_any(when) ? "filter" : "exclude"));
	if (mp_bpf_add_pids(l.object, "excluded", exclude) < 0 && !mp_when_any(when)) {
		/* too many processes to exclude: the caller drops their samples */
		bpf_object__close(l.object);
		return -1;
	}
	f->v = mp_grow(f->v, &f->cap, f->n + 1, sizeof(l));
	f->v[f->n++] = l;
	return 0;
}

static const struct loaded *find(const struct mp_bpf_filters *f, const struct mp_when *when)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (mp_when_same(&f->v[i].when, when))
			return &f->v[i];
	return NULL;
}

/*
 * Whether the event gets a program. Events that are recorded at each occurrence do not: their
 * samples must match the kernel's counter.
 */
static bool needs_program(const struct mp_event *e)
{
	return !e->each && !e->tp && !e->agg && !e->programmed && e->method != MP_METHOD_BPF;
}

static int give_program(struct mp_bpf_filters *f, struct mp_event *e, const struct mp_pids *exclude,
			char **error)
{
	const struct loaded *l = find(f, &e->when);

	if (!l && load_for(f, &e->when, exclude) == 0)
		l = find(f, &e->when);
	if (l) {
		e->program = l->program;
	} else if (mp_when_any(&e->when)) {
		*error = explain(e, errno);
		return -1;
	}
	return 0;
}

static void release(struct mp_bpf_filters *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		bpf_object__close(f->v[i].object);
	free(f->v);
}

int mp_bpf_filters_open(struct mp_bpf_filters **filters, struct mp_events *events,
			const struct mp_pids *exclude, char **error)
{
	struct mp_bpf_filters *f = mp_zalloc(sizeof(*f));
	size_t i;

	*filters = f;
	for (i = 0; i < events->n; i++)
		if (needs_program(&events->v[i]) &&
		    give_program(f, &events->v[i], exclude, error) < 0)
			return -1;
	return 0;
}

int mp_bpf_filters_try(const struct mp_event *e, char **error)
{
	struct mp_pids nobody = { NULL, 0, 0 };
	struct mp_bpf_filters f = { .n = 0 };
	int result = mp_when_any(&e->when) ? load_for(&f, &e->when, &nobody) : 0;

	if (result < 0)
		*error = explain(e, errno);
	release(&f);
	return result;
}

void mp_bpf_filters_free(struct mp_bpf_filters *f)
{
	if (!f)
		return;
	release(f);
	free(f);
}
