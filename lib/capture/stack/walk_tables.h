/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sends what the kernel side needs to walk user stacks, as plain structs of cut.h: the mappings of
 * processes, and rows made of the call frame information of their files. Includes cut, dso, task.
 */
#ifndef MP_CAPTURE_STACK_WALK_TABLES_H
#define MP_CAPTURE_STACK_WALK_TABLES_H

#include "lib/capture/host/cut.h"
#include "lib/capture/stack/dso.h"
#include "lib/capture/stack/task.h"

struct mp_walk_tables {
	struct mp_cut_walker walker;		  /* the receiver of mappings */
	struct mp_dsos *dsos;			  /* borrowed */
	struct mp_tasks *tasks;			  /* borrowed */
	struct mp_pids changed;			  /* tasks whose mappings are to be sent */
	struct mp_cut_mapping v[MP_BPF_MAPPINGS]; /* mappings of the current process */
	bool ended;				  /* recording has ended, so updates do nothing */
	uint64_t looked_ns;			  /* when /proc was last read for a copy */
	/* private: number of an address space -> uid + 1 of who is charged for its tables */
	struct mp_intmap charged;
};

/* To be called after the members above were set. */
void mp_walk_tables_init(struct mp_walk_tables *t);
void mp_walk_tables_release(struct mp_walk_tables *t);

/*
 * Sends the mappings that a process has since `time_ns`, because it is new, they have changed, or
 * the kernel side has no tables for it. If later mappings were read ahead, sends those. After this
 * call the process and its children have tables.
 */
void mp_walk_tables_update(struct mp_walk_tables *t, struct mp_process *process, uint64_t time_ns);

/*
 * Notes that the process of a task has other mappings since `time_ns`, or is new. The next
 * mp_walk_tables_flush() sends them, once for all changes.
 */
void mp_walk_tables_changed(struct mp_walk_tables *t, const struct mp_task *task, uint64_t time_ns);
void mp_walk_tables_flush(struct mp_walk_tables *t);

/*
 * To be called when a copy of a stack arrives: the copy is handled later, and until then more would
 * come. Sends tables if the task has none, or if records before `merged_ns` do not have its current
 * mappings yet, which are then read from /proc.
 */
void mp_walk_tables_copied(struct mp_walk_tables *t, pid_t tid, uint64_t merged_ns);

/*
 * Reports that an address space no longer exists. For mp_tasks.gone; `tables` is the struct
 * mp_walk_tables.
 */
void mp_walk_tables_forget(void *tables, const struct mp_space *space);

/* Reports that a file no longer exists. A function for mp_dsos.gone; `tables` as above. */
void mp_walk_tables_forget_file(void *tables, uint32_t file);

/* Makes the rows of a file. An mp_cut_rows_fn; `dsos` is the struct mp_dsos. */
void mp_walk_tables_rows(void *dsos, uint32_t file, struct mp_cut_rows *answer);

#endif
