/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User stacks taken in the kernel by a BPF program (bpf/unwind.bpf.c), for tracepoints that come
 * often: its tables, made of call frame information when a process appears, shared by all that map a
 * file, and its records. 56 MiB of tables at most: 4 million rows for files, 2,048 address spaces
 * (MP_BPF_ROWS and MP_BPF_SPACES of the environment may say less); when they are full, rows are made
 * anew for those that still run, at most once a second, and spaces give way to newer ones. Who has no
 * room is content with copies.
 * Includes cut, ring.
 */
#ifndef MP_CAPTURE_BPF_BPFSTACK_H
#define MP_CAPTURE_BPF_BPFSTACK_H

#include "bpf/unwind.h"
#include "lib/capture/host/cut.h"
#include "lib/capture/ring/ring.h"

struct mp_bpf_stacks;

/* How the tables are made. */
struct mp_bpf_stacks_setup {
	mp_cut_rows_fn *rows; /* gives the rows of a file, */
	void *rows_arg;	      /* with this argument */
	bool everyone;	 /* all processes are recorded, not only those of mp_bpf_stacks_update() and
				 what they start */
	bool aggregates; /* bpfaggregate.h needs the tables, too */
};

/*
 * Loads the program for the events whose method is MP_METHOD_BPF and attaches it to their tracepoints, before
 * they are opened. Events for which that cannot be done get the method MP_METHOD_FP. NULL: nobody needs the
 * tables, or they cannot be made.
 */
struct mp_bpf_stacks *mp_bpf_stacks_open(struct mp_events *events,
					 const struct mp_bpf_stacks_setup *setup);
void mp_bpf_stacks_free(struct mp_bpf_stacks *b);

/* Puts it on those of the events that are no tracepoints, after they were opened. */
void mp_bpf_stacks_attach(struct mp_bpf_stacks *b, const struct mp_rings *rings,
			  const struct mp_events *events);

/*
 * The functions of a struct mp_cut_walker, `stacks` being the struct mp_bpf_stacks: the mappings of a process,
 * which has appeared or changed, or whose tables were dropped; and the end of an address space.
 */
void mp_bpf_stacks_update(void *stacks, const struct mp_cut_space *space);
void mp_bpf_stacks_forget(void *stacks, uint64_t number);

/* A map of the program by its name, for others that walk over the same tables. */
int mp_bpf_stacks_map(const struct mp_bpf_stacks *b, const char *name);

/*
 * Calls `each` for the records that there are, struct mp_bpf_record or mp_bpf_copy, until it returns
 * false; from another thread than the rest. Returns whether there are no more.
 */
typedef bool mp_bpf_record_fn(void *arg, const struct mp_bpf_head *record);

bool mp_bpf_stacks_read(struct mp_bpf_stacks *b, mp_bpf_record_fn *each, void *arg);

/* Readable when there are so many that they should be read at once; mp_bpf_stacks_read() clears it. */
int mp_bpf_stacks_fd(const struct mp_bpf_stacks *b);

/* What was made, for -v. */
struct mp_bpf_stacks_counts {
	uint64_t rows, files, spaces,
		anew;	       /* in use; files and spaces made; how often rows were made anew */
	uint64_t dropped;      /* records that did not fit */
	uint64_t runs, run_ns; /* of the programs that take stacks, with kernel.bpf_stats_enabled */
};

void mp_bpf_stacks_counts(const struct mp_bpf_stacks *b, struct mp_bpf_stacks_counts *counts);

#endif
