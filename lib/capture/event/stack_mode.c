// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/stack_mode.h"

#include <stdio.h>

#include "lib/capture/host/archs.h"

enum { MAX_FRAMES = 1024 }; /* a line has at most 1 MiB: docs of mp-stream(5) */

/* kernel.perf_event_max_stack */
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
	return e->tracing && e->tracing->traced != MP_TRACED_POINT;
}

/* A probe, but not a tracepoint of any kind. */
static bool is_rare(const struct mp_spec *spec)
{
	return spec->probe && strncmp(spec->name, "rawtp:", 6) != 0;
}

/*
 * Copies of stacks are for sampled events: 1,000 a second cost 20 MB/s. Events whose every
 * occurrence is recorded may come 100 times as often.
 */
static enum mp_stack_method choose_method(const struct mp_event *e, const struct mp_spec *spec,
					  const struct mp_event_options *options)
{
	enum mp_stack_method method = spec->method;

	if (method == MP_METHOD_UNSET)
		method = options->method;
	/* a probe is about the stack of a program, and is not a raw tracepoint */
	if (method == MP_METHOD_AUTO && (!e->each || is_rare(spec)) && mp_arch_here())
		method = MP_METHOD_CFI;
	/*
	 * The kernel drops an event that has a program of its own if it comes within another
	 * program (page faults: 1 of 2,000): only the user can request this.
	 */
	if (method == MP_METHOD_AUTO)
		method = e->tp ? MP_METHOD_BPF : MP_METHOD_FP;
	/* an event has one program */
	if (method == MP_METHOD_BPF && (mp_when_any(&spec->when) || is_function(e)))
		method = mp_arch_here() ? MP_METHOD_CFI : MP_METHOD_FP;
	/* a program cannot be attached to tracepoints of single system calls */
	if (method == MP_METHOD_BPF &&
	    (!mp_arch_has_bpf() || (e->tp && strcmp(e->tp->system, "syscalls") == 0)))
		method = MP_METHOD_FP;
	return method;
}

/* The stack comes separately; the sample only has the current address of the program. */
static void request_address(struct mp_event *e)
{
	e->attr.sample_type |= PERF_SAMPLE_REGS_USER;
	e->attr.sample_regs_user = mp_arch_here()->perf_pc;
	e->attr.exclude_callchain_user = 1;
	if (e->attr.exclude_callchain_kernel)
		e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
}

void mp_event_use_fp(struct mp_event *e)
{
	e->method = MP_METHOD_FP;
	e->attr.sample_type &= ~(uint64_t)PERF_SAMPLE_REGS_USER;
	e->attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	e->attr.sample_regs_user = 0;
	e->attr.exclude_callchain_user = 0;
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

/*
 * How many frames are requested: one more than is written, if possible, to see whether there are
 * more.
 */
int mp_event_set_stack(struct mp_event *e, const struct mp_spec *spec,
		       const struct mp_event_options *options, char **error)
{
	enum mp_stack_part part = spec->stack;
	unsigned limit = max_stack_limit(), want = spec->max_stack;

	e->method = MP_METHOD_UNSET;
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
