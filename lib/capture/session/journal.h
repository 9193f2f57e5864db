/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the writer has done, in memory that outlives it: its state at a moment between two records,
 * the output up to that moment that may not have been written yet, and the file or process that it
 * works on (work.h). If the writer dies, another one continues from there, so that no event is
 * written twice, or lost.
 *
 * The state is saved into the older one of two slots, which then becomes the valid one, so a writer
 * may die at any time. Nobody trusts the content: one that has been taken over may have written it.
 * Includes base, work.
 */
#ifndef MP_CAPTURE_SESSION_JOURNAL_H
#define MP_CAPTURE_SESSION_JOURNAL_H

#include "lib/capture/host/work.h"
#include "lib/core/base.h"

struct mp_journal;

/*
 * Makes a journal for a state of `state_bytes` in all, with `more_bytes` for the caller's use. Ends
 * the program on failure.
 */
struct mp_journal *mp_journal_new(size_t state_bytes, size_t more_bytes);

/* For the writer: maps the journal of this descriptor, which may be closed afterwards. */
struct mp_journal *mp_journal_attach(int fd, size_t more_bytes);
void mp_journal_free(struct mp_journal *j);

/* The descriptor, for the writer; borrowed. */
int mp_journal_fd(const struct mp_journal *j);

/* A part of the state: memory without pointers. */
struct mp_journal_part {
	void *p;
	size_t size;
};

/* The parts, always the same and in the same order, and how many there are. */
void mp_journal_save(struct mp_journal *j, const struct mp_journal_part *parts, size_t n);

/* Restores what was saved last. False: nothing was saved. */
bool mp_journal_load(const struct mp_journal *j, const struct mp_journal_part *parts, size_t n);

/* The output of the writer that may not have been written yet. */
enum { MP_JOURNAL_BUFFER = 2 << 20 };

char *mp_journal_buffer(struct mp_journal *j);

/* The bytes for the caller's use, at first 0, aligned for any type. */
void *mp_journal_more(struct mp_journal *j);

/* What the writer works on, indexed by level. */
struct mp_work_step *mp_journal_work(struct mp_journal *j);

/* A number that changes when records were handled. If it does not, each writer dies of the same. */
void mp_journal_set_progress(struct mp_journal *j, uint64_t progress);
uint64_t mp_journal_progress(const struct mp_journal *j);

#endif
