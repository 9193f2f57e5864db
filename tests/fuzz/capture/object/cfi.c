// SPDX-License-Identifier: GPL-2.0-only
/*
 * Call frame information, expressions and walks: the first byte says whether the rest is an ELF
 * file, .eh_frame, .debug_frame or an expression.
 */
#include <linux/perf_event.h>
#include <stdlib.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/object/cfiexpr.h"
#include "lib/capture/object/walk_rows.h"
#include "lib/capture/stack/unwind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CODE = 0x1000, STACK_WORDS = 64, ROWS_MAX = 2000 };

struct seen {
	const struct mp_cfi *cfi;
	size_t n;
	uint64_t addr;
};

/* Checks that a row is not empty and that all its rules stay within their arrays. */
static void take_row(void *arg, const struct mp_cfi_row *row)
{
	struct mp_cfi_full full;
	unsigned steps = MP_CFI_STEPS;
	struct seen *s = arg;
	size_t i;

	if (row->end <= row->start || row->n_rules > MP_CFI_RULES)
		abort();
	s->addr = row->start;
	if (s->n++ > ROWS_MAX)
		return;
	mp_cfi_find_full(s->cfi, row->start, &full, &steps);
	for (i = 0; i < full.n; i++)
		if (full.rules[i].reg >= MP_CFI_REGS)
			abort();
}

/* A stack full of addresses of the code itself. */
static void walk(struct mp_cfi *cfi, uint64_t addr)
{
	struct mp_dso dso = {
		.fd = -1, .loaded = true, .cfi_loaded = true, .cfi = cfi, .cfi_id = 1
	};
	struct mp_mapping mapping = { 0, UINT64_MAX, 0, &dso };
	struct mp_space space = { .refs = 1 };
	uint64_t regs[33], stack[STACK_WORDS], ips[128];
	struct mp_unwinder u;
	struct mp_dsos dsos;
	struct mp_dump d = { .abi = PERF_SAMPLE_REGS_ABI_64,
			     .regs = regs,
			     .stack = (const char *)stack,
			     .len = sizeof(stack),
			     .asked = sizeof(stack) };
	size_t i, n;

	for (i = 0; i < MP_ARRAY_SIZE(stack); i++)
		stack[i] = i % 3 ? addr + i : 0x7000 + 8 * (i + 2);
	for (i = 0; i < MP_ARRAY_SIZE(regs); i++)
		regs[i] = 0x7000 + 8 * (i % 4);
	regs[8] = addr;
	mp_space_add(&space, &mapping, NULL, 0);
	mp_dsos_init(&dsos, NULL);
	mp_unwinder_init(&u, &mp_arch_x86_64, &dsos);
	if (mp_unwind(&u, &space, &d, ips, MP_ARRAY_SIZE(ips), &n) >= MP_UNWIND_ENDS ||
	    n > MP_ARRAY_SIZE(ips))
		abort();
	mp_unwinder_release(&u);
	mp_space_clear(&space, NULL);
	mp_dsos_release(&dsos);
}

static void try_cfi(struct mp_cfi *cfi)
{
	struct mp_limit limit = MP_LIMIT_INIT;
	struct seen seen = { .cfi = cfi };
	struct mp_bpf_row *rows;
	size_t n, i;

	if (!cfi)
		return;
	mp_cfi_each(cfi, take_row, &seen);
	if (seen.n)
		walk(cfi, seen.addr);
	rows = mp_cfi_walk_rows(cfi, &n, &limit);
	for (i = 1; i < n; i++)
		if (rows[i].pc < rows[i - 1].pc)
			abort();
	free(rows);
	mp_cfi_free(cfi);
}

static bool read_any(void *arg, uint64_t addr, size_t size, uint64_t *value)
{
	(void)arg;
	*value = addr * 3 + size;
	return addr % 5;
}

static void try_expression(const uint8_t *data, size_t size)
{
	static const uint64_t regs[17] = { 1, 2, 3, UINT64_MAX };
	unsigned steps = MP_CFI_STEPS;
	struct mp_cfi_machine m = { regs, MP_ARRAY_SIZE(regs), read_any, NULL, &steps };
	uint64_t result, cfa = 64;

	mp_cfi_eval(data, size, &m, size % 2 ? &cfa : NULL, &result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mp_segments segments = { NULL, 0, 0 };
	struct mp_cfi *cfi = NULL;
	uint64_t delta;
	void *copy;

	if (size == 0)
		return 0;
	copy = mp_memdup(data + 1, size - 1); /* exactly this size, and aligned for libelf */
	switch (data[0] & 3) {
	case 0:
		cfi = mp_elfcfi_load_image(copy, size - 1, &segments);
		mp_segments_delta(&segments, 0, size, &delta);
		mp_segments_release(&segments);
		break;
	case 1:
	case 2:
		cfi = mp_cfi_new(data[0] & 4 ? &mp_arch_arm64 : &mp_arch_x86_64);
		mp_cfi_add(cfi, data[0] & 1, copy, size - 1, CODE);
		break;
	case 3:
		try_expression(copy, size - 1);
		break;
	}
	try_cfi(cfi);
	free(copy);
	return 0;
}
