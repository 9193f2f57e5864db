// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/builtin.h"

#include <stddef.h>

#include "lib/capture/host/record.h"
#include "lib/capture/host/sampled.h"
#include "lib/stream/glob.h"

#define SIZE(type, member) sizeof(((type *)0)->member)
#define NUMBER_OF(type, name, kind, member)                                          \
	{                                                                            \
		name, kind, MP_TP_FIXED, offsetof(type, member), SIZE(type, member), \
			SIZE(type, member), false, NULL                              \
	}
#define NUMBER(name, kind, member) NUMBER_OF(struct mp_record_payload, name, kind, member)

static const struct mp_tp_field fork_fields[] = {
	NUMBER("pid", MP_TP_SIGNED, pid),
	NUMBER("tid", MP_TP_SIGNED, tid),
};

static const struct mp_tp_field exit_fields[] = { NUMBER("ppid", MP_TP_SIGNED, pid) };

static const struct mp_tp_field mmap_fields[] = {
	{ "file", MP_TP_STRING, MP_TP_DATA_LOC, offsetof(struct mp_record_payload, file), 4, 1,
	  true, NULL },
	NUMBER("addr", MP_TP_HEX, addr),
	NUMBER("bytes", MP_TP_UNSIGNED, bytes),
	NUMBER("offset", MP_TP_HEX, offset),
	{ "prot", MP_TP_STRING, MP_TP_FIXED, offsetof(struct mp_record_payload, prot), 4, 1, true,
	  NULL },
};

static const struct mp_tp_field memory_fields[] = {
	NUMBER_OF(struct mp_sampled_memory, "bytes", MP_TP_UNSIGNED, bytes),
	NUMBER_OF(struct mp_sampled_memory, "processes", MP_TP_UNSIGNED, processes),
};

static const struct mp_tp_field count_fields[] = {
	NUMBER_OF(struct mp_sampled_count, "value", MP_TP_UNSIGNED, value),
	{ "share", MP_TP_STRING, MP_TP_FIXED, offsetof(struct mp_sampled_count, share),
	  SIZE(struct mp_sampled_count, share), 1, true, NULL },
};

static const struct mp_tp_field ratio_fields[] = {
	{ "value", MP_TP_STRING, MP_TP_FIXED, offsetof(struct mp_sampled_ratio, value),
	  SIZE(struct mp_sampled_ratio, value), 1, true, NULL },
	NUMBER_OF(struct mp_sampled_ratio, "count", MP_TP_UNSIGNED, count),
	NUMBER_OF(struct mp_sampled_ratio, "per", MP_TP_UNSIGNED, per),
	{ "share", MP_TP_STRING, MP_TP_FIXED, offsetof(struct mp_sampled_ratio, share),
	  SIZE(struct mp_sampled_ratio, share), 1, true, NULL },
};

#define FIELDS(v) v, MP_ARRAY_SIZE(v)

const struct mp_builtin mp_builtin_count = {
	.name = "stat:",
	.what = "counted",
	.kind = MP_BUILTIN_COUNT,
	.fields = count_fields,
	.n_fields = MP_ARRAY_SIZE(count_fields),
};

const struct mp_builtin mp_builtin_ratio = {
	.name = "stat:",
	.what = "ratio of two counters",
	.kind = MP_BUILTIN_COUNT,
	.fields = ratio_fields,
	.n_fields = MP_ARRAY_SIZE(ratio_fields),
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
