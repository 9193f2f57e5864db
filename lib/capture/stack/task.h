/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tasks of the traced machine, with their names, processes and mappings, by the kernel's
 * records. These come in order of time, so that a sample finds the name and the mappings of its own
 * time. Includes budget, intmap, map, proc, task_log, work.
 */
#ifndef MP_CAPTURE_STACK_TASK_H
#define MP_CAPTURE_STACK_TASK_H

#include "lib/capture/host/budget.h"
#include "lib/capture/host/proc.h"
#include "lib/capture/host/work.h"
#include "lib/capture/stack/space.h"
#include "lib/capture/stack/task_log.h"
#include "lib/core/intmap.h"
#include "lib/core/map.h"

/* The data that the threads of a process share. */
struct mp_process {
	unsigned refs;
	pid_t pid;
	uid_t uid;	 /* see mp_tasks_who() */
	uint64_t uid_ns; /* when the uid was read; 0: it was not read, or has changed */
	bool tables; /* the kernel side has the mappings, see walk_tables.h; of its children too */
	uint64_t unsent_ns;	/* time of the mappings that are not sent yet; 0: all are sent */
	uint64_t sent, sent_ns; /* state of the mappings that were sent last, and when */
	struct mp_space *space;
	uint64_t scanned_ns;	/* when /proc was about to be read; 0: it was not */
	uint64_t scan_ended_ns; /* when it had been read */
	uint64_t read_again_ns; /* when mappings were read since they seemed to be too many */
	bool crowded;		/* there really are too many */
	/*
	 * for the kernel side, which walks the current stacks while older samples are handled here
	 */
	struct mp_space *ahead; /* mappings read from /proc after those of `space`; or NULL */
	uint64_t ahead_ns;	/* time just before `ahead` was read */
	/* time of the last record of a mapping or execve() that was received */
	uint64_t changed_ns;
};

struct mp_task {
	pid_t tid;
	pid_t source; /* if not 0, only events opened on this task are recorded for it */
	struct mp_process *process;
	uint64_t dead_ns;  /* time at which the task ended; 0: it is alive */
	uint64_t named_ns; /* time of the record that its name is from; 0: of none */
	char comm[64];	   /* name of the task, not escaped */
	uint8_t comm_len;
	bool restored; /* another writer knew its name, which is that before the next record */
	uint32_t slot; /* in the log; 0: it is not there */
	/* its ids in its own pid namespace; inner_tid 0: not read yet; -1: unknown */
	pid_t inner_pid, inner_tid;
	/*
	 * the text "pid= tid= comm=" as the formatter writes it, and where each field ends;
	 * text_len is 0 after a change
	 */
	uint16_t pid_len, tid_end, text_len;
	char text[4 * 64 + 48];
};

struct mp_tasks;

/* Finds or creates the file of a mapping of a process. */
typedef struct mp_dso *mp_tasks_dso_fn(void *arg, const struct mp_proc_map *map,
				       struct mp_tasks *tasks, struct mp_process *process);

struct mp_tasks {
	struct mp_intmap by_tid; /* -> struct mp_task */
	uint64_t next_space;
	mp_tasks_dso_fn *dso;
	void *dso_arg;
	struct mp_budget *budget; /* set by the caller; NULL: no limits */
	struct mp_work *work;	  /* set by the caller, or NULL */
	struct mp_task_log *log;  /* set by the caller, or NULL: for another writer */
	void (*gone)(void *arg, const struct mp_space *space); /* or NULL */
	void *gone_arg;
	/* the ids that running tasks have in their own pid namespaces are read at once */
	bool inner;
	/*
	 * set by lib/capture/ring/attach.c: the values of mp_task.source for tasks that are
	 * not created yet
	 */
	struct mp_pids sources;
};

/* `dso` NULL: mappings are not kept. */
void mp_tasks_init(struct mp_tasks *t, mp_tasks_dso_fn *dso, void *arg);
void mp_tasks_release(struct mp_tasks *t);

/*
 * Adds the tasks that another writer has known, without mappings. To be called before any scan.
 * `number` is that of its state, see mp_task_log_restore().
 */
void mp_tasks_restore(struct mp_tasks *t, uint64_t number);

/*
 * Adds a process with its threads and mappings, from /proc. Records of earlier times are still
 * applied to it, see mp_tasks_foresee().
 */
void mp_tasks_scan(struct mp_tasks *t, pid_t pid);

/*
 * The task of a tid, never NULL. An unknown task is created: from /proc, or with the name ":TID" if
 * it has ended. `pid` is -1 if it is not known, as in samples of a task that is exiting.
 */
struct mp_task *mp_tasks_get(struct mp_tasks *t, pid_t pid, pid_t tid);
struct mp_task *mp_tasks_find(const struct mp_tasks *t, pid_t tid);

/*
 * The user of a process, to be charged for it or for a file that it uses. Meant for cache misses.
 * It reads the uid again at most once a second, and after an execve(), since a daemon changes its
 * user after its fork(). Valid until the task changes.
 */
struct mp_budget_who mp_tasks_who(const struct mp_tasks *t, struct mp_process *p, const char *file);

/*
 * To be called for a record of a new name before any event of its time or earlier is handled. If
 * the scan of the task ended later than that, the task had another name until then, and before an
 * execve() it had other mappings, which are not known. The kernel side keeps those that were read.
 */
void mp_tasks_foresee(struct mp_tasks *t, pid_t tid, uint64_t time_ns, bool exec);

/* To be called for a record of a mapping or execve() when it is received. */
void mp_tasks_changed(struct mp_tasks *t, pid_t tid, uint64_t time_ns);

/*
 * Reads the current mappings of a process, if it still runs, and drops them once `space` has them.
 */
void mp_tasks_look_ahead(struct mp_tasks *t, struct mp_process *p);
void mp_tasks_caught_up(struct mp_tasks *t, struct mp_process *p);

/*
 * Apply the kernel's records. One that comes after a later record of its task, as on a busy machine
 * or in another writer, does not take the name away that the task got from that.
 */
void mp_tasks_comm(struct mp_tasks *t, pid_t pid, pid_t tid, struct mp_str comm, bool exec,
		   uint64_t time_ns);
void mp_tasks_fork(struct mp_tasks *t, pid_t pid, pid_t tid, pid_t parent_pid, pid_t parent_tid,
		   uint64_t time_ns);
void mp_tasks_exit(struct mp_tasks *t, pid_t tid, uint64_t time_ns);
void mp_tasks_mmap(struct mp_tasks *t, pid_t pid, pid_t tid, const struct mp_proc_map *map);

/* Removes tasks that ended before `before_ns`. */
void mp_tasks_prune(struct mp_tasks *t, uint64_t before_ns);

#endif
