/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names and ids of tasks, in memory that outlives the writer: if it dies, the next one cannot
 * read those of tasks that have ended from /proc. An entry has two values, one of them for the state
 * that the writer saved last, so that the next one continues from that state. What does not fit is
 * not kept. Nobody trusts the content. Includes base only.
 */
#ifndef MP_CAPTURE_STACK_TASK_LOG_H
#define MP_CAPTURE_STACK_TASK_LOG_H

#include "lib/core/base.h"

/* How much memory it gets, for 64 Ki tasks. Only what is used takes memory. */
#define MP_TASK_LOG_BYTES ((size_t)16 << 20)

/* What is kept of a task. Without pointers. */
struct mp_task_logged {
	int32_t tid, pid;
	int32_t source, inner_pid, inner_tid;
	uint16_t is; /* 0: the entry is not in use */
	uint16_t comm_len;
	uint64_t dead_ns, named_ns;
	char comm[64];
};

struct mp_task_log;

/* Uses memory of MP_TASK_LOG_BYTES, which is zeroed, or has what another writer has left. */
struct mp_task_log *mp_task_log_new(void *memory);
void mp_task_log_free(struct mp_task_log *l);

/* Sets what is known of a task. `*slot` is 0 for a new one; the caller keeps it. */
void mp_task_log_put(struct mp_task_log *l, uint32_t *slot, const struct mp_task_logged *task);
void mp_task_log_remove(struct mp_task_log *l, uint32_t slot);

/* To be called when the state was saved, with a number that is greater each time and is part of it. */
void mp_task_log_saved(struct mp_task_log *l, uint64_t number);

/* Restores the state with this number, 0: before the first one was saved. */
void mp_task_log_restore(struct mp_task_log *l, uint64_t number);

typedef void mp_task_log_fn(void *arg, uint32_t slot, const struct mp_task_logged *task);

/* Calls `each` for all tasks. */
void mp_task_log_each(const struct mp_task_log *l, mp_task_log_fn *each, void *arg);

#endif
