// SPDX-License-Identifier: GPL-2.0-only
/*
 * Walks over stacks of real programs of other architectures at each of their instructions,
 * including prologues and epilogues. tests/chain/make has recorded the stacks, and the callers,
 * which it knows from how each function was entered. Then walks over them again with a signal at
 * each instruction.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/object/elfcfi.h"
#include "lib/capture/stack/unwind.h"
#include "tests/unit/tap.h"

#define FOLDER "tests/chain/"

enum {
	STACK_SIZE = 4096, /* more bytes than the program uses */
	FRAMES = 16,
	REGS = 33,
	SIGNATURE = 48, /* the address bits above the stack */
};

struct program {
	const struct mp_arch *arch;
	const char *name;
	uint64_t base;	 /* the address for which it is linked */
	size_t sp, link; /* indexes of its registers in a sample */
	/* the expected numbers of steps, and of those with a signed address */
	size_t steps, signed_ones;
};

struct state {
	const struct program *p;
	struct mp_unwinder unwinder;
	struct mp_dso file;
	struct mp_space space;
	uint64_t regs[REGS], top;
	uint64_t handler, signal_return;
	char stack[STACK_SIZE]; /* the stack, which ends at `top` */
	size_t steps, wrong, wrong_signals, in_link_register, signed_ones, deepest;
};

static void set_word(struct state *s, uint64_t addr, uint64_t v)
{
	uint64_t at = addr - (s->top - STACK_SIZE);

	if (at <= STACK_SIZE - sizeof(v))
		memcpy(s->stack + at, &v, sizeof(v));
}

static bool walk(struct state *s, const uint64_t *regs, const char *stack, const uint64_t *want,
		 size_t n_want)
{
	uint64_t left = s->top - regs[s->p->sp], ips[FRAMES];
	struct mp_dump dump = {
		.abi = PERF_SAMPLE_REGS_ABI_64,
		.regs = regs,
		.stack = stack + STACK_SIZE - left,
		.len = left,
		.asked = STACK_SIZE,
	};
	enum mp_unwind_end end;
	size_t n;

	end = mp_unwind(&s->unwinder, &s->space, &dump, ips, FRAMES, &n);
	if (end == MP_UNWIND_COMPLETE && n == n_want && memcmp(ips, want, n * sizeof(*ips)) == 0)
		return true;
	if (s->wrong + s->wrong_signals == 0)
		printf("# at %llx: %s, %zu frames of %zu\n", (unsigned long long)want[0],
		       mp_unwind_end_name(end), n, n_want);
	return false;
}

/*
 * A signal arrives here, and a sample is taken at the first instruction of its handler: the
 * kernel's frame is at the stack pointer, and the handler returns to the function of the vDSO.
 */
static bool walk_over_signal(struct state *s, uint64_t *want, size_t n_want)
{
	const struct mp_arch *arch = s->p->arch;
	size_t frame = arch->signal_regs + sizeof(s->regs);
	uint64_t sp = (s->regs[s->p->sp] - frame) & ~15ull, regs[REGS] = { 0 };
	char stack[STACK_SIZE];
	size_t i;

	memcpy(stack, s->stack, sizeof(stack));
	memcpy(stack + STACK_SIZE - (s->top - sp) + arch->signal_regs, s->regs, arch->n_regs * 8);
	for (i = 0; i < arch->n_regs; i++)
		if (arch->dwarf[i] == arch->pc)
			regs[i] = s->handler;
	regs[s->p->sp] = sp;
	regs[s->p->link] = s->signal_return;
	memmove(want + 2, want, n_want * sizeof(*want));
	want[0] = s->handler;
	want[1] = s->signal_return + 1; /* the two innermost frames have not made a call */
	want[2]++;
	return walk(s, regs, stack, want, n_want + 2);
}

/* "PC CALLER...": the expected result of a walk. */
static void check_step(struct state *s, char *text)
{
	uint64_t want[FRAMES + 2] = { 0 }, link = s->regs[s->p->link];
	char *save = NULL, *word;
	size_t n = 0;

	for (word = strtok_r(text, " \n", &save); word && n < FRAMES - 2;
	     word = strtok_r(NULL, " \n", &save))
		want[n++] = strtoull(word, NULL, 16);
	s->steps++;
	s->in_link_register += n > 1 && link == want[1];
	s->signed_ones += link >> SIGNATURE != 0;
	s->deepest = MP_MAX(s->deepest, n);
	s->wrong += !walk(s, s->regs, s->stack, want, n);
	s->wrong_signals += !walk_over_signal(s, want, n);
}

static void read_line(struct state *s, char *line)
{
	char *rest = line + 2;
	uint64_t which;

	switch (line[0]) {
	case 't':
		s->top = strtoull(rest, NULL, 16);
		break;
	case 'h':
		s->handler = strtoull(rest, &rest, 16);
		s->signal_return = strtoull(rest, NULL, 16);
		break;
	case 'r':
		which = strtoull(rest, &rest, 10);
		if (which < MP_ARRAY_SIZE(s->regs))
			s->regs[which] = strtoull(rest, NULL, 16);
		break;
	case 'm':
		which = strtoull(rest, &rest, 16);
		set_word(s, which, strtoull(rest, NULL, 16));
		break;
	case 's':
		check_step(s, rest);
		break;
	}
}

static bool load(struct state *s, struct mp_dsos *dsos, const char *path)
{
	struct mp_limit limit = MP_LIMIT_INIT;
	int fd = open(path, O_RDONLY);
	struct mp_mapping mapping;

	s->file = (struct mp_dso){ .fd = -1, .loaded = true, .cfi_loaded = true, .cfi_id = 1 };
	mapping = (struct mp_mapping){ s->p->base, s->p->base + 0x1000, 0, &s->file };
	s->space = (struct mp_space){ .refs = 1, .id = 1 };
	mp_space_add(&s->space, &mapping, NULL, 0);
	mp_unwinder_init(&s->unwinder, s->p->arch, dsos);
	if (fd < 0)
		return false;
	s->file.cfi = mp_elfcfi_load(fd, NULL, NULL, &s->file.segments, &limit);
	s->file.symbols = mp_elfsym_load(fd, NULL, NULL, &limit);
	dsos->vdso = &s->file;
	close(fd);
	return s->file.cfi && s->file.symbols;
}

static void test_program(const struct program *p)
{
	char *path = mp_asprintf(FOLDER "%s", p->name), *steps = mp_asprintf("%s.steps", path);
	static struct state s;
	struct mp_dsos dsos;
	char line[512];
	FILE *f;

	s = (struct state){ .p = p };
	mp_dsos_init(&dsos, NULL);
	f = fopen(steps, "re");
	ok(load(&s, &dsos, path) && f, "%s: the program and its steps can be read", p->name);
	while (f && fgets(line, sizeof(line), f))
		read_line(&s, line);
	ok(s.steps == p->steps && s.wrong == 0,
	   "%s: %zu steps, each with its callers up to the root: %zu not", p->name, s.steps,
	   s.wrong);
	ok(s.deepest == 8 && s.in_link_register > 20,
	   "%s: %zu frames; %zu with the caller in a register", p->name, s.deepest,
	   s.in_link_register);
	ok(s.signed_ones == p->signed_ones, "%s: %zu with it signed there", p->name, s.signed_ones);
	ok(s.wrong_signals == 0, "%s: the same with a signal on top of each: %zu not", p->name,
	   s.wrong_signals);
	if (f)
		fclose(f);
	mp_space_clear(&s.space, NULL);
	mp_cfi_free(s.file.cfi);
	mp_elfsym_free(s.file.symbols);
	mp_segments_release(&s.file.segments);
	mp_unwinder_release(&s.unwinder);
	dsos.vdso = NULL;
	mp_dsos_release(&dsos);
	free(steps);
	free(path);
}

int main(void)
{
	static const struct program programs[] = {
		{ &mp_arch_arm64, "arm64", 0x400000, 31, 30, 99, 41 },
		{ &mp_arch_riscv64, "riscv64", 0x10000, 2, 1, 116, 0 },
	};
	size_t i;

	mp_init("unit-chain");
	for (i = 0; i < MP_ARRAY_SIZE(programs); i++)
		test_program(&programs[i]);
	return tap_done();
}
