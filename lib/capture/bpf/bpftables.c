// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/bpf/bpftables.h"

#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/core/clock.h"

enum {
	REBUILD_APART_NS = 1000000000,
};

void mp_bpf_tables_init(struct mp_bpf_tables *t, uint32_t max_rows, uint32_t max_spaces)
{
	*t = (struct mp_bpf_tables){ .max_rows = max_rows,
				     .max_pages = max_rows / MP_BPF_ROWS_A_PAGE,
				     .max_spaces = max_spaces };
	t->free_places = mp_alloc(max_spaces * sizeof(*t->free_places));
	t->places = mp_zalloc(max_spaces * sizeof(*t->places));
	mp_intmap_init(&t->places_of);
}

void mp_bpf_tables_release(struct mp_bpf_tables *t)
{
	free(t->free_places);
	free(t->places);
	mp_intmap_release(&t->places_of);
	free(t->files);
}

/* Drops all tables. When this returns, no program uses them any longer. */
static void drop_tables(struct mp_bpf_tables *t)
{
	uint32_t i;

	for (i = 0; i < t->max_spaces; i++)
		__atomic_store_n(&t->spaces[i].sequence, 0, __ATOMIC_RELEASE);
	syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
	t->n_rows = t->n_pages = t->next_place = t->n_free_places = 0;
	memset(t->places, 0, t->max_spaces * sizeof(*t->places));
	mp_intmap_clear(&t->places_of);
	t->rebuilds++;
	t->rebuilt_ns = mp_monotonic_ns();
}

/*
 * Makes the table of pages, in which the search for a row begins. An element of a BPF array takes
 * eight bytes.
 */
static void make_pages(struct mp_bpf_tables *t, struct mp_bpf_file *f,
		       const struct mp_bpf_row *rows, size_t n, size_t n_pages)
{
	size_t page, row = 0;

	f->pages = t->n_pages;
	f->page_base = n ? rows[0].pc >> MP_BPF_PAGE_SHIFT : 0;
	for (page = 0; page <= n_pages; page++) {
		while (row < n && rows[row].pc >> MP_BPF_PAGE_SHIFT < f->page_base + page)
			row++;
		t->pages[2 * (size_t)t->n_pages++] = row;
	}
}

static size_t count_pages(const struct mp_bpf_row *rows, size_t n)
{
	if (!n)
		return 0;
	return (rows[n - 1].pc >> MP_BPF_PAGE_SHIFT) - (rows[0].pc >> MP_BPF_PAGE_SHIFT) + 1;
}

static bool has_room(const struct mp_bpf_tables *t, const struct mp_bpf_file *f)
{
	return f->n_rows <= t->max_rows - t->n_rows && f->n_pages < t->max_pages - t->n_pages;
}

static struct mp_bpf_file *file_of(struct mp_bpf_tables *t, uint32_t number)
{
	size_t n = t->n_files;

	if (number >= n) {
		t->n_files = MP_MAX(2 * n, (size_t)number + 1);
		t->files = mp_realloc(t->files, t->n_files * sizeof(*t->files));
		memset(t->files + n, 0, (t->n_files - n) * sizeof(*t->files));
	}
	return &t->files[number];
}

/*
 * Makes the rows of a file if the tables do not have them. Returns false if there is no room; a
 * second call finds that out without making rows.
 */
static bool make_rows(struct mp_bpf_tables *t, uint32_t number)
{
	struct mp_bpf_file *f = file_of(t, number);
	uint64_t making = t->rebuilds + 1;
	struct mp_cut_rows rows;
	bool made;

	if (f->made == making)
		return true;
	if (!has_room(t, f))
		return false;
	t->rows_of(t->rows_arg, number, &rows);
	f->n_rows = rows.n;
	f->n_pages = count_pages(rows.v, rows.n);
	made = has_room(t, f);
	if (made) {
		if (rows.n)
			memcpy(t->rows + t->n_rows, rows.v, rows.n * sizeof(*rows.v));
		make_pages(t, f, rows.v, rows.n, f->n_pages);
		f->rows = t->n_rows;
		f->made = making;
		t->n_rows += rows.n;
		t->made_files++;
	}
	free(rows.v);
	return made;
}

/* Translates a mapping. Returns false if there is no room for the rows of its file. */
static bool make_mapping(struct mp_bpf_tables *t, const struct mp_cut_mapping *m,
			 struct mp_bpf_mapping *to)
{
	const struct mp_bpf_file *f;

	*to = (struct mp_bpf_mapping){ .start = m->start, .end = m->end };
	if (!m->file)
		return true;
	if (!make_rows(t, m->file))
		return false;
	f = file_of(t, m->file);
	to->bias = m->bias;
	to->first = f->rows;
	to->pages = f->pages;
	to->page_base = f->page_base;
	to->n_pages = f->n_pages;
	return true;
}

static bool make_mappings(struct mp_bpf_tables *t, const struct mp_cut_space *s,
			  struct mp_bpf_space *to)
{
	size_t n = MP_MIN(s->n, MP_BPF_MAPPINGS), i;

	for (i = 0; i < n; i++)
		if (!make_mapping(t, &s->v[i], &to->v[i]))
			return false;
	to->n = n;
	return true;
}

/*
 * Whether to drop all tables to make room for those of this address space: only if these fit into
 * empty tables, and at most once a second. If the tables of all processes do not fit together, some
 * processes get copies of their stacks until then.
 */
static bool may_drop_tables(struct mp_bpf_tables *t, const struct mp_cut_space *s)
{
	uint64_t rows = 0, pages = 1;
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct mp_bpf_file *f = file_of(t, s->v[i].file);

		rows += f->n_rows;
		pages += s->v[i].file ? f->n_pages + 1 : 0;
	}
	return rows <= t->max_rows && pages <= t->max_pages &&
	       mp_monotonic_ns() - t->rebuilt_ns > REBUILD_APART_NS;
}

/*
 * Changes the sequence of a place: programs see by it that the place has no mappings, or that they
 * are being changed.
 */
static void invalidate(struct mp_bpf_tables *t, uint32_t place)
{
	__atomic_store_n(&t->spaces[place].sequence, 0, __ATOMIC_RELEASE);
}

/* The place of an address space; false if it has none. */
static bool find_place(const struct mp_bpf_tables *t, uint64_t space, uint32_t *place)
{
	uint64_t found = mp_intmap_get(&t->places_of, space);

	*place = (uint32_t)found - 1;
	return found;
}

static void lose_place(struct mp_bpf_tables *t, uint32_t place)
{
	struct mp_bpf_place *p = &t->places[place];

	invalidate(t, place);
	if (p->space)
		mp_intmap_remove(&t->places_of, mp_intmap_find(&t->places_of, p->space));
	*p = (struct mp_bpf_place){ .space = 0 };
}

/* Gives an address space a free place, or the one that was assigned longest ago. */
static uint32_t give_place(struct mp_bpf_tables *t, uint64_t space)
{
	uint32_t place = t->n_free_places ? t->free_places[--t->n_free_places]
					  : t->next_place++ % t->max_spaces;

	lose_place(t, place);
	t->places[place].space = space;
	mp_intmap_add(&t->places_of, space, (uint64_t)place + 1);
	return place;
}

static void free_place(struct mp_bpf_tables *t, uint32_t place)
{
	lose_place(t, place);
	t->free_places[t->n_free_places++] = place;
}

/* Makes the tables of an address space. Returns false if there is no room. */
static bool make_space(struct mp_bpf_tables *t, const struct mp_cut_space *s, uint32_t *place)
{
	if (!find_place(t, s->number, place))
		*place = give_place(t, s->number);
	invalidate(t, *place);
	if (!make_mappings(t, s, &t->spaces[*place])) {
		free_place(t, *place);
		if (!may_drop_tables(t, s))
			return false;
		drop_tables(t);
		*place = give_place(t, s->number);
		if (!make_mappings(t, s, &t->spaces[*place])) {
			free_place(t, *place);
			return false;
		}
	}
	t->spaces[*place].copies = 0;
	t->spaces[*place].made_ns = mp_monotonic_ns();
	t->places[*place].state = s->state;
	__atomic_store_n(&t->spaces[*place].sequence, ++t->sequence, __ATOMIC_RELEASE);
	t->made_spaces++;
	return true;
}

/* Makes the tables of an address space if they are not up to date. False if there is no room. */
static bool have_space(struct mp_bpf_tables *t, const struct mp_cut_space *s, uint32_t *place)
{
	if (find_place(t, s->number, place) && t->places[*place].state == s->state)
		return true;
	return make_space(t, s, place);
}

bool mp_bpf_tables_update(struct mp_bpf_tables *t, const struct mp_cut_space *s,
			  struct mp_bpf_task *task)
{
	uint32_t place;

	if (!s->n || !have_space(t, s, &place))
		return false;
	task->space = place;
	task->sequence = t->spaces[place].sequence;
	return true;
}

void mp_bpf_tables_forget(struct mp_bpf_tables *t, uint64_t number)
{
	uint32_t place;

	if (find_place(t, number, &place))
		free_place(t, place);
}

void mp_bpf_tables_forget_file(struct mp_bpf_tables *t, uint32_t file)
{
	if (file < t->n_files)
		t->files[file] = (struct mp_bpf_file){ .made = 0 };
}

void mp_bpf_tables_clear(struct mp_bpf_tables *t)
{
	drop_tables(t);
	free(t->files);
	t->files = NULL;
	t->n_files = 0;
}
