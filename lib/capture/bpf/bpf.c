// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/bpf/bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "bpf/namespace.h"
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

static struct bpf_object *open_object(const char *name)
{
	const struct object *o = objects;

	libbpf_set_print(quiet);
	while (o->name && strcmp(o->name, name) != 0)
		o++;
	errno = ENOSYS;
	return o->name ? bpf_object__open_mem(o->start, o->end - o->start, NULL) : NULL;
}

/* How deep our pid namespace is. A program finds it: /proc shows no outer namespace. */
static uint32_t find_level(void)
{
	struct bpf_object *object = open_object("level");
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	uint32_t level = 0;

	if (object && bpf_object__load(object) == 0 &&
	    bpf_prog_test_run_opts(
		    bpf_program__fd(bpf_object__find_program_by_name(object, "own_level")),
		    &opts) == 0)
		level = opts.retval;
	bpf_object__close(object);
	return level;
}

struct bpf_object *mp_bpf_open(const char *name)
{
	static struct mp_bpf_namespace own;
	static bool known;
	struct bpf_object *object = open_object(name);
	struct bpf_map *ids = object ? bpf_object__find_map_by_name(object, ".rodata.ids") : NULL;

	if (ids && !known) {
		own.inode = mp_proc_inner_namespace();
		own.level = own.inode ? find_level() : 0;
		known = true;
	}
	if (ids)
		bpf_map__set_initial_value(ids, &own, sizeof(own));
	return object;
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
