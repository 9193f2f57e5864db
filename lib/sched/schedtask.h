/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the tasks of the scheduler's state machine, and finds them by id. Includes intmap, schedin.
 */
#ifndef MP_SCHED_SCHEDTASK_H
#define MP_SCHED_SCHEDTASK_H

#include "lib/core/intmap.h"
#include "lib/sched/schedin.h"

struct mp_sched_waker {
	int32_t tid; /* id of the waker; -1: unknown */
	int32_t cpu; /* the CPU on which it ran; -1: unknown */
	bool has_comm;
	struct mp_buf comm;
};

/* A task: a thread. */
struct mp_sched_task {
	struct mp_sched_task *prev, *next; /* neighbours in order of appearance */
	void *user;			   /* for the caller's use; NULL at first */
	int32_t tid, pid;		   /* pid -1: unknown */
	int32_t prio;			   /* MP_SCHED_NO_PRIO: unknown */
	enum mp_sched_state state;
	bool cut; /* the state began before since_ns */
	bool exiting;
	bool guest; /* it is MP_SCHED_RUN, and in a guest since since_ns */
	uint64_t since_ns;
	uint64_t lost;	     /* the value that mp_sched.lost had at since_ns */
	int32_t cpu;	     /* the CPU on which the task runs, waits or ran last; -1: unknown */
	int32_t last_cpu;    /* the CPU on which the task ran last; -1: unknown */
	uint32_t moves;	     /* how often it ran on another CPU than before */
	uint32_t migrations; /* how often the kernel reported a migration */
	bool has_comm;
	struct mp_buf comm, stack;
	struct mp_sched_waker waker;
};

struct mp_sched_tasks {
	struct mp_intmap by_tid; /* tid -> struct mp_sched_task */
	struct mp_sched_task *first, *last;
};

void mp_sched_tasks_init(struct mp_sched_tasks *all);
void mp_sched_tasks_release(struct mp_sched_tasks *all);

/* The task with this id, or NULL if there is none. */
struct mp_sched_task *mp_sched_task_find(const struct mp_sched_tasks *all, int32_t tid);

/* Creates a task of an id that no other has. Its name, process and priority are unknown. */
struct mp_sched_task *mp_sched_task_new(struct mp_sched_tasks *all, int32_t tid);
void mp_sched_task_free(struct mp_sched_tasks *all, struct mp_sched_task *t);

/* Sets what an event reports: the name, unless comm.p is NULL, and a known priority. */
void mp_sched_task_name(struct mp_sched_task *t, struct mp_str comm, int32_t prio);

/* Sets who woke it. */
void mp_sched_task_woken(struct mp_sched_task *t, int32_t tid, int32_t cpu, struct mp_str comm);

#endif
