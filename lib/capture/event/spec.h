/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses the text of -e: names of events and their terms. Needs no kernel.
 *
 *	EVENT[,EVENT]...
 *	EVENT = [stat:]NAME[:MODIFIERS][/SEGMENT]...[/[MODIFIERS]]
 *	NAME = a name, or for a ratio of counters NAME=(EVENT,EVENT)
 *
 * A SEGMENT is a list of terms ("period=100,stack=none"), or a filter in the kernel's syntax
 * ("prev_pid==42 && next_comm~\"nginx*\""), or, after the name of a PMU, its event ("event=0x3c"),
 * which may have terms, too. Commas and slashes in quotes or parentheses do not separate anything.
 * Terms of aggregation: aggregate_spec.h.
 * Includes aggregate_spec, stack_method, str.
 */
#ifndef MP_CAPTURE_EVENT_SPEC_H
#define MP_CAPTURE_EVENT_SPEC_H

#include "lib/capture/event/aggregate_spec.h"
#include "lib/capture/host/stack_method.h"
#include "lib/core/str.h"

/* Which parts of the call stack are recorded. */
enum mp_stack_part {
	MP_STACK_UNSET = -1,
	MP_STACK_NONE = 0,
	MP_STACK_KERNEL = 1,
	MP_STACK_USER = 2,
	MP_STACK_BOTH = 3,
};

/* Conditional sampling: a sample is recorded if all given conditions hold. */
struct mp_when {
	bool irqs_off;	   /* interrupts were disabled */
	bool need_resched; /* the scheduler has marked the task to be preempted */
	/* the number of tasks that ran or waited for the CPU is in this range: */
	bool running;
	uint32_t running_min, running_max;
};

struct mp_spec {
	bool count; /* the name has the prefix "stat:" */
	/* the two events of a ratio of counters, owned; NULL: it is not a ratio */
	struct mp_spec *ratio;
	char *name;	 /* may be a glob */
	bool probe;	 /* a source has parsed the name, so that there are no modifiers */
	char *filter;	 /* the kernel's filter; NULL: none */
	char *config;	 /* terms that only a PMU knows; NULL: no segment */
	char *terms;	 /* KEY=VALUE,... that only the event's source knows; NULL: none */
	uint64_t period; /* period; 0: not given */
	uint64_t freq;	 /* frequency in Hz; 0: not given */
	enum mp_stack_part stack;
	enum mp_stack_method method;
	int max_stack;	      /* maximum number of frames; 0: not given */
	uint64_t interval_ns; /* interval of polled values and counters; 0: not given */
	unsigned top;	      /* number of processes for polled memory; 0: not given */
	bool user, kernel;    /* modifiers u, k: record only in user space, only in the kernel */
	bool host, guest;     /* modifiers H, G: only the host, only guests of a hypervisor */
	unsigned precise;     /* modifier p, 0 to 3 */
	bool most_precise;    /* modifier P: the highest precision available */
	bool memory;	      /* record the address, latency and source of memory accesses */
	struct mp_when when;
	struct mp_agg_terms agg;
};

struct mp_specs {
	struct mp_spec *v;
	size_t n, cap;
};

/* Whether the event is a probe on a program. */
bool mp_spec_is_user_probe(const struct mp_spec *spec);

/*
 * The length of the name of a probe at the start of `text`; 0 for another event, whose name ends at
 * the first slash or comma and may have modifiers.
 */
typedef size_t mp_spec_name_fn(const char *text);

/* Appends the specifications in `text`. Returns 0, or -1 with `*error` (owned by the caller). */
int mp_specs_parse(struct mp_specs *specs, const char *text, mp_spec_name_fn *parse_name,
		   char **error);

/* The same for events that are counted, with or without the prefix "stat:". */
int mp_specs_parse_counts(struct mp_specs *specs, const char *text, mp_spec_name_fn *parse_name,
			  char **error);
void mp_specs_release(struct mp_specs *specs);

/* Splits the next term that only the source knows off `*terms`. Returns false if there is none. */
bool mp_spec_next_term(const char **terms, struct mp_str *key, struct mp_str *value);

/*
 * Length of the text before the first byte of `stop` outside quotes and parentheses, or before the
 * end.
 */
size_t mp_spec_span(const char *text, const char *stop);

/*
 * Parses "kernel", "user", "both" or "none", or "auto", "cfi", "bpf" or "fp", or one of each with a
 * colon between, as in "user:fp"; the one that is not given is not changed. Returns -1 if the text
 * is something else.
 */
int mp_stack_mode_parse(struct mp_str text, enum mp_stack_part *part, enum mp_stack_method *method);

/*
 * Whether any condition is set; the name of the first one, for messages; whether two are the same.
 */
bool mp_when_any(const struct mp_when *when);
const char *mp_when_name(const struct mp_when *when);
bool mp_when_same(const struct mp_when *a, const struct mp_when *b);

#endif
