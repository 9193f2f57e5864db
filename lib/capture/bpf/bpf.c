// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/bpf/bpf.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "lib/capture/host/proc.h"

struct object {
	const char *name, *start, *end;
};

/* The Makefile defines where the objects are, and a row for each; nothing where clang is missing. */
#ifdef MP_BPF_FOLDER
#define EMBED(name)                                                                 \
	__asm__(".section .rodata\n"                                                \
		".balign 8\n"                                                       \
		"mp_bpf_" #name ": .incbin \"" MP_BPF_FOLDER "/" #name ".bpf.o\"\n" \
		"mp_bpf_" #name "_end: .byte 0\n"                                   \
		".previous\n");                                                     \
	extern const char mp_bpf_##name[], mp_bpf_##name##_end[];
#define OBJECT(name) { #name, mp_bpf_##name, mp_bpf_##name##_end },

MP_BPF_OBJECTS(EMBED)

static const struct object objects[] = { MP_BPF_OBJECTS(OBJECT){ NULL, NULL, NULL } };
#else
static const struct object objects[] = { { NULL, NULL, NULL } };
#endif

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level, (void)fmt, (void)ap;
	return 0;
}

bool mp_bpf_built(void)
{
	return objects[0].name;
}

struct bpf_object *mp_bpf_open(const char *name)
{
	const struct object *o = objects;

	libbpf_set_print(quiet);
	while (o->name && strcmp(o->name, name) != 0)
		o++;
	errno = ENOSYS;
	return o->name ? bpf_object__open_mem(o->start, o->end - o->start, NULL) : NULL;
}

/*
 * A kernel thread, which cannot hit a probe since it has no user memory; 0, ourselves, if it is not
 * visible.
 */
static pid_t pick_holder(void)
{
	enum { KTHREADD = 2 };
	char comm[64];
	size_t len;

	if (!mp_proc_comm(KTHREADD, KTHREADD, comm, &len))
		return 0;
	return mp_str_eq((struct mp_str){ comm, len }, MP_STR("kthreadd")) ? KTHREADD : 0;
}

int mp_bpf_hold_probe(const struct mp_event *e, char **error)
{
	struct perf_event_attr attr = e->attr;

	attr.read_format = 0;
	return mp_ring_open_event(e, &attr, pick_holder(), -1, 0, error);
}
