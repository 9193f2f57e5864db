// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/format/taskrecord.h"

#include <linux/perf_event.h>
#include <sys/mman.h>

#include "lib/capture/host/record.h"

/* "r-xp", as in /proc/PID/maps. */
static void put_prot(char prot[4], const struct mp_record_mmap2 *r)
{
	prot[0] = r->prot & PROT_READ ? 'r' : '-';
	prot[1] = r->prot & PROT_WRITE ? 'w' : '-';
	prot[2] = r->prot & PROT_EXEC ? 'x' : '-';
	prot[3] = r->flags & MAP_SHARED ? 's' : 'p';
}

static void parse_mmap(struct mp_record_parsed *to, struct mp_record_payload *raw,
		       const struct mp_record_mmap2 *r)
{
	const char *end = (const char *)mp_record_id(&r->header);
	size_t len = strnlen(r->filename, end - r->filename);

	to->pid = (int32_t)r->pid;
	to->tid = (int32_t)r->tid;
	raw->addr = r->addr;
	raw->bytes = r->len;
	raw->offset = r->pgoff;
	put_prot(raw->prot, r);
	raw->file = (uint32_t)len << 16 | sizeof(*raw);
	mp_buf_add(&to->raw, (const char *)raw, sizeof(*raw));
	mp_buf_add(&to->raw, r->filename, len);
}

/*
 * task:fork happens to the parent, and the payload has the child; task:exit is the other way round.
 */
static void parse_fork(struct mp_record_parsed *to, struct mp_record_payload *raw,
		       const struct mp_record_fork *r)
{
	bool birth = r->header.type == PERF_RECORD_FORK;

	to->pid = (int32_t)(birth ? r->ppid : r->pid);
	to->tid = (int32_t)(birth ? r->ptid : r->tid);
	raw->pid = (int32_t)(birth ? r->pid : r->ppid);
	raw->tid = (int32_t)(birth ? r->tid : r->ptid);
	mp_buf_add(&to->raw, (const char *)raw, sizeof(*raw));
}

bool mp_sample_of_record(const struct mp_cut_event *e, const struct perf_event_header *h,
			 struct mp_record_parsed *to)
{
	struct mp_record_payload raw = { 0 };

	if (h->type != e->record)
		return false;
	to->raw.len = 0;
	switch (h->type) {
	case PERF_RECORD_COMM:
		to->pid = (int32_t)((const struct mp_record_comm *)h)->pid;
		to->tid = (int32_t)((const struct mp_record_comm *)h)->tid;
		return e->exec == !!(h->misc & PERF_RECORD_MISC_COMM_EXEC);
	case PERF_RECORD_MMAP2:
		parse_mmap(to, &raw, (const struct mp_record_mmap2 *)h);
		return true;
	}
	parse_fork(to, &raw, (const struct mp_record_fork *)h);
	return true;
}
