// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/stack_mode.h"

#include <stdio.h>

#include "bpf/unwind.h"
#include "lib/capture/host/archs.h"
#include "lib/core/syscalls.h"

enum { MAX_FRAMES = 1024 }; /* more might exceed the limit of a line, 1 MiB: see mp-stream(5) */

/* Reads kernel.perf_event_max_stack. */
static unsigned max_stack_limit(void)
{
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_stack", "re");
	unsigned limit = 127;

	if (f) {
		if (fscanf(f, "%u", &limit) != 1)
			limit = 127;
		fclose(f);
	}
	return limit;
}

static bool is_function(const struct mp_event *e)
{
	return e->tracing &&
	       (e->tracing->traced == MP_TRACED_ENTRY || e->tracing->traced == MP_TRACED_EXIT);
}

/* Whether the event is a probe that is not a tracepoint of any kind. */
static bool is_probe(const struct mp_spec *spec)
{
	return spec->probe && strncmp(spec->name, "rawtp:", 6) != 0;
}

static bool is_kernel_probe(const struct mp_spec *spec)
{
	return spec->probe && (strncmp(spec->name, "kprobe:", 7) == 0 ||
			       strncmp(spec->name, "kretprobe:", 10) == 0);
}

/* Finds the tracepoints at which a software event happens. */
static void find_software(struct mp_event *e)
{
	e->walk_on = MP_WALK_EVENT;
	if (e->attr.type != PERF_TYPE_SOFTWARE)
		return;
	if (e->attr.config == PERF_COUNT_SW_PAGE_FAULTS) {
		e->walk_on = MP_WALK_FAULT;
		e->points[0] = "page_fault_user";
		e->points[1] = "page_fault_kernel";
	} else if (e->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES) {
		e->walk_on = MP_WALK_TRACEPOINT;
		e->points[0] = "sched_switch";
	}
}

/* Finds what a BPF program can be attached to. */
static void find_walk(struct mp_event *e, const struct mp_spec *spec)
{
	bool enter = e->tp && strncmp(e->tp->name, "sys_enter_", 10) == 0;
	int number;

	if (e->user_probe) {
		e->walk_on = MP_WALK_PROBE;
	} else if (is_kernel_probe(spec)) {
		/* the kernel drops such an event within any program, without counting it */
		e->walk_on = MP_WALK_NEVER;
	} else if (e->tp && e->tp->system && strcmp(e->tp->system, "syscalls") == 0) {
		number =
			mp_syscall_number(e->tp->name + strlen(enter ? "sys_enter_" : "sys_exit_"));
		e->syscall = (unsigned)number;
		e->walk_on = number < 0 || e->syscall >= MP_BPF_SYSCALLS ? MP_WALK_NEVER
			     : enter					 ? MP_WALK_SYS_ENTER
									 : MP_WALK_SYS_EXIT;
	} else if (e->tp) {
		e->walk_on = MP_WALK_TRACEPOINT;
		e->points[0] = e->tp->name;
	} else {
		find_software(e);
	}
	/* an event can have only one program */
	if (mp_when_any(&spec->when) || is_function(e))
		e->walk_on = MP_WALK_NEVER;
}

/*
 * Chooses BPF if that loses nothing: an event that has a program of its own, unless it is a uprobe,
 * is dropped by the kernel if it happens within another program. Copies of stacks are for events
 * that are sampled or rare: 1,000 a second cost 20 MB/s, and an event that is recorded at each
 * occurrence may happen 100 times as often.
 */
static enum mp_stack_method default_method(const struct mp_event *e, const struct mp_spec *spec)
{
	if (!e->each)
		return MP_METHOD_CFI;
	if (e->user_probe || e->walk_on < MP_WALK_PROBE)
		return MP_METHOD_BPF;
	return is_probe(spec) || e->walk_on == MP_WALK_NEVER ? MP_METHOD_CFI : MP_METHOD_FP;
}

static enum mp_stack_method choose_method(const struct mp_event *e, const struct mp_spec *spec,
					  const struct mp_event_options *options)
{
	enum mp_stack_method method = spec->method;
	bool given;

	if (method == MP_METHOD_UNSET)
		method = options->method;
	given = method != MP_METHOD_AUTO;
	if (!given)
		method = default_method(e, spec);
	if (method == MP_METHOD_BPF && e->walk_on == MP_WALK_NEVER)
		method = MP_METHOD_CFI;
	if (method == MP_METHOD_BPF && !mp_arch_has_bpf())
		method = is_probe(spec) ? MP_METHOD_CFI : MP_METHOD_FP;
	if (method == MP_METHOD_CFI && !given && !mp_arch_here())
		method = MP_METHOD_FP;
	return method;
}

/* Requests the registers by which the stack of the sample, which comes separately, is found. */
static void request_address(struct mp_event *e)
{
	e->attr.sample_type |= PERF_SAMPLE_REGS_USER;
	e->attr.sample_regs_user = mp_arch_here()->bpf->perf_place;
	e->attr.exclude_callchain_user = 1;
	if (e->attr.exclude_callchain_kernel)
		e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
}

static void request_copy(struct mp_event *e, size_t bytes)
{
	e->attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	e->attr.sample_regs_user = mp_arch_here()->perf_regs;
	e->attr.sample_stack_user = bytes;
	e->attr.exclude_callchain_user = 1;
	if (e->attr.exclude_callchain_kernel)
		e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
}

void mp_event_without_bpf(struct mp_event *e)
{
	e->method = e->copy_bytes ? MP_METHOD_CFI : MP_METHOD_FP;
	if (e->copy_bytes) {
		request_copy(e, e->copy_bytes);
		return;
	}
	e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_REGS_USER;
	e->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	e->attr.sample_regs_user = 0;
	e->attr.exclude_callchain_user = 0;
}

/*
 * The number of frames to request: one more than will be written, if possible, to see whether there
 * are more.
 */
int mp_event_set_stack(struct mp_event *e, const struct mp_spec *spec,
		       const struct mp_event_options *options, char **error)
{
	enum mp_stack_part part = spec->stack;
	unsigned limit = max_stack_limit(), want = spec->max_stack;

	e->method = MP_METHOD_UNSET;
	find_walk(e, spec);
	e->copy_bytes = is_probe(spec) ? options->stack_size : 0;
	if (part == MP_STACK_UNSET)
		part = options->stack;
	if (!want)
		want = options->max_stack;
	if (part == MP_STACK_NONE)
		return 0;
	e->context |= MP_CTX_STACK;
	e->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	e->attr.exclude_callchain_kernel = part == MP_STACK_USER;
	e->attr.exclude_callchain_user = part == MP_STACK_KERNEL;
	if (part & MP_STACK_USER)
		e->method = choose_method(e, spec, options);
	if (e->method == MP_METHOD_CFI && !mp_arch_here()) {
		*error = mp_asprintf(
			"%s: stacks cannot be unwound on this processor architecture (-g fp "
			"follows frame pointers)",
			e->type);
		return -1;
	}
	if (e->method == MP_METHOD_CFI) {
		e->max_stack = want ? want : MAX_FRAMES;
		request_copy(e, options->stack_size);
	} else {
		e->max_stack = want ? MP_MIN(want, limit) : limit;
	}
	if (e->method == MP_METHOD_BPF)
		request_address(e);
	e->attr.sample_max_stack = MP_MIN(e->max_stack + 1, limit);
	return 0;
}
