// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/bpf/bpfstack.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/capture/bpf/bpf.h"
#include "lib/capture/event/stack_mode.h"
#include "lib/core/clock.h"
#include "lib/core/intmap.h"

enum {
	UPKEEP = 2,	 /* number of programs that handle fork and execve */
	SYSCALLS = 2,	 /* number of programs for system calls */
	ROWS_A_PAGE = 8, /* average number of rows per page of a file, at least */
	REBUILD_APART_NS = 1000000000,
};

/* What is known of the rows of a file. */
struct file {
	uint64_t made; /* number of the rebuild that made the rows, plus 1; 0: they were not made */
	uint32_t rows,
		/*
		 * index of the first row, if the rows were made; number of rows, once it is known
		 */
		n_rows;
	uint32_t pages, n_pages, page_base;
};

/* The address space whose mappings are in a place of the tables. */
struct place {
	uint64_t space; /* number of the address space; 0: none */
	uint64_t state;
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
	mp_cut_rows_fn *rows_of;
	void *rows_arg;
	/* tables of the program, mapped */
	struct mp_bpf_row *rows;
	struct mp_bpf_space *spaces;
	uint32_t *pages;
	size_t rows_size, pages_size, spaces_size;
	int tasks; /* file descriptor of a map of the program */
	uint32_t max_rows, max_pages, max_spaces;
	uint32_t n_rows, n_pages, sequence, next_place;
	uint32_t *free_places, n_free_places;
	struct place *places;	    /* indexed by number of the place */
	struct mp_intmap places_of; /* number of an address space -> index of its place + 1 */
	struct file *files;	    /* indexed by number of the file */
	size_t n_files;
	uint64_t rebuilt_ns; /* time of the last rebuild, which drops all tables */
	struct mp_bpf_stacks_counts counts;
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

static bool set_up(struct mp_bpf_stacks *b, const struct mp_events *events,
		   const struct mp_bpf_stacks_setup *setup)
{
	struct mp_bpf_settings settings = {
		.everyone = setup->everyone,
		.uid = getuid(),
		.writer_uids = setup->writer_uids,
		.n_writer_uids = setup->n_writer_uids,
		.probe_buffers = MP_BPF_COPY_CONTEXTS * libbpf_num_possible_cpus(),
	};
	uint32_t key = 0;

	set_syscalls(&settings, events);
	b->rows = map_array(b->object, "rows", &b->rows_size);
	b->pages = map_array(b->object, "pages", &b->pages_size);
	b->spaces = map_array(b->object, "spaces", &b->spaces_size);
	b->tasks = bpf_object__find_map_fd_by_name(b->object, "tasks");
	b->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(b->object, "records"),
				   handle_record, b, NULL);
	b->full_fd = watch_ring(b->object);
	return b->rows && b->pages && b->spaces && b->ring &&
	       bpf_map_update_elem(bpf_object__find_map_fd_by_name(b->object, "settings"), &key,
				   &settings, BPF_ANY) == 0;
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
	set_max(b, "rows", b->max_rows);
	set_max(b, "pages", b->max_pages);
	set_max(b, "spaces", b->max_spaces);
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

	b->rows_of = setup->rows;
	b->rows_arg = setup->rows_arg;
	b->full_fd = -1;
	b->max_rows = limit_of("MP_BPF_ROWS", MP_BPF_ROWS);
	b->max_pages = b->max_rows / ROWS_A_PAGE;
	b->max_spaces = limit_of("MP_BPF_SPACES", MP_BPF_SPACES);
	b->free_places = mp_alloc(b->max_spaces * sizeof(*b->free_places));
	b->places = mp_zalloc(b->max_spaces * sizeof(*b->places));
	mp_intmap_init(&b->places_of);
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
	if (b->rows)
		munmap(b->rows, b->rows_size);
	if (b->pages)
		munmap(b->pages, b->pages_size);
	if (b->spaces)
		munmap(b->spaces, b->spaces_size);
	ring_buffer__free(b->ring);
	if (b->full_fd >= 0)
		close(b->full_fd);
	bpf_object__close(b->object);
	free(b->links);
	free(b->free_places);
	free(b->places);
	mp_intmap_release(&b->places_of);
	free(b->files);
	free(b);
}

/* --- tables ----------------------------------------------------------------------------------- */

/* Drops all tables. When this returns, no program uses them any longer. */
static void drop_tables(struct mp_bpf_stacks *b)
{
	uint32_t i;

	for (i = 0; i < b->max_spaces; i++)
		__atomic_store_n(&b->spaces[i].sequence, 0, __ATOMIC_RELEASE);
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	b->n_rows = b->n_pages = b->next_place = b->n_free_places = 0;
	memset(b->places, 0, b->max_spaces * sizeof(*b->places));
	mp_intmap_clear(&b->places_of);
	b->counts.rebuilds++;
	b->rebuilt_ns = mp_monotonic_ns();
}

/*
 * Makes the table of pages, in which the search for a row begins. An element of a BPF array takes
 * eight bytes.
 */
static void make_pages(struct mp_bpf_stacks *b, struct file *f, const struct mp_bpf_row *rows,
		       size_t n, size_t n_pages)
{
	size_t page, row = 0;

	f->pages = b->n_pages;
	f->page_base = n ? rows[0].pc >> MP_BPF_PAGE_SHIFT : 0;
	for (page = 0; page <= n_pages; page++) {
		while (row < n && rows[row].pc >> MP_BPF_PAGE_SHIFT < f->page_base + page)
			row++;
		b->pages[2 * (size_t)b->n_pages++] = row;
	}
}

static size_t count_pages(const struct mp_bpf_row *rows, size_t n)
{
	if (!n)
		return 0;
	return (rows[n - 1].pc >> MP_BPF_PAGE_SHIFT) - (rows[0].pc >> MP_BPF_PAGE_SHIFT) + 1;
}

static bool has_room(const struct mp_bpf_stacks *b, const struct file *f)
{
	return f->n_rows <= b->max_rows - b->n_rows && f->n_pages < b->max_pages - b->n_pages;
}

static struct file *file_of(struct mp_bpf_stacks *b, uint32_t number)
{
	size_t n = b->n_files;

	if (number >= n) {
		b->n_files = MP_MAX(2 * n, (size_t)number + 1);
		b->files = mp_realloc(b->files, b->n_files * sizeof(*b->files));
		memset(b->files + n, 0, (b->n_files - n) * sizeof(*b->files));
	}
	return &b->files[number];
}

/*
 * Makes the rows of a file if the tables do not have them. Returns false if there is no room; a
 * second call finds that out without making rows.
 */
static bool make_rows(struct mp_bpf_stacks *b, uint32_t number)
{
	struct file *f = file_of(b, number);
	uint64_t making = b->counts.rebuilds + 1;
	struct mp_cut_rows rows;
	bool made;

	if (f->made == making)
		return true;
	if (!has_room(b, f))
		return false;
	b->rows_of(b->rows_arg, number, &rows);
	f->n_rows = rows.n;
	f->n_pages = count_pages(rows.v, rows.n);
	made = has_room(b, f);
	if (made) {
		if (rows.n)
			memcpy(b->rows + b->n_rows, rows.v, rows.n * sizeof(*rows.v));
		make_pages(b, f, rows.v, rows.n, f->n_pages);
		f->rows = b->n_rows;
		f->made = making;
		b->n_rows += rows.n;
		b->counts.files++;
	}
	free(rows.v);
	return made;
}

/* Translates a mapping. Returns false if there is no room for the rows of its file. */
static bool make_mapping(struct mp_bpf_stacks *b, const struct mp_cut_mapping *m,
			 struct mp_bpf_mapping *to)
{
	const struct file *f;

	*to = (struct mp_bpf_mapping){ .start = m->start, .end = m->end };
	if (!m->file)
		return true;
	if (!make_rows(b, m->file))
		return false;
	f = file_of(b, m->file);
	to->bias = m->bias;
	to->first = f->rows;
	to->pages = f->pages;
	to->page_base = f->page_base;
	to->n_pages = f->n_pages;
	return true;
}

static bool make_mappings(struct mp_bpf_stacks *b, const struct mp_cut_space *s,
			  struct mp_bpf_space *to)
{
	size_t n = MP_MIN(s->n, MP_BPF_MAPPINGS), i;

	for (i = 0; i < n; i++)
		if (!make_mapping(b, &s->v[i], &to->v[i]))
			return false;
	to->n = n;
	return true;
}

/*
 * Whether to drop all tables, so that there is room for those of this address space, if these fit
 * into empty tables. At most once a second: if the tables of all processes do not fit together,
 * some processes get copies of their stacks for a while.
 */
static bool may_drop_tables(struct mp_bpf_stacks *b, const struct mp_cut_space *s)
{
	uint64_t rows = 0, pages = 1;
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct file *f = file_of(b, s->v[i].file);

		rows += f->n_rows;
		pages += s->v[i].file ? f->n_pages + 1 : 0;
	}
	return rows <= b->max_rows && pages <= b->max_pages &&
	       mp_monotonic_ns() - b->rebuilt_ns > REBUILD_APART_NS;
}

/*
 * Changes the sequence of a place: programs see by it that the place has no mappings, or that they
 * are being changed.
 */
static void invalidate(struct mp_bpf_stacks *b, uint32_t place)
{
	__atomic_store_n(&b->spaces[place].sequence, 0, __ATOMIC_RELEASE);
}

/* The place of an address space; false if it has none. */
static bool find_place(const struct mp_bpf_stacks *b, uint64_t space, uint32_t *place)
{
	uint64_t found = mp_intmap_get(&b->places_of, space);

	*place = (uint32_t)found - 1;
	return found;
}

static void lose_place(struct mp_bpf_stacks *b, uint32_t place)
{
	struct place *p = &b->places[place];

	invalidate(b, place);
	if (p->space)
		mp_intmap_remove(&b->places_of, mp_intmap_find(&b->places_of, p->space));
	*p = (struct place){ .space = 0 };
}

/* Gives an address space a free place, or the one that was assigned longest ago. */
static uint32_t give_place(struct mp_bpf_stacks *b, uint64_t space)
{
	uint32_t place = b->n_free_places ? b->free_places[--b->n_free_places]
					  : b->next_place++ % b->max_spaces;

	lose_place(b, place);
	b->places[place].space = space;
	mp_intmap_add(&b->places_of, space, (uint64_t)place + 1);
	return place;
}

static void free_place(struct mp_bpf_stacks *b, uint32_t place)
{
	lose_place(b, place);
	b->free_places[b->n_free_places++] = place;
}

/* Makes the tables of an address space. Returns false if there is no room. */
static bool make_space(struct mp_bpf_stacks *b, const struct mp_cut_space *s, uint32_t *place)
{
	if (!find_place(b, s->number, place))
		*place = give_place(b, s->number);
	invalidate(b, *place);
	if (!make_mappings(b, s, &b->spaces[*place])) {
		free_place(b, *place);
		if (!may_drop_tables(b, s))
			return false;
		drop_tables(b);
		*place = give_place(b, s->number);
		if (!make_mappings(b, s, &b->spaces[*place])) {
			free_place(b, *place);
			return false;
		}
	}
	b->spaces[*place].copies = 0;
	b->spaces[*place].made_ns = mp_monotonic_ns();
	b->places[*place].state = s->state;
	__atomic_store_n(&b->spaces[*place].sequence, ++b->sequence, __ATOMIC_RELEASE);
	b->counts.spaces++;
	return true;
}

void mp_bpf_stacks_forget(void *stacks, uint64_t number)
{
	struct mp_bpf_stacks *b = stacks;
	uint32_t place;

	if (find_place(b, number, &place))
		free_place(b, place);
}

void mp_bpf_stacks_forget_file(void *stacks, uint32_t file)
{
	struct mp_bpf_stacks *b = stacks;

	if (file < b->n_files)
		b->files[file] = (struct file){ .made = 0 };
}

/* Makes the tables of an address space if they are not up to date. False if there is no room. */
static bool have_space(struct mp_bpf_stacks *b, const struct mp_cut_space *s, uint32_t *place)
{
	if (find_place(b, s->number, place) && b->places[*place].state == s->state)
		return true;
	return make_space(b, s, place);
}

void mp_bpf_stacks_update(void *stacks, const struct mp_cut_space *s)
{
	struct mp_bpf_stacks *b = stacks;
	struct mp_bpf_task task = { .exec_ns = 0 };
	uint32_t place;

	if (bpf_map_lookup_elem(b->tasks, &s->pid, &task) < 0)
		task.exec_ns = 0;
	task.sequence = 0;
	if (s->n && have_space(b, s, &place)) {
		task.space = place;
		task.sequence = b->spaces[place].sequence;
	}
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

	*counts = b->counts;
	counts->rows = b->n_rows;
	for (on = 0; on < MP_ARRAY_SIZE(program_names); on++)
		add_runs(b, program_names[on], counts);
	if (bpf_map_lookup_elem(map, &key, v) == 0)
		for (i = 0; i < cpus; i++)
			counts->dropped += v[i];
	free(v);
}
