// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/ring/track_share.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/capture/host/proc.h"

enum {
	WINDOW_NS = 100000000,
	FREE_BYTES = 1 << 20, /* of a window, are admitted without finding out whose they are */
	LOW_BYTES = 4 << 20,  /* the next window begins when no more than this waits in the queue */
	UIDS_MAX = 64 << 10,
};

void mp_track_share_init(struct mp_track_share *s, const char *subuid)
{
	*s = (struct mp_track_share){ .n_refused = 0 };
	mp_budget_init(&s->budget, subuid);
	s->budget.trusted = getuid();
	mp_intmap_init(&s->uids);
}

void mp_track_share_release(struct mp_track_share *s)
{
	mp_budget_release(&s->budget);
	mp_intmap_release(&s->uids);
}

void mp_track_share_begin(struct mp_track_share *s, uint64_t now_ns, size_t queued)
{
	if (now_ns - s->window_ns < WINDOW_NS || queued > LOW_BYTES)
		return;
	s->window_ns = now_ns;
	if (s->bytes > FREE_BYTES) {
		mp_budget_renew(&s->budget, MP_BUDGET_TRACK);
		mp_intmap_clear(&s->uids);
	}
	s->bytes = 0;
}

static void set_uid(struct mp_track_share *s, uint32_t pid, uint64_t value)
{
	struct mp_intmap_entry *e = mp_intmap_find(&s->uids, pid);

	if (e->value) {
		e->value = value;
		return;
	}
	if (mp_intmap_bytes(&s->uids) > UIDS_MAX * sizeof(*e))
		mp_intmap_clear(&s->uids);
	mp_intmap_add(&s->uids, pid, value);
}

static uid_t uid_of(struct mp_track_share *s, uint32_t pid)
{
	uint64_t known = mp_intmap_get(&s->uids, pid);

	if (!known) {
		known = (uint64_t)mp_proc_uid((pid_t)pid) + 1;
		set_uid(s, pid, known);
	}
	return (uid_t)(known - 1);
}

/* A child has the user of its parent, and may have ended when its records come. */
static void note_fork(struct mp_track_share *s, const struct mp_record_fork *r)
{
	if (r->pid != r->ppid)
		set_uid(s, r->pid, (uint64_t)uid_of(s, r->ppid) + 1);
}

static void note_exit(struct mp_track_share *s, const struct mp_record_fork *r)
{
	struct mp_intmap_entry *e = mp_intmap_find(&s->uids, r->pid);

	if (e->value && r->pid == r->tid)
		mp_intmap_remove(&s->uids, e);
}

/* The file of a record of a mapping. */
static const char *file_of(const struct perf_event_header *h)
{
	const struct mp_record_mmap2 *r = (const struct mp_record_mmap2 *)h;

	return h->type == PERF_RECORD_MMAP2 ? r->filename : "";
}

static void refuse(struct mp_track_share *s, const struct mp_budget_who *who,
		   const struct perf_event_header *h)
{
	struct mp_record_refused *r;
	size_t i;

	for (i = 0; i < s->n_refused && s->refused[i].uid != who->uid; i++)
		;
	i = MP_MIN(i, (size_t)MP_TRACK_REFUSALS - 1); /* if more, the last one gets the rest */
	r = &s->refused[i];
	if (i == s->n_refused) {
		s->n_refused++;
		*r = (struct mp_record_refused){
			.header = { .type = MP_TRACK_REFUSED, .size = sizeof(*r) },
			.kind = MP_BUDGET_TRACK,
			.uid = who->uid,
			.pid = (uint32_t)who->pid,
		};
		snprintf(r->file, sizeof(r->file), "%s", file_of(h));
	}
	r->n++;
	r->id.time_ns = mp_record_time(h);
}

bool mp_track_share_admits(struct mp_track_share *s, const struct perf_event_header *h)
{
	const struct mp_record_comm *r = (const struct mp_record_comm *)h;
	struct mp_budget_who who = { .uid = MP_BUDGET_UNKNOWN };

	s->bytes += h->size;
	if (s->bytes <= FREE_BYTES)
		return true;
	if (h->type == PERF_RECORD_FORK)
		note_fork(s, (const struct mp_record_fork *)h);
	if (h->type == PERF_RECORD_EXIT)
		note_exit(s, (const struct mp_record_fork *)h);
	if (h->type != PERF_RECORD_MMAP2 &&
	    (h->type != PERF_RECORD_COMM || h->misc & PERF_RECORD_MISC_COMM_EXEC))
		return true;
	who.uid = uid_of(s, r->pid);
	who.pid = (pid_t)r->pid;
	if (who.uid == 0 || who.uid == s->budget.trusted ||
	    mp_budget_take(&s->budget, MP_BUDGET_TRACK, &who, h->size))
		return true;
	s->bytes -= h->size;
	refuse(s, &who, h);
	return false;
}

void mp_track_share_report(struct mp_track_share *s, struct mp_queue_filler *filler)
{
	size_t i;

	for (i = 0; i < s->n_refused; i++)
		mp_queue_put(filler, &s->refused[i].header);
	s->n_refused = 0;
}
