// SPDX-License-Identifier: GPL-2.0-only
/*
 * Input and output of the BPF program: tables compared with the call frame information that they
 * are made from, and stacks that wait for their samples.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/capture/object/walk_rows.h"
#include "lib/capture/object/elfcfi.h"
#include "lib/capture/stack/pending_stacks.h"
#include "tests/unit/tap.h"

static const struct mp_bpf_row *find(const struct mp_bpf_row *rows, size_t n, uint64_t addr)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (rows[mid].pc <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &rows[low - 1] : NULL;
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
	struct mp_segments segments = { NULL, 0, 0 };
	int fd = open(path, O_RDONLY);
	struct mp_cfi *cfi = fd < 0 ? NULL : mp_elfcfi_load(fd, "", path, &segments);
	struct check c = { .n = 0 };
	struct mp_bpf_row *rows;

	if (!cfi) {
		printf("# no %s\n", path);
		return;
	}
	c.rows = rows = mp_cfi_walk_rows(cfi, &c.n);
	mp_cfi_each(cfi, check_row, &c);
	ok(c.compared > 100 && c.differ == 0 && c.n <= 2 * c.compared,
	   "%s: %zu rows for %zu, all the same (%zu differ)", path, c.n, c.compared, c.differ);
	ok(c.others * 100 < c.compared, "%s: %zu cannot be said", path, c.others);
	free(rows);
	mp_cfi_free(cfi);
	mp_segments_release(&segments);
	close(fd);
}

static struct mp_bpf_record record(uint32_t tid, uint64_t time_ns, uint32_t end, size_t n)
{
	struct mp_bpf_record r = {
		.head = { .type = MP_BPF_RECORD, .tid = tid, .time_ns = time_ns, .end = end }
	};
	size_t i;

	r.head.size = offsetof(struct mp_bpf_record, ips) + (n + 2) * 8;
	for (i = 0; i < n; i++)
		r.ips[i] = time_ns + i;
	return r;
}

static void test_chains(void)
{
	const struct mp_pending_stack *c;
	struct mp_pending_stacks chains;
	struct mp_bpf_record r;
	uint64_t t;

	mp_pending_stacks_init(&chains);
	r = record(7, 1000000, MP_BPF_COMPLETE, 3);
	ok(mp_pending_stacks_put(&chains, &r.head), "a record");
	c = mp_pending_stacks_find(&chains, 7, 1000500);
	ok(c && c->n == 3 && c->ips[2] == 1000002 && c->end == MP_UNWIND_COMPLETE,
	   "is found again");
	ok(!mp_pending_stacks_find(&chains, 8, 1000500), "not for another task");
	ok(!mp_pending_stacks_find(&chains, 7, 2000000) && !mp_pending_stacks_find(&chains, 7, 100),
	   "not at another time");
	for (t = 1001000; t <= 1009000; t += 1000) {
		r = record(7, t, MP_BPF_END_FP, 1);
		mp_pending_stacks_put(&chains, &r.head);
	}
	c = mp_pending_stacks_find(&chains, 7, 1008400);
	ok(c && c->time_ns == 1008000, "of the latest, the nearest before");
	c = mp_pending_stacks_find(&chains, 7, 1008600);
	ok(c && c->time_ns == 1009000 && c->end == MP_UNWIND_FRAME_POINTER, "or after");
	r.head.size = 8;
	ok(!mp_pending_stacks_put(&chains, &r.head), "a short record");
	r.head.size = sizeof(r) + 8;
	ok(!mp_pending_stacks_put(&chains, &r.head), "a long one");
	r = record(9, 5, MP_BPF_NO_STACK, 0);
	mp_pending_stacks_put(&chains, &r.head);
	c = mp_pending_stacks_find(&chains, 9, 6);
	ok(c && c->n == 0 && c->end == MP_UNWIND_NO_STACK, "one without frames");
	for (t = 100; t < 40000; t++) {
		r = record(t, t, MP_BPF_COMPLETE, 2);
		mp_pending_stacks_put(&chains, &r.head);
	}
	ok(chains.map.n < 20000 && mp_pending_stacks_find(&chains, 39999, 39999),
	   "not more tasks than a limit");
	mp_pending_stacks_release(&chains);
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
	c = mp_pending_stacks_find(&chains, 7, 2100);
	ok(c && c->copy && c->copy->len == MP_BPF_COPY_BYTES &&
		   c->copy->stack[MP_BPF_COPY_BYTES - 1] == 7,
	   "is found again");
	c = mp_pending_stacks_find(&chains, 7, 2900);
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
	ok(!mp_pending_stacks_find(&chains, 7, 2100) && !mp_pending_stacks_find(&chains, 143, 143),
	   "the oldest are forgotten");
	c = mp_pending_stacks_find(&chains, 144, 144);
	ok(c && c->copy && c->copy->stack[7] == (char)144, "but not the latest 256");
	for (tid = 0; tid < 16; tid++) {
		chain = record(399, 500 + tid, MP_BPF_COMPLETE, 1);
		mp_pending_stacks_put(&chains, &chain.head);
	}
	c = mp_pending_stacks_find(&chains, 399, 399);
	ok(c && !c->copy && c->time_ns == 500, "a chain takes the place of a copy");
	mp_pending_stacks_release(&chains);
}

int main(void)
{
	mp_init("unit-bpf");
	test_tables("/lib/x86_64-linux-gnu/libc.so.6");
	test_tables("/usr/bin/perl");
	test_chains();
	test_copies();
	return tap_done();
}
