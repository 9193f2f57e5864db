// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/bpf/bpf.h"

#include <bpf/libbpf.h>
#include <errno.h>

struct object {
	const char *start, *end;
};

/* The Makefile defines the folder of the objects, unless there was no clang to compile them. */
#ifdef MP_BPF_FOLDER
#define EMBED(name)                                                                 \
	__asm__(".section .rodata\n"                                                \
		".balign 8\n"                                                       \
		"mp_bpf_" #name ": .incbin \"" MP_BPF_FOLDER "/" #name ".bpf.o\"\n" \
		"mp_bpf_" #name "_end: .byte 0\n"                                   \
		".previous\n");                                                     \
	extern const char mp_bpf_##name[], mp_bpf_##name##_end[];

EMBED(filter)
EMBED(unwind)
EMBED(aggregate)
EMBED(tracing)

static const struct object objects[] = {
	[MP_BPF_FILTER] = { mp_bpf_filter, mp_bpf_filter_end },
	[MP_BPF_UNWIND] = { mp_bpf_unwind, mp_bpf_unwind_end },
	[MP_BPF_AGGREGATE] = { mp_bpf_aggregate, mp_bpf_aggregate_end },
	[MP_BPF_TRACING] = { mp_bpf_tracing, mp_bpf_tracing_end },
};
#else
static const struct object objects[] = { [MP_BPF_TRACING] = { NULL, NULL } };
#endif

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level, (void)fmt, (void)ap;
	return 0;
}

bool mp_bpf_built(void)
{
	return objects[MP_BPF_AGGREGATE].start;
}

struct bpf_object *mp_bpf_open(enum mp_bpf_programs which)
{
	const struct object *o = &objects[which];

	libbpf_set_print(quiet);
	errno = ENOSYS;
	return o->start ? bpf_object__open_mem(o->start, o->end - o->start, NULL) : NULL;
}
