// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/bpf/bpfstack.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/capture/bpf/bpf.h"
#include "lib/capture/bpf/bpftables.h"
#include "lib/capture/event/stack_mode.h"

enum {
	UPKEEP = 2,   /* number of programs that handle fork and execve */
	SYSCALLS = 2, /* number of programs for system calls */
};

struct mp_bpf_stacks {
	struct bpf_object *object;
	struct ring_buffer *ring;
	int full_fd; /* an epoll file descriptor, readable when many records wait in the ring */
	struct bpf_link **links;
	size_t n_links;
	int *held; /* file descriptors of probes with a program */
	size_t n_held, cap_held;
	/* whether the programs for entries to system calls, and for returns, are attached */
	bool on_calls[SYSCALLS];
	struct mp_bpf_tables tables; /* in maps of the program */
	size_t rows_size, pages_size, spaces_size;
	int tasks; /* file descriptor of a map of the program */
	struct mp_bpf_settings settings;
	mp_bpf_record_fn *each;
	void *each_arg;
};

static bool is_walked(const struct mp_event *e)
{
	return e->method == MP_METHOD_BPF;
}

static int handle_record(void *arg, void *data, size_t size)
{
	struct mp_bpf_stacks *b = arg;
	const struct mp_bpf_head *head = data;

	if (size >= sizeof(*head) && head->size == size)
		return b->each(b->each_arg, head) ? 0 : -ECANCELED;
	return 0;
}

static void *map_array(struct bpf_object *object, const char *name, size_t *size)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);
	size_t page = getpagesize();
	void *p;

	*size = ((size_t)bpf_map__max_entries(map) * ((bpf_map__value_size(map) + 7) & ~7u) + page -
		 1) &
		~(page - 1);
	p = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	return p == MAP_FAILED ? NULL : p;
}

/*
 * Adds the ring to the epoll set. Edge-triggered, since the ring nearly always has something to
 * read, and a program wakes the reader only when much is in it.
 */
static int watch_ring(struct bpf_object *object)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLET };
	int fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd >= 0)
		epoll_ctl(fd, EPOLL_CTL_ADD, bpf_object__find_map_fd_by_name(object, "records"),
			  &event);
	return fd;
}

/* Sets the bits for the system calls of the events. */
static void set_syscalls(struct mp_bpf_settings *settings, const struct mp_events *events)
{
	size_t i;

	for (i = 0; i < events->n; i++) {
		const struct mp_event *e = &events->v[i];

		if (!is_walked(e) ||
		    (e->walk_on != MP_WALK_SYS_ENTER && e->walk_on != MP_WALK_SYS_EXIT))
			continue;
		(e->walk_on == MP_WALK_SYS_ENTER ? settings->sys_enter
						 : settings->sys_exit)[e->syscall / 64] |=
			1ull << e->syscall % 64;
	}
}

static bool put_settings(const struct mp_bpf_stacks *b)
{
	uint32_t key = 0;

	return bpf_map_update_elem(mp_bpf_stacks_map(b, "settings"), &key, &b->settings, BPF_ANY) ==
	       0;
}

static bool set_up(struct mp_bpf_stacks *b, const struct mp_events *events,
		   const struct mp_bpf_stacks_setup *setup)
{
	b->settings = (struct mp_bpf_settings){
		.everyone = setup->everyone,
		.uid = getuid(),
		.copy_bytes = setup->copy_bytes,
		.writer_uids = setup->writer_uids,
		.n_writer_uids = setup->n_writer_uids,
		.probe_buffers = MP_BPF_COPY_CONTEXTS * libbpf_num_possible_cpus(),
	};
	set_syscalls(&b->settings, events);
	b->tables.rows = map_array(b->object, "rows", &b->rows_size);
	b->tables.pages = map_array(b->object, "pages", &b->pages_size);
	b->tables.spaces = map_array(b->object, "spaces", &b->spaces_size);
	b->tasks = bpf_object__find_map_fd_by_name(b->object, "tasks");
	b->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(b->object, "records"),
				   handle_record, b, NULL);
	b->full_fd = watch_ring(b->object);
	return b->tables.rows && b->tables.pages && b->tables.spaces && b->ring && put_settings(b);
}

/* Attaches the programs for fork and execve, which keep all tables valid. */
static bool attach_upkeep(struct mp_bpf_stacks *b)
{
	static const char *const names[UPKEEP] = { "unwind_fork", "unwind_exec" };
	size_t i;

	for (i = 0; i < UPKEEP; i++) {
		b->links[b->n_links] =
			bpf_program__attach(bpf_object__find_program_by_name(b->object, names[i]));
		if (!b->links[b->n_links])
			return false;
		b->n_links++;
	}
	return true;
}

static void set_max(struct mp_bpf_stacks *b, const char *map, uint32_t entries)
{
	bpf_map__set_max_entries(bpf_object__find_map_by_name(b->object, map), entries);
}

/* The number in an environment variable, but at most `max`. */
static uint32_t limit_of(const char *variable, uint32_t max)
{
	const char *text = getenv(variable);
	uint64_t n;

	return text && mp_num_range(text, 1, max, &n) == 0 ? (uint32_t)n : max;
}

/* Names of the programs, by the place to which they are attached. */
static const char *const program_names[] = {
	[MP_WALK_TRACEPOINT] = "unwind",	  [MP_WALK_FAULT] = "unwind_fault",
	[MP_WALK_SYS_ENTER] = "unwind_sys_enter", [MP_WALK_SYS_EXIT] = "unwind_sys_exit",
	[MP_WALK_PROBE] = "unwind_probe",	  [MP_WALK_EVENT] = "unwind_event",
};

static struct bpf_program *program_on(const struct mp_bpf_stacks *b, enum mp_walk_on on)
{
	return bpf_object__find_program_by_name(b->object, program_names[on]);
}

static bool any_walked_on(const struct mp_events *events, enum mp_walk_on on)
{
	size_t i;

	for (i = 0; i < events->n; i++)
		if (is_walked(&events->v[i]) && events->v[i].walk_on == on)
			return true;
	return false;
}

/* Selects the programs that events need, since loading each takes the kernel some ms. */
static void choose_programs(struct mp_bpf_stacks *b, const struct mp_events *events)
{
	size_t on;

	for (on = 0; on < MP_ARRAY_SIZE(program_names); on++)
		bpf_program__set_autoload(program_on(b, on), any_walked_on(events, on));
}

/* Loads the programs; false if this kernel refuses them. */
static bool load(struct mp_bpf_stacks *b, const struct mp_events *events,
		 const struct mp_bpf_stacks_setup *setup)
{
	int cpus = libbpf_num_possible_cpus();

	b->object = mp_bpf_open("unwind");
	if (!b->object || cpus <= 0)
		return false;
	choose_programs(b, events);
	set_max(b, "copies",
		MP_BPF_COPY_CONTEXTS * cpus +
			(any_walked_on(events, MP_WALK_PROBE) ? MP_BPF_PROBE_SLOTS : 0));
	set_max(b, "rows", b->tables.max_rows);
	set_max(b, "pages", b->tables.max_pages);
	set_max(b, "spaces", b->tables.max_spaces);
	return bpf_object__load(b->object) == 0 && set_up(b, events, setup) && attach_upkeep(b);
}

static bool keep_link(struct mp_bpf_stacks *b, struct bpf_link *link)
{
	if (link)
		b->links[b->n_links++] = link;
	return link;
}

/* Attaches the program for entries to system calls, or for returns, once for all system calls. */
static bool attach_to_calls(struct mp_bpf_stacks *b, enum mp_walk_on on)
{
	bool *attached = &b->on_calls[on == MP_WALK_SYS_EXIT];

	if (!*attached)
		*attached = keep_link(b, bpf_program__attach(program_on(b, on)));
	return *attached;
}

/* Attaches a program to the tracepoints of an event. */
static bool attach(struct mp_bpf_stacks *b, const struct mp_event *e)
{
	size_t i;

	if (e->walk_on == MP_WALK_SYS_ENTER || e->walk_on == MP_WALK_SYS_EXIT)
		return attach_to_calls(b, e->walk_on);
	/* programs of other kinds of events are attached by mp_bpf_stacks_attach() */
	for (i = 0; i < MP_ARRAY_SIZE(e->points) && e->points[i]; i++)
		if (!keep_link(b, bpf_program__attach_raw_tracepoint(program_on(b, e->walk_on),
								     e->points[i])))
			return false;
	return true;
}

struct mp_bpf_stacks *mp_bpf_stacks_open(struct mp_events *events,
					 const struct mp_bpf_stacks_setup *setup)
{
	struct mp_bpf_stacks *b = mp_zalloc(sizeof(*b));
	bool wanted = setup->aggregates, loaded, used;
	size_t i;

	mp_bpf_tables_init(&b->tables, limit_of("MP_BPF_ROWS", MP_BPF_ROWS),
			   limit_of("MP_BPF_SPACES", MP_BPF_SPACES));
	b->tables.rows_of = setup->rows;
	b->tables.rows_arg = setup->rows_arg;
	b->full_fd = -1;
	b->links = mp_zalloc((2 * events->n + UPKEEP + SYSCALLS) * sizeof(struct bpf_link *));
	for (i = 0; i < events->n; i++)
		wanted |= is_walked(&events->v[i]);
	loaded = wanted && load(b, events, setup);
	used = loaded && setup->aggregates;
	for (i = 0; i < events->n; i++) {
		if (!is_walked(&events->v[i]))
			continue;
		if (loaded && attach(b, &events->v[i]))
			used = true;
		else
			mp_event_without_bpf(&events->v[i]);
	}
	if (used)
		return b;
	mp_bpf_stacks_free(b);
	return NULL;
}

int mp_bpf_stacks_map(const struct mp_bpf_stacks *b, const char *name)
{
	return bpf_object__find_map_fd_by_name(b->object, name);
}

/*
 * Attaches the program to an event. If the kernel refuses it, the samples report that their stacks
 * are missing.
 */
static void set_program(const struct mp_bpf_stacks *b, int fd, enum mp_walk_on on)
{
	ioctl(fd, PERF_EVENT_IOC_SET_BPF, bpf_program__fd(program_on(b, on)));
}

static void hold_probe(struct mp_bpf_stacks *b, const struct mp_event *e)
{
	char *error = NULL;
	int fd = mp_bpf_hold_probe(e, &error);

	free(error);
	if (fd < 0)
		return;
	set_program(b, fd, MP_WALK_PROBE);
	b->held = mp_grow(b->held, &b->cap_held, b->n_held + 1, sizeof(*b->held));
	b->held[b->n_held++] = fd;
}

void mp_bpf_stacks_attach(struct mp_bpf_stacks *b, const struct mp_rings *rings,
			  const struct mp_events *events)
{
	const struct mp_event *e;
	size_t i;

	for (i = 0; i < events->n; i++)
		if (is_walked(&events->v[i]) && events->v[i].walk_on == MP_WALK_PROBE &&
		    events->v[i].tp)
			hold_probe(b, &events->v[i]);
	for (i = 0; i < rings->n_counters; i++) {
		const struct mp_counter *c = &rings->counters[i];

		e = &events->v[c->event];
		/*
		 * a probe has an event on each CPU; a hit on any CPU runs the programs of all of
		 * them, beginning with the event that was opened last
		 */
		if (is_walked(e) && !e->tp &&
		    (e->walk_on == MP_WALK_EVENT ||
		     (e->walk_on == MP_WALK_PROBE && c->ring == rings->n - 1)))
			set_program(b, c->fd, e->walk_on);
	}
}

void mp_bpf_stacks_start(struct mp_bpf_stacks *b)
{
	if (!b)
		return;
	b->settings.on = 1;
	put_settings(b);
}

void mp_bpf_stacks_free(struct mp_bpf_stacks *b)
{
	size_t i;

	if (!b)
		return;
	for (i = 0; i < b->n_links; i++)
		bpf_link__destroy(b->links[i]);
	for (i = 0; i < b->n_held; i++)
		close(b->held[i]);
	free(b->held);
	if (b->tables.rows)
		munmap(b->tables.rows, b->rows_size);
	if (b->tables.pages)
		munmap(b->tables.pages, b->pages_size);
	if (b->tables.spaces)
		munmap(b->tables.spaces, b->spaces_size);
	ring_buffer__free(b->ring);
	if (b->full_fd >= 0)
		close(b->full_fd);
	bpf_object__close(b->object);
	free(b->links);
	mp_bpf_tables_release(&b->tables);
	free(b);
}

/* --- tables ----------------------------------------------------------------------------------- */

void mp_bpf_stacks_forget(void *stacks, uint64_t number)
{
	struct mp_bpf_stacks *b = stacks;

	mp_bpf_tables_forget(&b->tables, number);
}

void mp_bpf_stacks_forget_file(void *stacks, uint32_t file)
{
	struct mp_bpf_stacks *b = stacks;

	mp_bpf_tables_forget_file(&b->tables, file);
}

void mp_bpf_stacks_clear(struct mp_bpf_stacks *b)
{
	if (b)
		mp_bpf_tables_clear(&b->tables);
}

void mp_bpf_stacks_update(void *stacks, const struct mp_cut_space *s)
{
	struct mp_bpf_stacks *b = stacks;
	struct mp_bpf_task task = { .exec_ns = 0 };

	if (bpf_map_lookup_elem(b->tasks, &s->pid, &task) < 0)
		task.exec_ns = 0;
	if (!mp_bpf_tables_update(&b->tables, s, &task))
		task.sequence = 0;
	task.time_ns = s->time_ns;
	bpf_map_update_elem(b->tasks, &s->pid, &task, BPF_ANY);
}

int mp_bpf_stacks_fd(const struct mp_bpf_stacks *b)
{
	return b->full_fd;
}

bool mp_bpf_stacks_read(struct mp_bpf_stacks *b, mp_bpf_record_fn *each, void *arg)
{
	struct epoll_event event;

	while (b->full_fd >= 0 && epoll_wait(b->full_fd, &event, 1, 0) > 0)
		;
	b->each = each;
	b->each_arg = arg;
	return ring_buffer__consume(b->ring) >= 0;
}

void mp_bpf_stacks_copiers(const struct mp_bpf_stacks *b, mp_bpf_copier_fn *each, void *arg)
{
	int map = bpf_object__find_map_fd_by_name(b->object, "copiers");
	struct mp_bpf_copier copier;
	uint32_t uid, *previous = NULL;

	while (bpf_map_get_next_key(map, previous, &uid) == 0) {
		previous = &uid;
		if (bpf_map_lookup_elem(map, &uid, &copier) == 0 && copier.refused)
			each(arg, uid, &copier);
	}
}

/* Adds the run times that the kernel measures if kernel.bpf_stats_enabled is set. */
static void add_runs(const struct mp_bpf_stacks *b, const char *program,
		     struct mp_bpf_stacks_counts *counts)
{
	int fd = bpf_program__fd(bpf_object__find_program_by_name(b->object, program));
	struct bpf_prog_info info = { .run_cnt = 0 };
	uint32_t size = sizeof(info);

	if (bpf_obj_get_info_by_fd(fd, &info, &size) < 0)
		return;
	counts->runs += info.run_cnt;
	counts->run_ns += info.run_time_ns;
}

void mp_bpf_stacks_counts(const struct mp_bpf_stacks *b, struct mp_bpf_stacks_counts *counts)
{
	int map = bpf_object__find_map_fd_by_name(b->object, "dropped");
	int cpus = libbpf_num_possible_cpus(), i;
	uint64_t *v = mp_zalloc((cpus > 0 ? cpus : 1) * sizeof(*v));
	uint32_t key = 0;
	size_t on;

	*counts = (struct mp_bpf_stacks_counts){ .rows = b->tables.n_rows,
						 .files = b->tables.made_files,
						 .spaces = b->tables.made_spaces,
						 .rebuilds = b->tables.rebuilds };
	for (on = 0; on < MP_ARRAY_SIZE(program_names); on++)
		add_runs(b, program_names[on], counts);
	if (bpf_map_lookup_elem(map, &key, v) == 0)
		for (i = 0; i < cpus; i++)
			counts->dropped += v[i];
	free(v);
}
