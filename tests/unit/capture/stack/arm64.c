// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks over stacks of a real arm64 program at each of its instructions, prologues and ends of
 * functions among them, with signed return addresses: recorded by tests/arm64/make, which also says
 * what the callers are, by how each function was entered.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/capture/object/elfcfi.h"
#include "lib/capture/stack/unwind.h"
#include "tests/unit/tap.h"

#define PROGRAM "tests/arm64/chain"

enum {
	BASE = 0x400000,   /* where the program is linked to */
	STACK_SIZE = 4096, /* more than it uses */
	FRAMES = 16,
	SP = 31,
	SIGNATURE = 48, /* the bits of an address above it */
};

struct state {
	struct mp_unwinder unwinder;
	struct mp_dso file;
	struct mp_mapping mapping;
	struct mp_space space;
	uint64_t regs[33], top;
	char stack[STACK_SIZE]; /* ends at `top` */
	size_t steps, wrong, in_link_register, signed_ones, deepest;
};

static void take_word(struct state *s, uint64_t addr, uint64_t v)
{
	uint64_t at = addr - (s->top - STACK_SIZE);

	if (at <= STACK_SIZE - sizeof(v))
		memcpy(s->stack + at, &v, sizeof(v));
}

/* "PC CALLER...": what a walk has to give. */
static void check_step(struct state *s, char *text)
{
	uint64_t left = s->top - s->regs[SP], ips[FRAMES], want[FRAMES] = { 0 };
	struct mp_dump dump = {
		.abi = PERF_SAMPLE_REGS_ABI_64,
		.regs = s->regs,
		.stack = s->stack + STACK_SIZE - left,
		.len = left,
		.asked = STACK_SIZE,
	};
	enum mp_unwind_end end;
	size_t n_want = 0, n;
	char *save = NULL, *word;

	for (word = strtok_r(text, " \n", &save); word && n_want < FRAMES;
	     word = strtok_r(NULL, " \n", &save))
		want[n_want++] = strtoull(word, NULL, 16);
	end = mp_unwind(&s->unwinder, &s->space, &dump, ips, FRAMES, &n);
	s->steps++;
	s->in_link_register += n_want > 1 && s->regs[30] == want[1];
	s->signed_ones += s->regs[30] >> SIGNATURE != 0;
	s->deepest = MP_MAX(s->deepest, n_want);
	if (end == MP_UNWIND_WHOLE && n == n_want && memcmp(ips, want, n * sizeof(*ips)) == 0)
		return;
	if (s->wrong++ == 0)
		printf("# at %llx: %s, %zu frames of %zu\n", (unsigned long long)want[0],
		       mp_unwind_end_name(end), n, n_want);
}

static void take_line(struct state *s, char *line)
{
	char *rest = line + 2;
	uint64_t which;

	switch (line[0]) {
	case 't':
		s->top = strtoull(rest, NULL, 16);
		break;
	case 'r':
		which = strtoull(rest, &rest, 10);
		if (which < MP_ARRAY_SIZE(s->regs))
			s->regs[which] = strtoull(rest, NULL, 16);
		break;
	case 'm':
		which = strtoull(rest, &rest, 16);
		take_word(s, which, strtoull(rest, NULL, 16));
		break;
	case 's':
		check_step(s, rest);
		break;
	}
}

static bool load(struct state *s, struct mp_dsos *dsos)
{
	int fd = open(PROGRAM, O_RDONLY);

	s->file = (struct mp_dso){ .fd = -1, .cfi_loaded = true, .cfi_id = 1 };
	s->file.cfi = fd < 0 ? NULL : mp_elfcfi_load(fd, "", PROGRAM, &s->file.segments);
	s->mapping = (struct mp_mapping){ BASE, BASE + 0x1000, 0, &s->file };
	s->space = (struct mp_space){ .refs = 1, .id = 1, .v = &s->mapping, .n = 1 };
	mp_unwinder_init(&s->unwinder, &mp_arch_arm64, dsos);
	if (fd >= 0)
		close(fd);
	return s->file.cfi;
}

int main(void)
{
	static struct state s;
	struct mp_dsos dsos;
	char line[512];
	FILE *f;

	mp_init("unit-arm64");
	mp_dsos_init(&dsos);
	f = fopen(PROGRAM ".steps", "re");
	ok(load(&s, &dsos) && f, "the program and its steps can be read");
	while (f && fgets(line, sizeof(line), f))
		take_line(&s, line);
	ok(s.steps == 99 && s.wrong == 0,
	   "%zu steps, each with its callers up to the root: %zu not", s.steps, s.wrong);
	ok(s.deepest == 8 && s.in_link_register > 20 && s.signed_ones > 10,
	   "%zu frames; %zu with the caller in the link register alone, %zu with it signed there",
	   s.deepest, s.in_link_register, s.signed_ones);
	if (f)
		fclose(f);
	mp_cfi_free(s.file.cfi);
	mp_segments_release(&s.file.segments);
	mp_unwinder_release(&s.unwinder);
	mp_dsos_release(&dsos);
	return tap_done();
}
