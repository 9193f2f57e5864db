// SPDX-License-Identifier: GPL-2.0-only
/* Makes records as the kernel does, and tests the payloads of task:exec and similar events. */
#include <stdlib.h>
#include <string.h>

#include "lib/capture/event/builtin.h"
#include "lib/capture/format/taskrecord.h"
#include "lib/capture/host/record.h"
#include "tests/unit/tap.h"

static union {
	struct perf_event_header header;
	struct mp_record_comm comm;
	struct mp_record_fork fork;
	struct mp_record_mmap2 mmap;
	char bytes[8192];
} record;

static struct mp_record_parsed parsed;

static void keep(void *arg, const struct mp_builtin *own)
{
	*(const struct mp_builtin **)arg = own;
}

static const struct mp_builtin *find(const char *name)
{
	const struct mp_builtin *own = NULL;

	mp_builtin_each(name, keep, &own);
	return own;
}

/* Makes a record of a fixed part, a text, and the sample_id. */
static void make(uint32_t type, size_t fixed, const char *text, size_t text_len)
{
	struct mp_record_id id = { 9, 9, 1000, 5 };

	memset(&record, 0, sizeof(record));
	if (text_len)
		memcpy(record.bytes + fixed, text, text_len);
	record.header.type = type;
	record.header.size = fixed + text_len + sizeof(id);
	memcpy(record.bytes + fixed + text_len, &id, sizeof(id));
}

static const struct mp_tp_field *field(const struct mp_builtin *own, const char *name)
{
	size_t i;

	for (i = 0; i < own->n_fields; i++)
		if (strcmp(own->fields[i].name, name) == 0)
			return &own->fields[i];
	return NULL;
}

static bool number_is(const struct mp_builtin *own, const char *name, uint64_t want)
{
	const struct mp_tp_field *f = field(own, name);
	uint64_t got = 0;

	if (!f || f->offset + f->size > parsed.raw.len)
		return false;
	memcpy(&got, parsed.raw.p + f->offset, f->size);
	return got == want;
}

static bool file_is(const struct mp_builtin *own, const char *want, size_t len)
{
	uint32_t loc;

	memcpy(&loc, parsed.raw.p + field(own, "file")->offset, sizeof(loc));
	return loc >> 16 == len && (loc & 0xffff) + len <= parsed.raw.len &&
	       memcmp(parsed.raw.p + (loc & 0xffff), want, len) == 0;
}

static bool parse(const struct mp_builtin *own)
{
	const struct mp_cut_event e = { .own = true, .record = own->record, .exec = own->exec };

	return mp_sample_of_record(&e, &record.header, &parsed);
}

static void test_tasks(void)
{
	make(PERF_RECORD_COMM, sizeof(record.comm), "name\0\0\0\0", 8);
	record.comm.pid = 7;
	record.comm.tid = 8;
	ok(parse(find("task:comm")) && parsed.pid == 7 && parsed.tid == 8, "a name");
	ok(!parse(find("task:exec")), "which is not an exec");
	record.header.misc = PERF_RECORD_MISC_COMM_EXEC;
	ok(parse(find("task:exec")) && !parse(find("task:comm")), "an exec, and no other name");
	make(PERF_RECORD_FORK, sizeof(record.fork), "", 0);
	record.fork.pid = 11;
	record.fork.tid = 12;
	record.fork.ppid = 13;
	record.fork.ptid = 14;
	ok(parse(find("task:fork")) && parsed.pid == 13 && parsed.tid == 14 &&
		   number_is(find("task:fork"), "pid", 11) &&
		   number_is(find("task:fork"), "tid", 12),
	   "a birth happens to the parent");
	ok(!parse(find("task:exit")) && !parse(find("task:mmap")),
	   "a birth is neither an end nor a mapping");
	record.header.type = PERF_RECORD_EXIT;
	ok(parse(find("task:exit")) && parsed.pid == 11 && parsed.tid == 12 &&
		   number_is(find("task:exit"), "ppid", 13),
	   "an end to the task itself");
}

static void test_mappings(void)
{
	const struct mp_builtin *own = find("task:mmap");
	static const char path[] = "/lib/x.so\0\0\0\0\0\0";
	char *full = mp_alloc(4096);

	make(PERF_RECORD_MMAP2, sizeof(record.mmap), path, 16);
	record.mmap.pid = 3;
	record.mmap.tid = 4;
	record.mmap.addr = 0x7f0000001000;
	record.mmap.len = 8192;
	record.mmap.pgoff = 4096;
	record.mmap.prot = 5;
	record.mmap.flags = 1;
	ok(parse(own) && parsed.pid == 3 && parsed.tid == 4 &&
		   number_is(own, "addr", 0x7f0000001000) && number_is(own, "bytes", 8192) &&
		   number_is(own, "offset", 4096) && file_is(own, "/lib/x.so", 9) &&
		   memcmp(parsed.raw.p + field(own, "prot")->offset, "r-xs", 4) == 0,
	   "a mapping");
	memset(full, 'p', 4096);
	make(PERF_RECORD_MMAP2, sizeof(record.mmap), full, 4096);
	ok(parse(own) && file_is(own, full, 4096),
	   "a path without its end stops where the id begins");
	make(PERF_RECORD_MMAP2, sizeof(record.mmap), "", 0);
	ok(parse(own) && file_is(own, "", 0), "no path");
	free(full);
}

int main(void)
{
	mp_init("unit-own");
	test_tasks();
	test_mappings();
	ok(!find("task:nothing") && find("mem:rss")->kind == MP_BUILTIN_RSS, "names");
	mp_buf_release(&parsed.raw);
	return tap_done();
}
