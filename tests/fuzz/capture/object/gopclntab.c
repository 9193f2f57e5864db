// SPDX-License-Identifier: GPL-2.0-only
/*
 * The table of functions of Go programs, searched in other data or at its beginning: names, frames,
 * and the tables that are made of these.
 */
#include "lib/capture/object/gopclntab.h"

#include <stdlib.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/object/walk_rows.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { GROWTH_MAX = 32, CODE = 0x1000 };

static bool take_name(void *arg, uint64_t start, uint64_t size, const char *name)
{
	size_t *bytes = arg;

	*bytes += strlen(name) + (start + size != 0);
	return true;
}

static void take_row(void *arg, const struct mp_cfi_row *row)
{
	size_t *n = arg;

	if (row->end <= row->start || row->n_rules > MP_CFI_RULES)
		abort();
	++*n;
}

static void try_frames(const struct mp_gopclntab *t, const struct mp_arch *arch)
{
	struct mp_limit limit = MP_LIMIT_INIT;
	struct mp_buf frames = { NULL, 0, 0 };
	struct mp_cfi *cfi = mp_cfi_new(arch);
	struct mp_bpf_row *rows;
	size_t n = 0;

	mp_gopclntab_frames(t, arch, &frames, SIZE_MAX);
	if (frames.len > GROWTH_MAX * t->size + 1024)
		abort();
	mp_cfi_add(cfi, false, frames.p, frames.len, 0);
	mp_cfi_each(cfi, take_row, &n);
	rows = mp_cfi_walk_rows(cfi, &n, &limit);
	free(rows);
	mp_cfi_free(cfi);
	mp_buf_release(&frames);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t at = mp_gopclntab_search(data, size), bytes = 0;
	uint8_t *copy;
	struct mp_gopclntab t;

	if (at == SIZE_MAX)
		at = 0;
	copy = mp_memdup(data + at, size - at); /* exactly this size */
	if (mp_gopclntab_init(&t, copy, size - at, CODE)) {
		mp_gopclntab_each(&t, take_name, &bytes);
		try_frames(&t, &mp_arch_x86_64);
		try_frames(&t, &mp_arch_arm64);
	}
	free(copy);
	return 0;
}
