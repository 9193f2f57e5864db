// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests the input and the output of the BPF program: compares tables with the call frame
 * information that they are made from, and matches stacks with samples.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/object/elfcfi.h"
#include "lib/capture/object/walk_rows.h"
#include "lib/capture/stack/pending_stacks.h"
#include "lib/capture/stack/symbol.h"
#include "lib/capture/stack/walk_tables.h"
#include "lib/core/clock.h"
#include "tests/unit/tap.h"

static int find_row(const struct mp_cfi *c, uint64_t addr, struct mp_cfi_row *row)
{
	unsigned steps = MP_CFI_STEPS;

	return mp_cfi_find(c, addr, row, &steps);
}

static const struct mp_bpf_row *find(const struct mp_bpf_row *rows, size_t n, uint64_t addr)
{
	size_t before = MP_COUNT_FIRST(n, i, rows[i].pc <= addr);

	return before ? &rows[before - 1] : NULL;
}

static bool same(const struct mp_cfi_row *row, const struct mp_bpf_row *b)
{
	size_t i;
	int fp = 0;

	for (i = 0; i < row->n_rules; i++)
		if (row->rules[i].reg == 6 && row->rules[i].kind == MP_CFI_AT)
			fp = row->rules[i].value;
	switch (b->kind) {
	case MP_BPF_SP:
	case MP_BPF_FP:
		return !row->cfa_expr && row->cfa_reg == (b->kind == MP_BPF_SP ? 7 : 6) &&
		       row->cfa_value == b->cfa * 8 && fp == b->fp * 8;
	case MP_BPF_RA_DI:
		return !row->cfa_expr && row->cfa_reg == 7 && row->cfa_value == b->cfa * 8;
	case MP_BPF_ROOT:
		return row->ra_kind == MP_CFI_UNDEFINED;
	case MP_BPF_SIGNAL:
		return row->signal;
	case MP_BPF_PLT:
	case MP_BPF_FP_DEREF:
		return row->cfa_expr;
	}
	return b->kind == MP_BPF_OTHER;
}

struct check {
	const struct mp_bpf_row *rows;
	size_t n, compared, differ, others;
};

static void check_row(void *arg, const struct mp_cfi_row *row)
{
	struct check *c = arg;
	const struct mp_bpf_row *first = find(c->rows, c->n, row->start);
	const struct mp_bpf_row *last = find(c->rows, c->n, row->end - 1);

	c->compared++;
	c->differ += !first || first != last || !same(row, first);
	c->others += first && first->kind == MP_BPF_OTHER;
}

static void test_tables(const char *path)
{
	struct mp_limit limit = MP_LIMIT_INIT;
	struct mp_segments segments = { NULL, 0, 0 };
	int fd = open(path, O_RDONLY);
	struct mp_cfi *cfi = fd < 0 ? NULL : mp_elfcfi_load(fd, NULL, NULL, &segments, &limit);
	struct check c = { .n = 0 };
	struct mp_bpf_row *rows;

	if (!cfi) {
		printf("# no %s\n", path);
		return;
	}
	c.rows = rows = mp_cfi_walk_rows(cfi, &c.n, &limit);
	mp_cfi_each(cfi, check_row, &c);
	ok(c.compared > 100 && c.differ == 0 && c.n <= 2 * c.compared,
	   "%s: %zu rows for %zu, all the same (%zu differ)", path, c.n, c.compared, c.differ);
	ok(c.others * 100 < c.compared, "%s: %zu cannot be said", path, c.others);
	free(rows);
	mp_cfi_free(cfi);
	mp_segments_release(&segments);
	close(fd);
}

/* Adds a section with functions of 0x100 bytes whose CFA is the stack pointer and `cfa`. */
static void add_functions(struct mp_cfi *c, char cfa, const uint32_t *addrs, size_t n)
{
	static const char cie[] = "\x14\0\0\0\xff\xff\xff\xff\1\0\1\x78\x10\x0c\7";
	char image[512] = { 0 };
	size_t at = sizeof(cie) - 1, i;

	memcpy(image, cie, at);
	image[at] = cfa;
	memcpy(image + at + 1, "\x90\1", 2); /* the return address at CFA - 8 */
	for (at = 24, i = 0; i < n; i++, at += 24) {
		uint32_t fde[6] = { 20, 0, addrs[i], 0, 0x100, 0 };

		memcpy(image + at, fde, sizeof(fde));
	}
	mp_cfi_add(c, false, image, at, 0);
}

/*
 * Tests two sections whose functions alternate, as in a static program without .eh_frame of its own
 * that contains a C library with it.
 */
static void test_two_sections(void)
{
	struct mp_limit limit = MP_LIMIT_INIT;
	static const uint32_t library[] = { 0x1000, 0x5000 },
			      own[] = { 0x800, 0x1000, 0x3000, 0x7000 };
	static const struct {
		uint32_t pc;
		int cfa;
	} want[] = { { 0x800, 4 },  { 0x1000, 3 }, { 0x10ff, 3 }, { 0x1100, 0 }, { 0x3010, 4 },
		     { 0x4000, 0 }, { 0x5000, 3 }, { 0x7001, 4 }, { 0x7100, 0 } };
	struct mp_cfi *cfi = mp_cfi_new(&mp_arch_x86_64);
	struct mp_bpf_row *rows;
	struct mp_cfi_row row;
	size_t n, i, right = 0;

	add_functions(cfi, 24, library, MP_ARRAY_SIZE(library));
	add_functions(cfi, 32, own, MP_ARRAY_SIZE(own));
	rows = mp_cfi_walk_rows(cfi, &n, &limit);
	for (i = 0; i < MP_ARRAY_SIZE(want); i++) {
		const struct mp_bpf_row *b = find(rows, n, want[i].pc);
		int found = find_row(cfi, want[i].pc, &row);

		right += b && b->cfa == want[i].cfa && found == (want[i].cfa > 0) &&
			 (!found || row.cfa_value == 8 * b->cfa);
	}
	ok(right == MP_ARRAY_SIZE(want), "sections that interleave: the same rows in both tables");
	free(rows);
	mp_cfi_free(cfi);
}

static uint32_t drops;

static struct mp_bpf_record record(uint32_t tid, uint64_t time_ns, uint32_t end, size_t n)
{
	struct mp_bpf_record r = { .head = { .type = MP_BPF_RECORD,
					     .tid = tid,
					     .time_ns = time_ns,
					     .end = end,
					     .drops = drops } };
	size_t i;

	r.head.size = offsetof(struct mp_bpf_record, ips) + (n + 2) * 8;
	for (i = 0; i < n; i++)
		r.ips[i] = time_ns + i;
	return r;
}

/* Takes the stack of a sample whose program counter and stack pointer are 0. */
static const struct mp_pending_stack *take(struct mp_pending_stacks *c, pid_t tid, uint64_t time_ns)
{
	struct mp_pending_want want = { .tid = tid, .time_ns = time_ns };

	return mp_pending_stacks_take(c, &want);
}

static void test_chains(void)
{
	const struct mp_pending_stack *c;
	struct mp_pending_stacks chains;
	struct mp_bpf_record r;
	size_t found = 0;
	uint64_t t;

	mp_pending_stacks_init(&chains);
	r = record(7, 1000000, MP_BPF_COMPLETE, 3);
	ok(mp_pending_stacks_put(&chains, &r.head), "a record");
	ok(!take(&chains, 8, 1000500), "not for another task");
	ok(!take(&chains, 7, 2000000) && !take(&chains, 7, 100), "not at another time");
	c = take(&chains, 7, 1000500);
	ok(c && c->n == 3 && c->ips[2] == 1000002 && c->end == MP_UNWIND_COMPLETE,
	   "is found again");
	ok(!take(&chains, 7, 1000500), "once");
	r.head.size = 8;
	ok(!mp_pending_stacks_put(&chains, &r.head), "a short record");
	r.head.size = sizeof(r) + 8;
	ok(!mp_pending_stacks_put(&chains, &r.head), "a long one");
	r = record(9, 5, MP_BPF_NO_STACK, 0);
	mp_pending_stacks_put(&chains, &r.head);
	c = take(&chains, 9, 6);
	ok(c && c->n == 0 && c->end == MP_UNWIND_NO_STACK, "one without frames");
	for (t = 1000000000; t < 1000100000; t += 250) {
		r = record(10, t, MP_BPF_COMPLETE, 1);
		mp_pending_stacks_put(&chains, &r.head);
	}
	for (t = 1000000000; t < 1000100000; t += 250) {
		c = take(&chains, 10, t + 100);
		found += c && c->time_ns == t;
	}
	ok(found == 400, "all 400 that came before the first of their samples");
	for (t = 100; t < 40000; t++) {
		r = record(t, t, MP_BPF_COMPLETE, 2);
		mp_pending_stacks_put(&chains, &r.head);
	}
	ok(chains.map.n < 20000 && take(&chains, 39999, 39999), "not more tasks than a limit");
	mp_pending_stacks_release(&chains);
}

/* Puts stacks of one place at two times, and takes that of a sample between or after them. */
static uint64_t taken(struct mp_pending_stacks *c, size_t event, uint64_t sp, uint64_t sample,
		      uint64_t first, uint64_t second)
{
	struct mp_pending_want want = { 7, sample, 0x400, sp, event, false };
	const struct mp_pending_stack *found;
	struct mp_bpf_record r;

	if (first) {
		r = record(7, first, MP_BPF_COMPLETE, 1);
		r.ip = 0x400;
		r.sp = sp;
		mp_pending_stacks_put(c, &r.head);
	}
	r = record(7, second, MP_BPF_COMPLETE, 1);
	r.ip = 0x400;
	r.sp = second == sample + 1 ? sp + 8 : sp;
	mp_pending_stacks_put(c, &r.head);
	found = mp_pending_stacks_take(c, &want);
	return found ? found->time_ns : 0;
}

static void test_order(void)
{
	struct mp_pending_stacks c;
	size_t i, right = 0;

	mp_pending_stacks_init(&c);
	ok(taken(&c, 0, 1, 10000, 5000, 10001) == 5000,
	   "a stack from another place is not taken, even if it is nearer");
	ok(taken(&c, 0, 2, 20000, 12000, 20100) == 12000, "of two that match, the one before");
	/* event 3: perf comes first, so that the stack of each sample is after it */
	for (i = 0; i < 16; i++)
		right += taken(&c, 3, 100 + i, 1000000 * i + 30000, 0, 1000000 * i + 30500) ==
			 1000000 * i + 30500;
	ok(right == 16, "one after it, if there is no other");
	ok(taken(&c, 3, 3, 19000000, 18999000, 19000500) == 19000500,
	   "then always the one after it, of this event");
	ok(taken(&c, 0, 4, 20000000, 19999000, 20000500) == 19999000, "and not of another event");
	ok(taken(&c, 3, 5, 21000000, 20999000, 21900000) == 0, "but not one before it any more");
	/* event 6: the task is interrupted between a stack and its sample */
	for (i = 0; i < 8; i++)
		taken(&c, 6, 8, 22010000 + 1000 * i, 0, 22009500 + 1000 * i);
	ok(taken(&c, 6, 8, 22330000, 22020000, 22330500) == 22020000,
	   "the last one of the task, far before it, if those of this event come before their samples");
	ok(taken(&c, 6, 8, 22331000, 0, 22331500) == 22330500, "the next sample gets its own");
	taken(&c, 6, 8, 22350000, 22340000, 22349000);
	ok(taken(&c, 6, 8, 22560000, 0, 22560500) == 0,
	   "none if one that another sample took is between");
	ok(taken(&c, 7, 9, 22870000, 22570000, 22870001) == 0,
	   "none far before it if the order of the event is not known");
	drops++;
	ok(taken(&c, 5, 7, 22500000, 0, 22500500) == 0, "and not where a record was lost");
	for (i = 0; i < 511; i++)
		taken(&c, 9, 100 + i, 1, 0, 23001000 + i);
	ok(taken(&c, 0, 6, 23000000, 0, 23000500) == 0,
	   "none if so many have come that its own may have given way");
	mp_pending_stacks_release(&c);
}

static struct mp_bpf_copy *copy(uint32_t tid, uint64_t time_ns, uint32_t len)
{
	struct mp_bpf_copy *r = mp_zalloc(sizeof(*r));

	r->head = (struct mp_bpf_head){ .type = MP_BPF_COPY, .tid = tid, .time_ns = time_ns };
	r->head.size = offsetof(struct mp_bpf_copy, stack) + len + 16;
	r->len = len;
	memset(r->stack, (int)tid, len);
	return r;
}

static void test_copies(void)
{
	struct mp_bpf_record chain = record(7, 3000, MP_BPF_COMPLETE, 2);
	struct mp_bpf_copy *r = copy(7, 2000, MP_BPF_COPY_BYTES);
	const struct mp_pending_stack *c;
	struct mp_pending_stacks chains;
	uint32_t tid;

	mp_pending_stacks_init(&chains);
	ok(mp_pending_stacks_put(&chains, &r->head), "the largest copy");
	mp_pending_stacks_put(&chains, &chain.head);
	c = take(&chains, 7, 2100);
	ok(c && c->copy && c->copy->len == MP_BPF_COPY_BYTES &&
		   c->copy->stack[MP_BPF_COPY_BYTES - 1] == 7,
	   "is found again");
	c = take(&chains, 7, 3100);
	ok(c && !c->copy && c->n == 2, "and the chain of the same task beside it");
	r->len = UINT32_MAX;
	ok(!mp_pending_stacks_put(&chains, &r->head), "one that says to be longer than it is");
	r->head.size = sizeof(r->head);
	ok(!mp_pending_stacks_put(&chains, &r->head), "a short one");
	free(r);
	for (tid = 100; tid < 400; tid++) {
		r = copy(tid, tid, 8);
		mp_pending_stacks_put(&chains, &r->head);
		free(r);
	}
	ok(!mp_pending_stacks_copy(&chains, 7, 2000) && !mp_pending_stacks_copy(&chains, 143, 143),
	   "the oldest are forgotten");
	ok(mp_pending_stacks_copy(&chains, 144, 144) &&
		   !mp_pending_stacks_copy(&chains, 145, 144) &&
		   mp_pending_stacks_copy(&chains, 144, 144)->stack[7] == (char)144,
	   "but not the latest 256, each at its own time");
	for (tid = 0; tid < 128; tid++) {
		chain = record(399, 500 + tid, MP_BPF_COMPLETE, 1);
		mp_pending_stacks_put(&chains, &chain.head);
	}
	c = take(&chains, 399, 500);
	ok(c && !c->copy && c->time_ns == 500, "a chain takes the place of a copy");
	mp_pending_stacks_release(&chains);
}

/* What the other side of cut.h was sent. */
struct seen {
	struct mp_cut_space space;
	struct mp_cut_mapping code; /* the mapping that has test_walk_tables() itself */
	bool ascending;
	uint64_t forgotten;
};

static void test_walk_tables(void);

static void update(void *arg, const struct mp_cut_space *space)
{
	const uint64_t here = (uintptr_t)test_walk_tables;
	struct seen *seen = arg;
	size_t i;

	seen->space = *space;
	seen->ascending = true;
	for (i = 0; i < space->n; i++) {
		if (here >= space->v[i].start && here < space->v[i].end)
			seen->code = space->v[i];
		seen->ascending &= i == 0 || space->v[i - 1].end <= space->v[i].start;
	}
}

static void forget(void *arg, uint64_t number)
{
	((struct seen *)arg)->forgotten = number;
}

static void test_walk_tables(void)
{
	const struct mp_proc_map anonymous = { .start = 4096, .end = 8192, .path = "" };
	const struct mp_bpf_row *row;
	struct mp_opener opener;
	struct mp_symbols symbols;
	struct mp_tasks tasks;
	struct mp_process *process;
	struct seen seen = { .forgotten = 0 };
	struct mp_walk_tables t = {
		.walker = { .arg = &seen, .update = update, .forget = forget },
		.dsos = &symbols.dsos,
		.tasks = &tasks,
	};
	struct mp_cut_rows rows;
	uint64_t state;

	mp_opener_init(&opener);
	mp_symbols_init(&symbols, &opener);
	mp_tasks_init(&tasks, mp_symbols_dso, &symbols);
	tasks.gone = mp_walk_tables_forget;
	tasks.gone_arg = &t;
	mp_walk_tables_init(&t);
	process = mp_tasks_get(&tasks, getpid(), getpid())->process;
	mp_walk_tables_update(&t, process, 42);
	ok(process->tables && seen.space.pid == (uint32_t)getpid() && seen.space.time_ns == 42,
	   "the mappings of a process are sent");
	ok(seen.space.n == process->space->n && seen.ascending, "all of them, in order of address");
	ok(seen.code.file, "that of our own code has the number of its file");
	mp_walk_tables_rows(&symbols.dsos, seen.code.file, &rows);
	row = find(rows.v, rows.n, (uintptr_t)test_walk_tables - seen.code.bias);
	ok(row && (row->kind == MP_BPF_SP || row->kind == MP_BPF_FP),
	   "the file has a row for an address less the bias");
	free(rows.v);
	state = seen.space.state;
	mp_walk_tables_update(&t, process, 43);
	ok(seen.space.state == state, "without a change, the state is the same");
	mp_tasks_mmap(&tasks, getpid(), getpid(), &anonymous);
	mp_walk_tables_update(&t, process, 44);
	ok(seen.space.state != state && seen.space.v[0].start == 4096 && !seen.space.v[0].file,
	   "a new mapping makes another state; memory without a file has no rows");
	ok(!seen.forgotten, "the address space remains the same");
	mp_tasks_release(&tasks);
	ok(seen.forgotten == seen.space.number, "its end is sent");
	mp_walk_tables_release(&t);
	mp_symbols_release(&symbols);
}

static struct mp_dso *no_file(void *arg, const struct mp_proc_map *map, struct mp_tasks *tasks,
			      struct mp_process *process)
{
	(void)arg;
	(void)map;
	(void)tasks;
	(void)process;
	return NULL;
}

static void count_update(void *arg, const struct mp_cut_space *space)
{
	(void)space;
	++*(size_t *)arg;
}

static void count_forgotten(void *arg, uint64_t number)
{
	(void)number;
	--*(size_t *)arg;
}

/* Gives a user more processes than the share has room for. */
static void test_share(void)
{
	enum { FIRST = 1 << 23, N = 2000, HALF = 1024, USER = 1234 };
	struct mp_budget budget = { .trusted = 0, .clock = mp_monotonic_ns };
	struct mp_tasks tasks;
	size_t tables = 0;
	struct mp_walk_tables t = {
		.walker = { .arg = &tables, .update = count_update, .forget = count_forgotten },
		.tasks = &tasks,
	};
	int i;

	mp_budget_init(&budget, NULL);
	mp_tasks_init(&tasks, no_file, NULL);
	tasks.budget = &budget;
	tasks.gone = mp_walk_tables_forget;
	tasks.gone_arg = &t;
	mp_walk_tables_init(&t);
	for (i = 0; i < N; i++) {
		struct mp_process *p = mp_tasks_get(&tasks, FIRST + i, FIRST + i)->process;

		p->uid = USER;
		mp_walk_tables_update(&t, p, 1);
	}
	ok(tables == HALF, "a user has tables for half of the places");
	mp_tasks_release(&tasks);
	ok(tables == 0, "all of which are given back");
	mp_walk_tables_release(&t);
	mp_budget_release(&budget);
}

/*
 * Tests a copy that is received while records of mappings wait that are newer than the events
 * handled last.
 */
static void test_copied(void)
{
	struct mp_opener opener;
	struct mp_symbols symbols;
	struct mp_tasks tasks;
	struct mp_process *process;
	struct seen seen = { .forgotten = 0 };
	struct mp_walk_tables t = {
		.walker = { .arg = &seen, .update = update, .forget = forget },
		.dsos = &symbols.dsos,
		.tasks = &tasks,
	};
	uint64_t merged, now, sent_ns;
	pid_t pid = getpid();
	bool late;

	mp_opener_init(&opener);
	mp_symbols_init(&symbols, &opener);
	mp_tasks_init(&tasks, mp_symbols_dso, &symbols);
	tasks.gone = mp_walk_tables_forget;
	tasks.gone_arg = &t;
	mp_walk_tables_init(&t);
	merged = mp_monotonic_ns();
	mp_tasks_comm(&tasks, pid, pid, MP_STR("exec"), true, 0);
	process = mp_tasks_find(&tasks, pid)->process;
	mp_walk_tables_update(&t, process, merged);
	mp_walk_tables_copied(&t, pid, merged + 1);
	ok(seen.space.n == 0, "without newer records, tables that were sent are up to date");
	now = mp_monotonic_ns();
	mp_tasks_changed(&tasks, pid, now);
	mp_walk_tables_copied(&t, pid, merged);
	ok(seen.space.n && seen.space.time_ns >= now && process->space->n == 0,
	   "those are sent that the process has now");
	seen.space.n = seen.forgotten = 0;
	sent_ns = process->sent_ns;
	mp_walk_tables_update(&t, process, now);
	late = mp_monotonic_ns() - sent_ns >= 10000000; /* this process had to wait for a CPU */
	ok((seen.space.n == 0 || late) && !seen.forgotten && process->ahead,
	   "records of before do not replace them, and they are not sent again at once");
	mp_walk_tables_update(&t, process, mp_monotonic_ns());
	ok(seen.space.n == 0 && seen.forgotten && !process->ahead, "later ones do");
	mp_tasks_release(&tasks);
	mp_walk_tables_release(&t);
	mp_symbols_release(&symbols);
}

int main(void)
{
	mp_init("unit-bpf");
	test_tables("/lib/x86_64-linux-gnu/libc.so.6");
	test_tables("/usr/bin/perl");
	test_two_sections();
	test_chains();
	test_order();
	test_copies();
	test_walk_tables();
	test_share();
	test_copied();
	return tap_done();
}
