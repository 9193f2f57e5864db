// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: unwinds the samples of a file of `perf record --call-graph dwarf -k CLOCK_MONOTONIC`
 * with the recorder's own code, so that the result can be compared with that of perf script on the
 * same samples. Prints a line for each: "PID TID TIME END OFFSET...", with the user frames, leaf
 * first, and "*" after those in code without call frame information. With -t N it measures: it
 * unwinds each sample N times and prints only the ns of CPU time that a stack takes.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/stack/symbol.h"
#include "lib/capture/stack/unwind.h"

static int find_row(const struct mp_cfi *c, uint64_t addr, struct mp_cfi_row *row)
{
	unsigned steps = MP_CFI_STEPS;

	return mp_cfi_find(c, addr, row, &steps);
}

enum { FRAMES = 1024 };

/*
 * x86-64: the page where a program executes an instruction that another program probes; this page
 * belongs to no file.
 */
#define UPROBES_START 0x7fffffffe000
#define UPROBES_END 0x7ffffffff000

struct section {
	uint64_t offset, size;
};

struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data;
};

struct record {
	uint64_t time;
	size_t order;
	const struct perf_event_header *h;
};

struct replay {
	struct perf_event_attr attr;
	struct mp_tasks tasks;
	struct mp_unwinder unwinder;
	struct record *v;
	size_t n, cap;
	int times;
	uint64_t stacks, frames, ns;
};

/* Finds the fields of a sample, up to TIME. */
static const uint64_t *sample_fields(const struct replay *r, const struct perf_event_header *h,
				     uint32_t pid_tid[2], uint64_t *time)
{
	const uint64_t *p = (const uint64_t *)(h + 1);
	uint64_t type = r->attr.sample_type;

	p += !!(type & PERF_SAMPLE_IDENTIFIER) + !!(type & PERF_SAMPLE_IP);
	if (type & PERF_SAMPLE_TID)
		memcpy(pid_tid, p++, 8);
	*time = type & PERF_SAMPLE_TIME ? *p++ : 0;
	return p;
}

static uint64_t time_of(const struct replay *r, const struct perf_event_header *h)
{
	uint64_t type = r->attr.sample_type, time;
	const uint64_t *end = (const uint64_t *)((const char *)h + h->size);
	uint32_t ids[2];

	if (h->type == PERF_RECORD_SAMPLE) {
		sample_fields(r, h, ids, &time);
		return time;
	}
	if (h->type >= 64) /* types from 64 on are perf's own */
		return 0;
	end -= !!(type & PERF_SAMPLE_IDENTIFIER) + !!(type & PERF_SAMPLE_CPU) +
	       !!(type & PERF_SAMPLE_STREAM_ID) + !!(type & PERF_SAMPLE_ID);
	return end[-1];
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static bool has_cfi(const struct replay *r, const struct mp_mapping *m, uint64_t ip)
{
	struct mp_cfi_row row;

	if (!m || !m->dso || !mp_dso_cfi(r->unwinder.dsos, m->dso))
		return false;
	return find_row(m->dso->cfi,
			mp_segments_address(&m->dso->segments, ip - m->start + m->offset),
			&row) > 0;
}

static void take_sample(struct replay *r, const struct perf_event_header *h)
{
	struct mp_dump d = { .kernel = (h->misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
				       PERF_RECORD_MISC_KERNEL };
	uint64_t type = r->attr.sample_type, ips[FRAMES], time, began;
	const uint64_t *p;
	enum mp_unwind_end end = MP_UNWIND_NO_STACK;
	struct mp_task *task;
	uint32_t ids[2];
	size_t n, i;
	int round;

	p = sample_fields(r, h, ids, &time);
	p += !!(type & PERF_SAMPLE_ADDR) + !!(type & PERF_SAMPLE_ID) +
	     !!(type & PERF_SAMPLE_STREAM_ID) + !!(type & PERF_SAMPLE_CPU) +
	     !!(type & PERF_SAMPLE_PERIOD);
	if (type & PERF_SAMPLE_CALLCHAIN)
		p += 1 + *p;
	d.abi = *p++;
	d.regs = p;
	p += d.abi ? __builtin_popcountll(r->attr.sample_regs_user) : 0;
	d.asked = *p++;
	d.stack = (const char *)p;
	d.len = d.asked ? p[d.asked / 8] : 0;
	task = mp_tasks_get(&r->tasks, (int32_t)ids[0], (int32_t)ids[1]);
	began = cpu_ns();
	for (round = 0; round < r->times; round++)
		end = mp_unwind(&r->unwinder, task->process->space, &d, ips, FRAMES, &n);
	if (n && ips[0] >= UPROBES_START && ips[0] < UPROBES_END)
		return;
	r->ns += cpu_ns() - began;
	r->stacks++;
	r->frames += n;
	if (r->times > 1)
		return;
	printf("%d %d %llu %s", ids[0], ids[1], (unsigned long long)time, mp_unwind_end_name(end));
	for (i = 0; i < n;
	     /* as perf shows them: offsets in the file, one less for all frames but the first */
	     i++) {
		uint64_t ip = ips[i] - (i > 0);
		const struct mp_mapping *m = mp_space_find(task->process->space, ip);

		printf(" %llx%s",
		       (unsigned long long)(m && m->dso ? ip - m->start + m->offset : ip),
		       has_cfi(r, m, ip) ? "" : "*");
	}
	printf("\n");
}

static void take_mmap(struct replay *r, const struct perf_event_header *h)
{
	const struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t addr, len, pgoff;
		uint32_t maj, min;
		uint64_t ino, generation;
		uint32_t prot, flags;
		char filename[];
	} *m = (const void *)h;
	struct mp_proc_map map = { m->addr, m->addr + m->len, m->pgoff,	  m->maj,
				   m->min,  m->ino,	      m->filename };

	/* a build id may be in place of the inode: then the path must suffice */
	if (h->misc & (1 << 14))
		map.inode = 0;
	if ((int32_t)m->pid > 0 && m->prot & PROT_EXEC)
		mp_tasks_mmap(&r->tasks, (int32_t)m->pid, (int32_t)m->tid, &map);
}

static void take(struct replay *r, const struct perf_event_header *h)
{
	const uint32_t *ids = (const uint32_t *)(h + 1); /* fork: pid, ppid, tid, ptid */
	const char *comm = (const char *)(ids + 2);

	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		take_sample(r, h);
		break;
	case PERF_RECORD_COMM:
		mp_tasks_comm(&r->tasks, (int32_t)ids[0], (int32_t)ids[1], mp_str(comm),
			      h->misc & PERF_RECORD_MISC_COMM_EXEC, 0);
		break;
	case PERF_RECORD_FORK:
		if (ids[0] == ids[1] && ids[2] == ids[3])
			/* skipped, since perf writes such records for running programs, too */
			break;
		mp_tasks_fork(&r->tasks, (int32_t)ids[0], (int32_t)ids[2], (int32_t)ids[1],
			      (int32_t)ids[3], 0);
		break;
	case PERF_RECORD_MMAP2:
		take_mmap(r, h);
		break;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void read_file(struct replay *r, const char *path)
{
	int fd = open(path, O_RDONLY);
	const struct file_header *f;
	struct stat st;
	const char *p, *end;

	if (fd < 0 || fstat(fd, &st) < 0)
		mp_die("cannot open '%s': %m", path);
	p = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	f = (const struct file_header *)p;
	if (p == MAP_FAILED || memcmp(f->magic, "PERFILE2", 8) != 0)
		mp_die("'%s' is no file of perf record", path);
	memcpy(&r->attr, p + f->attrs.offset, MP_MIN(sizeof(r->attr), f->attr_size - 16));
	end = p + f->data.offset + f->data.size;
	for (p += f->data.offset; p < end;) {
		const struct perf_event_header *h = (const struct perf_event_header *)p;

		r->v = mp_grow(r->v, &r->cap, r->n + 1, sizeof(*r->v));
		r->v[r->n] = (struct record){ time_of(r, h), r->n, h };
		r->n++;
		p += h->size;
	}
	qsort(r->v, r->n, sizeof(*r->v), by_time);
}

int main(int argc, char **argv)
{
	struct replay r = { .times = 1 };
	struct mp_opener opener;
	struct mp_symbols symbols;
	size_t i;

	mp_init("unwind");
	if (argc == 4 && strcmp(argv[1], "-t") == 0)
		r.times = (int)strtol(argv[2], NULL, 10);
	else if (argc != 2)
		mp_die("usage: unwind [-t TIMES] perf.data");
	read_file(&r, argv[argc - 1]);
	mp_opener_init(&opener);
	mp_symbols_init(&symbols, &opener);
	mp_tasks_init(&r.tasks, mp_symbols_dso, &symbols);
	mp_unwinder_init(&r.unwinder, mp_arch_here(), &symbols.dsos);
	for (i = 0; i < r.n; i++)
		take(&r, r.v[i].h);
	if (r.times > 1 && r.stacks)
		printf("%.0f ns a stack, %.1f frames, %llu stacks\n",
		       (double)r.ns / (double)r.stacks / r.times,
		       (double)r.frames / (double)r.stacks, (unsigned long long)r.stacks);
	mp_unwinder_release(&r.unwinder);
	mp_tasks_release(&r.tasks);
	mp_symbols_release(&symbols);
	free(r.v);
	return 0;
}
