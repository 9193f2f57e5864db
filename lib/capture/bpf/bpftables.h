/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tables by which BPF programs walk user stacks: the mappings of address spaces, and the rows
 * of files. What fills them comes from the writer, which is not trusted: any numbers, mappings and
 * rows stay within the memory of the tables. Includes cut, intmap.
 */
#ifndef MP_CAPTURE_BPF_BPFTABLES_H
#define MP_CAPTURE_BPF_BPFTABLES_H

#include "bpf/unwind.h"
#include "lib/capture/host/cut.h"
#include "lib/core/intmap.h"

/* What is known of the rows of a file. */
struct mp_bpf_file {
	uint64_t made; /* number of the rebuild that made the rows, plus 1; 0: they were not made */
	uint32_t rows; /* index of the first row, if the rows were made */
	uint32_t n_rows; /* valid once the rows were made for the first time */
	uint32_t pages, n_pages, page_base;
};

/* The address space whose mappings are in a place of the tables. */
struct mp_bpf_place {
	uint64_t space; /* number of the address space; 0: none */
	uint64_t state;
};

struct mp_bpf_tables {
	/* set by the caller: what makes the rows of a file */
	mp_cut_rows_fn *rows_of;
	void *rows_arg;
	/* set by the caller: the memory that the programs read; a page takes two elements */
	struct mp_bpf_row *rows;
	struct mp_bpf_space *spaces;
	uint32_t *pages;
	/* for use by the caller */
	uint32_t max_rows, max_pages, max_spaces;
	uint32_t n_rows;
	uint64_t made_files, made_spaces, rebuilds;
	/* private */
	uint32_t n_pages, sequence, next_place;
	uint32_t *free_places, n_free_places;
	struct mp_bpf_place *places; /* indexed by number of the place */
	struct mp_intmap places_of;  /* number of an address space -> index of its place + 1 */
	struct mp_bpf_file *files;   /* indexed by number of the file */
	size_t n_files;
	uint64_t rebuilt_ns; /* time of the last rebuild, which drops all tables */
};

/* `max_spaces`: at least 1. */
void mp_bpf_tables_init(struct mp_bpf_tables *t, uint32_t max_rows, uint32_t max_spaces);
void mp_bpf_tables_release(struct mp_bpf_tables *t);

/*
 * Makes the tables of an address space if they are not up to date, and sets `space` and `sequence`
 * of a task that has it. False: there is no room, or there are no mappings.
 */
bool mp_bpf_tables_update(struct mp_bpf_tables *t, const struct mp_cut_space *s,
			  struct mp_bpf_task *task);

/* To be called when an address space, or a file, no longer exists. */
void mp_bpf_tables_forget(struct mp_bpf_tables *t, uint64_t number);
void mp_bpf_tables_forget_file(struct mp_bpf_tables *t, uint32_t file);

/*
 * Forgets all address spaces and files. To be called when another writer has started, because it
 * numbers them in its own way.
 */
void mp_bpf_tables_clear(struct mp_bpf_tables *t);

#endif
