// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/bpfstack.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

struct mp_bpf_stacks {
	struct bpf_object *object;
	struct ring_buffer *ring;
	struct bpf_link **links;
	size_t n_links;
	struct mp_dsos *dsos;
	struct mp_bpf_row *rows;     /* the program's own, mapped */
	struct mp_bpf_space *spaces; /* likewise */
	uint32_t *pages;	     /* likewise */
	size_t rows_size, pages_size, spaces_size;
	int tasks; /* map */
	uint32_t n_rows, n_pages, sequence, next_place;
	struct mp_bpf_stacks_counts counts;
	mp_bpf_record_fn *each;
	void *each_arg;
};

/* The object, from bpf/; the Makefile says where it is. Empty where clang was missing. */
#ifdef MP_BPF_UNWIND
__asm__(".section .rodata\n"
	".balign 8\n"
	"mp_unwind_object: .incbin \"" MP_BPF_UNWIND "\"\n"
	"mp_unwind_object_end: .byte 0\n"
	".previous\n");
extern const char mp_unwind_object[], mp_unwind_object_end[];
#else
static const char mp_unwind_object[1], *const mp_unwind_object_end = mp_unwind_object;
#endif

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level, (void)fmt, (void)ap;
	return 0;
}

static int take_record(void *arg, void *data, size_t size)
{
	struct mp_bpf_stacks *b = arg;
	const struct mp_bpf_record *r = data;

	if (size >= offsetof(struct mp_bpf_record, ips) && r->size == size)
		return b->each(b->each_arg, r) ? 0 : -ECANCELED;
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

/* Loads the program; false if this kernel does not take it. */
static bool load(struct mp_bpf_stacks *b)
{
	size_t size = mp_unwind_object_end - mp_unwind_object;

	if (size == 0)
		return false;
	libbpf_set_print(quiet);
	b->object = bpf_object__open_mem(mp_unwind_object, size, NULL);
	if (!b->object || bpf_object__load(b->object) < 0)
		return false;
	b->rows = map_array(b->object, "rows", &b->rows_size);
	b->pages = map_array(b->object, "pages", &b->pages_size);
	b->spaces = map_array(b->object, "spaces", &b->spaces_size);
	b->tasks = bpf_object__find_map_fd_by_name(b->object, "tasks");
	b->ring = ring_buffer__new(bpf_object__find_map_fd_by_name(b->object, "records"),
				   take_record, b, NULL);
	return b->rows && b->pages && b->spaces && b->ring;
}

/* For an event; several may be on one tracepoint, which needs the program once. */
static bool attach(struct mp_bpf_stacks *b, const struct mp_events *events, size_t event)
{
	const struct mp_event *e = &events->v[event];
	struct bpf_program *program = bpf_object__find_program_by_name(b->object, "unwind");
	struct bpf_link *link;

	if (!e->tp)
		return true; /* mp_bpf_stacks_attach() */
	link = bpf_program__attach_raw_tracepoint(program, e->tp->name);
	if (!link)
		return false;
	b->links[b->n_links++] = link;
	return true;
}

struct mp_bpf_stacks *mp_bpf_stacks_open(struct mp_events *events, struct mp_dsos *dsos,
					 bool for_sums)
{
	struct mp_bpf_stacks *b = mp_zalloc(sizeof(*b));
	bool loaded = false, tried = false, used = false;
	size_t i;

	b->dsos = dsos;
	b->links = mp_zalloc(events->n * sizeof(struct bpf_link *));
	if (for_sums)
		tried = used = loaded = load(b);
	for (i = 0; i < events->n; i++) {
		if (events->v[i].method != MP_METHOD_BPF)
			continue;
		if (!tried)
			loaded = load(b);
		tried = true;
		if (loaded && attach(b, events, i))
			used = true;
		else
			mp_event_use_fp(&events->v[i]);
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

void mp_bpf_stacks_attach(struct mp_bpf_stacks *b, const struct mp_rings *rings,
			  const struct mp_events *events)
{
	int program = bpf_program__fd(bpf_object__find_program_by_name(b->object, "unwind_event"));
	size_t i;

	for (i = 0; i < rings->n_counters; i++) {
		const struct mp_event *e = &events->v[rings->counters[i].event];

		/* where it is refused, the samples say that there are no stacks */
		if (e->method == MP_METHOD_BPF && !e->tp)
			ioctl(rings->counters[i].fd, PERF_EVENT_IOC_SET_BPF, program);
	}
}

void mp_bpf_stacks_free(struct mp_bpf_stacks *b)
{
	size_t i;

	if (!b)
		return;
	for (i = 0; i < b->n_links; i++)
		bpf_link__destroy(b->links[i]);
	if (b->rows)
		munmap(b->rows, b->rows_size);
	if (b->pages)
		munmap(b->pages, b->pages_size);
	if (b->spaces)
		munmap(b->spaces, b->spaces_size);
	ring_buffer__free(b->ring);
	bpf_object__close(b->object);
	free(b->links);
	free(b);
}

/* --- tables ----------------------------------------------------------------------------------------- */

/* All tables are stale from here on; no program looks at them any more when this returns. */
static void begin_anew(struct mp_bpf_stacks *b)
{
	uint32_t i;

	for (i = 0; i < MP_BPF_SPACES; i++)
		b->spaces[i].sequence = 0;
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	b->n_rows = b->n_pages = 0;
	b->counts.anew++;
}

/* By what pages of the file the search begins; an element of an array of BPF has eight bytes. */
static void make_pages(struct mp_bpf_stacks *b, struct mp_dso *dso, const struct mp_bpf_row *rows,
		       size_t n, size_t n_pages)
{
	size_t page, row = 0;

	dso->pages = b->n_pages;
	dso->page_base = n ? rows[0].pc >> MP_BPF_PAGE_SHIFT : 0;
	for (page = 0; page <= n_pages; page++) {
		while (row < n && rows[row].pc >> MP_BPF_PAGE_SHIFT < dso->page_base + page)
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

/* Rows of a file, made if need be; false if there is no room. */
static bool make_rows(struct mp_bpf_stacks *b, struct mp_dso *dso)
{
	uint64_t making = b->counts.anew + 1;
	struct mp_bpf_row *rows;
	struct mp_cfi *cfi;
	size_t n, n_pages;

	if (dso->rows_made == making)
		return true;
	cfi = mp_dso_cfi(b->dsos, dso);
	rows = cfi ? mp_bpf_table(cfi, &n) : NULL;
	if (!rows)
		n = 0;
	n_pages = count_pages(rows, n);
	if (n > MP_BPF_ROWS - b->n_rows || n_pages >= MP_BPF_PAGES - b->n_pages) {
		free(rows);
		return false;
	}
	if (n)
		memcpy(b->rows + b->n_rows, rows, n * sizeof(*rows));
	make_pages(b, dso, rows, n, n_pages);
	free(rows);
	dso->rows = b->n_rows;
	dso->n_rows = n;
	dso->rows_made = making;
	b->n_rows += n;
	b->counts.files++;
	return true;
}

/* False if there is no room for the rows of its file. */
static bool make_mapping(struct mp_bpf_stacks *b, const struct mp_mapping *m,
			 struct mp_bpf_mapping *to)
{
	uint64_t delta;

	*to = (struct mp_bpf_mapping){ .start = m->start, .end = m->end };
	if (!m->dso)
		return true;
	if (!make_rows(b, m->dso))
		return false;
	if (!mp_segments_delta(&m->dso->segments, m->offset, m->end - m->start, &delta))
		return true;
	to->bias = m->start - m->offset - delta;
	to->first = m->dso->rows;
	to->n = m->dso->n_rows;
	to->pages = m->dso->pages;
	to->page_base = m->dso->page_base;
	return true;
}

static bool make_mappings(struct mp_bpf_stacks *b, const struct mp_space *s,
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
 * In the place that it has, or in the oldest of all. Tasks are told by the sequence that theirs is
 * gone, or being changed.
 */
static void make_space(struct mp_bpf_stacks *b, struct mp_space *s)
{
	bool has_place = s->tables_id && b->spaces[s->tables].sequence == s->tables_sequence;
	uint32_t place = has_place ? s->tables : b->next_place++ % MP_BPF_SPACES;
	struct mp_bpf_space *to = &b->spaces[place];
	uint32_t sequence = ++b->sequence;

	__atomic_store_n(&to->sequence, 0, __ATOMIC_RELEASE);
	if (!make_mappings(b, s, to)) {
		begin_anew(b);
		if (!make_mappings(b, s, to))
			to->n = 0; /* one process with more rows than there is room for */
	}
	__atomic_store_n(&to->sequence, sequence, __ATOMIC_RELEASE);
	s->tables = place;
	s->tables_sequence = sequence;
	s->tables_id = s->id;
	b->counts.spaces++;
}

void mp_bpf_stacks_update(struct mp_bpf_stacks *b, struct mp_process *process)
{
	struct mp_space *s = process->space;
	struct mp_bpf_task task;
	uint32_t pid = process->pid;

	process->tables = true;
	if (s->n == 0 || pid == 0 || process->pid == getpid())
		return;
	if (s->tables_id != s->id || b->spaces[s->tables].sequence != s->tables_sequence)
		make_space(b, s);
	task = (struct mp_bpf_task){ s->tables, s->tables_sequence };
	bpf_map_update_elem(b->tasks, &pid, &task, BPF_ANY);
}

bool mp_bpf_stacks_read(struct mp_bpf_stacks *b, mp_bpf_record_fn *each, void *arg)
{
	b->each = each;
	b->each_arg = arg;
	return ring_buffer__consume(b->ring) >= 0;
}

void mp_bpf_stacks_counts(const struct mp_bpf_stacks *b, struct mp_bpf_stacks_counts *counts)
{
	int map = bpf_object__find_map_fd_by_name(b->object, "dropped");
	int cpus = libbpf_num_possible_cpus(), i;
	uint64_t *v = mp_zalloc((cpus > 0 ? cpus : 1) * sizeof(*v));
	uint32_t key = 0;

	*counts = b->counts;
	counts->rows = b->n_rows;
	if (bpf_map_lookup_elem(map, &key, v) == 0)
		for (i = 0; i < cpus; i++)
			counts->dropped += v[i];
	free(v);
}
