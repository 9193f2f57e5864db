// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: compares the frames that our reader of .gopclntab makes for a Go program with those in
 * its .debug_frame, at each address. Prints how many rows were compared and the addresses that
 * differ.
 */
#include <fcntl.h>
#include <stdio.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/object/cfi.h"
#include "lib/capture/object/elffile.h"
#include "lib/capture/object/gopclntab.h"

static int find_row(const struct mp_cfi *c, uint64_t addr, struct mp_cfi_row *row)
{
	unsigned steps = MP_CFI_STEPS;

	return mp_cfi_find(c, addr, row, &steps);
}

struct comparison {
	const struct mp_cfi *ours;
	size_t n, differ, special;
};

static bool same(const struct mp_cfi_row *a, const struct mp_cfi_row *b)
{
	int32_t ra_a = 0, ra_b = 0;
	size_t i;

	if (a->ra_kind == MP_CFI_UNDEFINED)
		return b->ra_kind == MP_CFI_UNDEFINED;
	for (i = 0; i < a->n_rules; i++)
		if (a->rules[i].reg == a->ra_reg)
			ra_a = a->rules[i].value;
	for (i = 0; i < b->n_rules; i++)
		if (b->rules[i].reg == b->ra_reg)
			ra_b = b->rules[i].value;
	return a->ra_kind == b->ra_kind && a->cfa_reg == b->cfa_reg &&
	       a->cfa_value == b->cfa_value && ra_a == ra_b;
}

static void compare(void *arg, const struct mp_cfi_row *row)
{
	struct comparison *c = arg;
	struct mp_cfi_row ours, end;

	if (row->cfa_value < 0) /* this address is after the end of the code */
		return;
	c->n++;
	/* Go 1.19 has no roots in .debug_frame, and never says that a function switches stacks */
	if (find_row(c->ours, row->start, &ours) == 1 &&
	    (ours.other_stack || ours.ra_kind == MP_CFI_UNDEFINED)) {
		c->special++;
		return;
	}
	if (find_row(c->ours, row->start, &ours) == 1 && same(row, &ours) &&
	    find_row(c->ours, row->end - 1, &end) == 1 && same(row, &end))
		return;
	if (c->differ++ < 10)
		printf("%#llx\n", (unsigned long long)row->start);
}

int main(int argc, char **argv)
{
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	struct mp_buf frames = { NULL, 0, 0 };
	struct mp_cfi *ours, *gos;
	struct comparison c = { .n = 0 };
	struct mp_limit limit = MP_LIMIT_INIT;
	struct mp_elf_data data, frame;
	struct mp_gopclntab table;
	struct mp_elf f;

	mp_init("gorows");
	if (!mp_elf_open(&f, fd, NULL, 0, &limit) || !f.debug_frame ||
	    !mp_elf_gopclntab(&f, &data, &table) ||
	    !mp_elf_load_unpacked(&f.image, f.debug_frame, "frames", &frame))
		mp_die("not a Go program with .debug_frame");
	ours = mp_cfi_new(mp_arch_of(f.image.machine));
	gos = mp_cfi_new(mp_arch_of(f.image.machine));
	mp_gopclntab_frames(&table, mp_arch_of(f.image.machine), &frames, SIZE_MAX);
	mp_cfi_add(ours, false, frames.p, frames.len, 0);
	mp_cfi_add(gos, false, frame.p, frame.size, 0);
	mp_elf_drop(&f.image, &data);
	mp_elf_drop(&f.image, &frame);
	c.ours = ours;
	mp_cfi_each(gos, compare, &c);
	printf("%zu rows, %zu differ, %zu in roots and switches of the stack\n", c.n, c.differ,
	       c.special);
	mp_buf_release(&frames);
	mp_cfi_free(ours);
	mp_cfi_free(gos);
	mp_elf_close(&f);
	return 0;
}
