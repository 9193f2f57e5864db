/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses the scheduler's events: the fields that mp-sched uses, as numbers. Includes rec only.
 */
#ifndef MP_SCHED_SCHEDIN_H
#define MP_SCHED_SCHEDIN_H

#include "lib/stream/rec.h"

enum mp_sched_what {
	MP_SCHED_OTHER, /* an event that mp-sched does not use */
	MP_SCHED_SWITCH,
	MP_SCHED_WAKING,
	MP_SCHED_WAKEUP,
	MP_SCHED_WAKEUP_NEW,
	MP_SCHED_MIGRATE,
	MP_SCHED_FORK,
	MP_SCHED_EXIT,
	MP_SCHED_EXEC,
	MP_SCHED_KVM_ENTRY,
	MP_SCHED_KVM_EXIT,
	MP_SCHED_WHATS,
};

enum mp_sched_state {
	MP_SCHED_RUN,
	MP_SCHED_GUEST, /* of spans only: a task that is MP_SCHED_RUN, and in a guest */
	MP_SCHED_WAIT,
	MP_SCHED_PREEMPTED,
	MP_SCHED_SLEEP,
	MP_SCHED_BLOCK,
	MP_SCHED_STOPPED,
	MP_SCHED_IDLE,
	MP_SCHED_UNKNOWN,
	/* number of states of spans; a task may also be in one of these: */
	MP_SCHED_STATES,
	MP_SCHED_NEW = MP_SCHED_STATES, /* created, not yet runnable */
	MP_SCHED_DEAD,
};

/* The fields that mp-sched uses; events have different names for them. */
enum mp_sched_field {
	MP_SCHED_F_NONE, /* a field that mp-sched does not use */
	MP_SCHED_F_HOST,
	MP_SCHED_F_CPU,
	MP_SCHED_F_PID,
	MP_SCHED_F_TID,
	MP_SCHED_F_COMM,
	MP_SCHED_F_TASK,      /* .prev_pid, .pid or .child_pid */
	MP_SCHED_F_TASK_COMM, /* .prev_comm, .comm or .child_comm */
	MP_SCHED_F_TASK_PRIO, /* .prev_prio or .prio */
	MP_SCHED_F_STATE,     /* .prev_state */
	MP_SCHED_F_NEXT,
	MP_SCHED_F_NEXT_COMM,
	MP_SCHED_F_NEXT_PRIO,
	MP_SCHED_F_TARGET, /* .target_cpu or .dest_cpu */
	MP_SCHED_F_OLD,	   /* .old_pid */
	MP_SCHED_F_STACK,
	MP_SCHED_FIELDS,
};

/*
 * The keys of the latest event of a type, in their order: most events have the same keys as the
 * previous one.
 */
struct mp_sched_layout {
	struct {
		char key[30]; /* name of the field with its '=' */
		uint8_t len;
		uint8_t field;
	} v[24];
};

struct mp_sched_reader {
	struct mp_sched_layout layouts[MP_SCHED_WHATS];
};

enum { MP_SCHED_CPU_MAX = 65535, MP_SCHED_COMM_MAX = 255, MP_SCHED_NO_PRIO = INT32_MIN };

/*
 * Where the event lacks a field, a number is -1 (as the tid of a task that has ended may be, too),
 * a priority MP_SCHED_NO_PRIO, and the p of a text NULL.
 */
struct mp_sched_event {
	enum mp_sched_what what;
	uint64_t time_ns;
	struct mp_str host;
	int32_t cpu, pid, tid; /* the CPU and the context in which it happened */
	struct mp_str comm;
	int32_t task; /* the thread that the event is about; of a switch, the one switched out */
	struct mp_str task_comm;
	int32_t task_prio;
	struct mp_str state; /* switch: .prev_state, see mp_sched_prev_state() */
	int32_t next;
	struct mp_str next_comm;
	int32_t next_prio;
	int32_t target_cpu; /* the CPU to which a wake-up or a migration moves the task */
	int32_t old;	    /* in exec: the previous id of `task` */
	struct mp_str stack;
};

/* The kind of events of a type; those of the scheduler may begin with "sched:". */
enum mp_sched_what mp_sched_what(struct mp_str type);

/*
 * Parses an event of `what`; slices point into the record. Returns 0, or -1 with `*why`: a field is
 * missing or is not a number.
 */
int mp_sched_read(struct mp_sched_reader *r, enum mp_sched_what what, const struct mp_rec *rec,
		  struct mp_sched_event *e, const char **why);

/*
 * The state of a task that was switched out with this prev_state, which is a number or letters.
 *
 * Numbers: bits 1 S, 2 D, 4 T, 8 t, 0x10 and 0x20 X and Z are the same in all kernels. Since 4.14
 * the event has one bit, one of these or 0x40 P, 0x80 I, 0x100 preempted (include/linux/sched.h,
 * TASK_REPORT; include/trace/events/sched.h, __trace_sched_switch_state). Earlier kernels print the
 * task's own bits: 0x40 dead, 0x200 parked, 0x402 idle sleep, 0x1000 (0x800 until 4.7) preempted.
 * `exiting`: sched_process_exit precedes it, so that 0x40 is dead. Returns 0, or -1 if it is
 * unknown.
 */
int mp_sched_prev_state(struct mp_str text, bool exiting, enum mp_sched_state *state);

#endif
