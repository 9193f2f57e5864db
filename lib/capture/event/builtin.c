// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/builtin.h"

#include <stddef.h>
#include <sys/mman.h>

#include "lib/capture/host/record.h"
#include "lib/capture/host/sampled.h"
#include "lib/stream/glob.h"

/* The payload of the kernel's records, for all events; texts follow it. */
struct raw {
	uint64_t addr, bytes, offset;
	int32_t pid, tid;
	uint32_t file; /* length and offset, as in __data_loc */
	char prot[4];
};

#define SIZE(type, member) sizeof(((type *)0)->member)
#define NUMBER_OF(type, name, kind, member)                                          \
	{                                                                            \
		name, kind, MP_TP_FIXED, offsetof(type, member), SIZE(type, member), \
			SIZE(type, member), false                                    \
	}
#define NUMBER(name, kind, member) NUMBER_OF(struct raw, name, kind, member)

static const struct mp_tp_field fork_fields[] = {
	NUMBER("pid", MP_TP_SIGNED, pid),
	NUMBER("tid", MP_TP_SIGNED, tid),
};

static const struct mp_tp_field exit_fields[] = { NUMBER("ppid", MP_TP_SIGNED, pid) };

static const struct mp_tp_field mmap_fields[] = {
	{ "file", MP_TP_STRING, MP_TP_DATA_LOC, offsetof(struct raw, file), 4, 1, true },
	NUMBER("addr", MP_TP_HEX, addr),
	NUMBER("bytes", MP_TP_UNSIGNED, bytes),
	NUMBER("offset", MP_TP_HEX, offset),
	{ "prot", MP_TP_STRING, MP_TP_FIXED, offsetof(struct raw, prot), 4, 1, true },
};

static const struct mp_tp_field memory_fields[] = {
	NUMBER_OF(struct mp_sampled_memory, "bytes", MP_TP_UNSIGNED, bytes),
	NUMBER_OF(struct mp_sampled_memory, "processes", MP_TP_UNSIGNED, processes),
};

static const struct mp_tp_field count_fields[] = {
	NUMBER_OF(struct mp_sampled_count, "value", MP_TP_UNSIGNED, value),
	{ "share", MP_TP_STRING, MP_TP_FIXED, offsetof(struct mp_sampled_count, share),
	  SIZE(struct mp_sampled_count, share), 1, true },
};

#define FIELDS(v) v, MP_ARRAY_SIZE(v)

const struct mp_builtin mp_builtin_count = {
	.name = "stat:",
	.what = "counted",
	.kind = MP_BUILTIN_COUNT,
	.fields = count_fields,
	.n_fields = MP_ARRAY_SIZE(count_fields),
};

static const struct mp_builtin all[] = {
	{ "mem:pss", "memory of processes, shared pages in proportion, read at an interval",
	  MP_BUILTIN_PSS, FIELDS(memory_fields), 0, false },
	{ "mem:rss", "resident memory of processes, read at an interval", MP_BUILTIN_RSS,
	  FIELDS(memory_fields), 0, false },
	{ "task:comm", "a thread is renamed", MP_BUILTIN_RECORD, NULL, 0, PERF_RECORD_COMM, false },
	{ "task:exec", "a program starts", MP_BUILTIN_RECORD, NULL, 0, PERF_RECORD_COMM, true },
	{ "task:exit", "a thread exits", MP_BUILTIN_RECORD, FIELDS(exit_fields), PERF_RECORD_EXIT,
	  false },
	{ "task:fork", "a thread or process is created", MP_BUILTIN_RECORD, FIELDS(fork_fields),
	  PERF_RECORD_FORK, false },
	{ "task:mmap", "code is mapped", MP_BUILTIN_RECORD, FIELDS(mmap_fields), PERF_RECORD_MMAP2,
	  false },
};

size_t mp_builtin_each(const char *glob, mp_builtin_fn *each, void *arg)
{
	size_t n = 0, i;

	for (i = 0; i < MP_ARRAY_SIZE(all); i++) {
		if (!mp_glob_plain(glob, all[i].name))
			continue;
		each(arg, &all[i]);
		n++;
	}
	return n;
}

void mp_builtin_set_attr(const struct mp_builtin *own, struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->config = PERF_COUNT_SW_DUMMY;
	attr->sample_period = 1;
	attr->exclude_kernel = 1; /* so that unprivileged users may open it, too */
	attr->exclude_hv = 1;
	attr->task = own->record == PERF_RECORD_FORK || own->record == PERF_RECORD_EXIT;
	attr->mmap = attr->mmap2 = own->record == PERF_RECORD_MMAP2;
	attr->comm = attr->comm_exec = own->record == PERF_RECORD_COMM;
}

/* "r-xp", as in /proc/PID/maps. */
static void put_prot(char prot[4], const struct mp_record_mmap2 *r)
{
	prot[0] = r->prot & PROT_READ ? 'r' : '-';
	prot[1] = r->prot & PROT_WRITE ? 'w' : '-';
	prot[2] = r->prot & PROT_EXEC ? 'x' : '-';
	prot[3] = r->flags & MAP_SHARED ? 's' : 'p';
}

static void parse_mmap(struct mp_builtin_record *to, struct raw *raw,
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
static void parse_fork(struct mp_builtin_record *to, struct raw *raw,
		       const struct mp_record_fork *r)
{
	bool birth = r->header.type == PERF_RECORD_FORK;

	to->pid = (int32_t)(birth ? r->ppid : r->pid);
	to->tid = (int32_t)(birth ? r->ptid : r->tid);
	raw->pid = (int32_t)(birth ? r->pid : r->ppid);
	raw->tid = (int32_t)(birth ? r->tid : r->ptid);
	mp_buf_add(&to->raw, (const char *)raw, sizeof(*raw));
}

bool mp_builtin_parse(const struct mp_builtin *own, const struct perf_event_header *h,
		      struct mp_builtin_record *to)
{
	struct raw raw = { 0 };

	if (h->type != own->record)
		return false;
	to->raw.len = 0;
	switch (h->type) {
	case PERF_RECORD_COMM:
		to->pid = (int32_t)((const struct mp_record_comm *)h)->pid;
		to->tid = (int32_t)((const struct mp_record_comm *)h)->tid;
		return own->exec == !!(h->misc & PERF_RECORD_MISC_COMM_EXEC);
	case PERF_RECORD_MMAP2:
		parse_mmap(to, &raw, (const struct mp_record_mmap2 *)h);
		return true;
	}
	parse_fork(to, &raw, (const struct mp_record_fork *)h);
	return true;
}
