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

/*
 * The objects with the programs. The Makefile defines their folder, and a row for each object;
 * without clang there are none.
 */
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

static const struct object *find_object(const char *name)
{
	const struct object *o = objects;

	while (o->name && strcmp(o->name, name) != 0)
		o++;
	errno = ENOSYS;
	return o->name ? o : NULL;
}

static struct bpf_object *open_object(const char *start, size_t len)
{
	libbpf_set_print(quiet);
	return bpf_object__open_mem(start, len, NULL);
}

/*
 * The level of our pid namespace below the initial one. Returns 0 with errno if it cannot be found.
 * A BPF program reads it, since /proc does not show the outer namespaces.
 */
static uint32_t find_level(void)
{
	const struct object *o = find_object("level");
	struct bpf_object *object = o ? open_object(o->start, o->end - o->start) : NULL;
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int error;

	if (!object)
		return 0;
	error = bpf_object__load(object);
	if (!error)
		error = bpf_prog_test_run_opts(
			bpf_program__fd(bpf_object__find_program_by_name(object, "own_level_here")),
			&opts);
	bpf_object__close(object);
	errno = -error;
	return error ? 0 : opts.retval;
}

/* Replaces each instruction "rN = MP_BPF_INITIAL" by "rN = level". */
static void set_level(char *start, size_t len, uint32_t level)
{
	enum { MOV64 = 0xb7, REGISTERS = 11 };
	struct bpf_insn insn;
	size_t i;

	for (i = 0; i + sizeof(insn) <= len; i += sizeof(insn)) {
		memcpy(&insn, start + i, sizeof(insn));
		if (insn.code != MOV64 || insn.dst_reg >= REGISTERS || insn.src_reg || insn.off ||
		    insn.imm != MP_BPF_INITIAL)
			continue;
		insn.imm = (int32_t)level;
		memcpy(start + i, &insn, sizeof(insn));
	}
}

/* Opens an object in an inner pid namespace. Returns NULL with errno on failure. */
static struct bpf_object *open_inner(const struct object *o, uint32_t inode)
{
	/* libbpf reads the bytes until the programs are loaded */
	static char *copies[MP_ARRAY_SIZE(objects)];
	struct mp_bpf_namespace own = { inode };
	char **copy = &copies[o - objects];
	struct bpf_object *object;
	struct bpf_map *ids;
	static uint32_t level;

	if (!level)
		level = find_level();
	if (!level)
		return NULL;
	if (!*copy) {
		*copy = mp_memdup(o->start, o->end - o->start);
		set_level(*copy, o->end - o->start, level);
	}
	object = open_object(*copy, o->end - o->start);
	ids = object ? bpf_object__find_map_by_name(object, ".rodata.ids") : NULL;
	if (ids)
		bpf_map__set_initial_value(ids, &own, sizeof(own));
	return object;
}

struct bpf_object *mp_bpf_open(const char *name)
{
	const struct object *o = find_object(name);
	uint32_t inode = mp_proc_inner_namespace();

	if (!o)
		return NULL;
	return inode ? open_inner(o, inode) : open_object(o->start, o->end - o->start);
}

uint64_t mp_bpf_skipped(const struct bpf_program *p)
{
	struct bpf_prog_info info = { .type = 0 };
	uint32_t size = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &size) < 0)
		return 0;
	return info.recursion_misses;
}

/*
 * Picks a process that cannot hit a probe, on which the probe is held open: a kernel thread, which
 * has no user memory; or 0 (this process) if none is visible.
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
