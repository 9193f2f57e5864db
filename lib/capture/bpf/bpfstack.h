/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A BPF program (bpf/unwind.bpf.c) walks user stacks in the kernel, for frequent events. This
 * module fills its tables when a process appears, and reads its records. Processes that map the
 * same file share its rows. The tables take 56 MiB at most: 4 million rows of files and 2,048
 * address spaces (less with MP_BPF_ROWS and MP_BPF_SPACES in the environment). When the rows are
 * full, all tables are dropped and rebuilt for the processes that still run, at most once a second;
 * when all places for address spaces are in use, a new one gets the oldest place. A process without
 * tables gets copies of its stacks, which user space walks. Includes cut, ring.
 */
#ifndef MP_CAPTURE_BPF_BPFSTACK_H
#define MP_CAPTURE_BPF_BPFSTACK_H

#include "bpf/unwind.h"
#include "lib/capture/host/cut.h"
#include "lib/capture/ring/ring.h"

struct mp_bpf_stacks;

/* The parameters of mp_bpf_stacks_open(). */
struct mp_bpf_stacks_setup {
	mp_cut_rows_fn *rows; /* function that makes the rows of a file */
	void *rows_arg;	      /* argument of `rows` */
	/*
	 * every process is recorded, including those that have no tables and are not children of
	 * those that have
	 */
	bool everyone;
	uint32_t copy_bytes;		     /* of a copy of a stack */
	uint32_t writer_uids, n_writer_uids; /* see struct mp_sandbox_uids */
	bool aggregates;		     /* bpfaggregate.h uses the tables, too */
};

/*
 * Loads the programs for the events whose method is MP_METHOD_BPF and attaches them to their
 * tracepoints, before they are opened. Events for which that is impossible get another method, see
 * mp_event_without_bpf(). Returns NULL if the tables are not needed, or cannot be made.
 */
struct mp_bpf_stacks *mp_bpf_stacks_open(struct mp_events *events,
					 const struct mp_bpf_stacks_setup *setup);
void mp_bpf_stacks_free(struct mp_bpf_stacks *b);

/* Attaches the programs to those of the events that are not tracepoints, after they were opened. */
void mp_bpf_stacks_attach(struct mp_bpf_stacks *b, const struct mp_rings *rings,
			  const struct mp_events *events);

/*
 * Lets the programs take stacks, immediately before the events are enabled: earlier ones would fill
 * the ring, and the first samples would have none. `b` may be NULL.
 */
void mp_bpf_stacks_start(struct mp_bpf_stacks *b);

/*
 * The functions of a struct mp_cut_walker; `stacks` is the struct mp_bpf_stacks. The first gets the
 * mappings of a process that has appeared or changed, or whose tables were dropped; the others
 * report the end of an address space, and of a file.
 */
void mp_bpf_stacks_update(void *stacks, const struct mp_cut_space *space);
void mp_bpf_stacks_forget(void *stacks, uint64_t number);
void mp_bpf_stacks_forget_file(void *stacks, uint32_t file);

/* Drops all tables, and what their numbers mean: another writer takes over. `b` may be NULL. */
void mp_bpf_stacks_clear(struct mp_bpf_stacks *b);

/*
 * File descriptor of a map of the program by the map's name, for other programs that use the same
 * tables.
 */
int mp_bpf_stacks_map(const struct mp_bpf_stacks *b, const char *name);

/*
 * Calls `each` for the available records, struct mp_bpf_record or mp_bpf_copy, until it returns
 * false. It may run in another thread than the other functions. Returns whether all were read.
 */
typedef bool mp_bpf_record_fn(void *arg, const struct mp_bpf_head *record);

bool mp_bpf_stacks_read(struct mp_bpf_stacks *b, mp_bpf_record_fn *each, void *arg);

/* Calls `each` for each user whose stacks were not copied because the share was used up. */
typedef void mp_bpf_copier_fn(void *arg, uint32_t uid, const struct mp_bpf_copier *copier);

void mp_bpf_stacks_copiers(const struct mp_bpf_stacks *b, mp_bpf_copier_fn *each, void *arg);

/* Readable when many records wait, so that they are read soon; mp_bpf_stacks_read() clears it. */
int mp_bpf_stacks_fd(const struct mp_bpf_stacks *b);

/*
 * Totals for -v: rows in use; files and address spaces that had tables; how often all tables were
 * rebuilt.
 */
struct mp_bpf_stacks_counts {
	uint64_t rows, files, spaces, rebuilds;
	uint64_t dropped; /* records that did not fit into the ring */
	/* runs of the programs and their time, if kernel.bpf_stats_enabled is set */
	uint64_t runs, run_ns;
};

void mp_bpf_stacks_counts(const struct mp_bpf_stacks *b, struct mp_bpf_stacks_counts *counts);

#endif
