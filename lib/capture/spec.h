/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What -e says, as text: names and what is asked of them. Needs no kernel.
 *
 *	EVENT[,EVENT]...
 *	EVENT = [stat:]NAME[:MODIFIERS][/SEGMENT]...[/[MODIFIERS]]
 *
 * A SEGMENT is a list of terms ("period=100,stack=none"), or a filter in the kernel's syntax
 * ("prev_pid==42 && next_comm~\"nginx*\""), or, behind the name of a PMU, its event ("event=0x3c").
 * Commas and slashes in quotes or parentheses stand for themselves.
 * Includes str only.
 */
#ifndef MP_CAPTURE_SPEC_H
#define MP_CAPTURE_SPEC_H

#include "lib/str.h"

/* Which parts of the call stack are taken. */
enum mp_stack_part {
	MP_STACK_UNSET = -1,
	MP_STACK_NONE = 0,
	MP_STACK_KERNEL = 1,
	MP_STACK_USER = 2,
	MP_STACK_BOTH = 3,
};

/* How the user part is taken. */
enum mp_stack_method {
	MP_METHOD_UNSET = -1,
	MP_METHOD_AUTO = 0,
	MP_METHOD_CFI = 1, /* registers and a copy of the stack, over call frame information */
	MP_METHOD_BPF = 2, /* over tables made of it, in the kernel */
	MP_METHOD_FP = 3,  /* along frame pointers, by the kernel */
	MP_METHODS,
};

struct mp_spec {
	bool count;	 /* stat: */
	char *name;	 /* may be a glob */
	char *filter;	 /* NULL: none */
	char *config;	 /* first segment that is no list of terms, for a PMU; NULL: none */
	uint64_t period; /* 0: not said */
	uint64_t freq;	 /* Hz; 0: not said */
	enum mp_stack_part stack;
	enum mp_stack_method method;
	int max_stack;	      /* 0: not said */
	uint64_t interval_ns; /* of what is read or counted; 0: not said */
	unsigned top;	      /* of memory; 0: not said */
	bool user, kernel;    /* modifiers u, k: count only there */
	unsigned precise;     /* modifier p, 0 to 3 */
};

struct mp_specs {
	struct mp_spec *v;
	size_t n, cap;
};

/* Appends what `text` says. Returns 0, or -1 with `*error` (owned by the caller). */
int mp_specs_parse(struct mp_specs *specs, const char *text, char **error);
void mp_specs_release(struct mp_specs *specs);

/* Whether the name of an event is that of a probe, see probe.h: "uprobe:", "mem:" and so on. */
bool mp_spec_is_probe(const char *name);

/*
 * "kernel", "user", "both", "none", or "auto", "cfi", "bpf", "fp", or one of each with a colon
 * between, as in "user:fp"; what is not said stays as it is. -1 if the text is something else.
 */
int mp_stack_parse(struct mp_str text, enum mp_stack_part *part, enum mp_stack_method *method);
const char *mp_stack_method_name(enum mp_stack_method method);

#endif
