// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdlib.h>
#include <sys/ioctl.h>

struct mp_bpf {
	struct bpf_object *object;
};

/* The objects, from bpf/; the Makefile says where they are. Empty where clang was missing. */
#ifdef MP_BPF_EXCLUDE
__asm__(".section .rodata\n"
	".balign 8\n"
	"mp_exclude_object: .incbin \"" MP_BPF_EXCLUDE "\"\n"
	"mp_exclude_object_end: .byte 0\n"
	".previous\n");
extern const char mp_exclude_object[], mp_exclude_object_end[];
#else
static const char mp_exclude_object[1], *const mp_exclude_object_end = mp_exclude_object;
#endif

static int quiet(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level, (void)fmt, (void)ap;
	return 0;
}

static bool add_pids(struct bpf_object *object, const struct mp_pids *pids)
{
	int map = bpf_object__find_map_fd_by_name(object, "excluded");
	uint8_t one = 1;
	size_t i;

	for (i = 0; i < pids->n && map >= 0; i++)
		if (bpf_map_update_elem(map, &pids->v[i], &one, BPF_ANY) < 0)
			return false;
	return map >= 0;
}

/*
 * Events that are recorded each time have an account that the kernel's counter must fit: not those.
 */
static void attach(struct bpf_object *object, const struct mp_rings *rings,
		   const struct mp_events *events)
{
	int program = bpf_program__fd(bpf_object__find_program_by_name(object, "exclude"));
	size_t i;

	for (i = 0; i < rings->n_counters; i++) {
		const struct mp_event *e = &events->v[rings->counters[i].event];

		if (!e->each && !e->tp && e->method != MP_METHOD_BPF) /* one program an event */
			ioctl(rings->counters[i].fd, PERF_EVENT_IOC_SET_BPF, program);
	}
}

struct mp_bpf *mp_bpf_exclude(const struct mp_rings *rings, const struct mp_events *events,
			      const struct mp_pids *pids)
{
	size_t size = mp_exclude_object_end - mp_exclude_object;
	struct bpf_object *object;
	struct mp_bpf *b;

	if (size == 0)
		return NULL;
	libbpf_set_print(quiet);
	object = bpf_object__open_mem(mp_exclude_object, size, NULL);
	if (!object)
		return NULL;
	if (bpf_object__load(object) < 0 || !add_pids(object, pids)) {
		bpf_object__close(object);
		return NULL;
	}
	attach(object, rings, events);
	b = mp_zalloc(sizeof(*b));
	b->object = object;
	return b;
}

void mp_bpf_free(struct mp_bpf *b)
{
	if (!b)
		return;
	bpf_object__close(b->object);
	free(b);
}
