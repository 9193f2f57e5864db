/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is passed to functions of the kernel and to its tracepoints, by the kernel's own types (BTF,
 * Documentation/bpf/btf.rst): how fields are taken out of it.
 *
 *	FIELD = [NAME=]PARAMETER[->MEMBER]...[:TYPE]
 *
 * A dot is as good as an arrow. PARAMETER is a name, or arg1 and so on; retval is what a function
 * returns ($retval, if it has a parameter of that name). TYPE is u, s or x and 8, 16, 32 or 64, or
 * string, or ustring (in the memory of the program). Includes tracefs.
 */
#ifndef MP_CAPTURE_EVENT_PROTOTYPE_H
#define MP_CAPTURE_EVENT_PROTOTYPE_H

#include "bpf/tracing.h"
#include "lib/capture/event/tracefs.h"

enum mp_traced {
	MP_TRACED_ENTRY,
	MP_TRACED_EXIT,
	MP_TRACED_POINT,
	MP_TRACED_TRACEFS, /* a tracepoint, by its record: program.h */
};

struct mp_prototype {
	struct mp_tracing_setup setup; /* for the program */
	struct mp_tp *tp;	       /* the fields in its record; owned by the caller */
};

/*
 * The fields that `list` names, separated by commas; of NULL all parameters that are numbers or
 * pointers, as far as there is room. 0, or -1 with `*error` (owned by the caller).
 */
int mp_prototype_find(struct mp_prototype *p, enum mp_traced traced, const char *name,
		      const char *list, char **error);

/* Where a field is in the record, by its number; p->tp->fields have room for all. */
uint32_t mp_tracing_offset(size_t field);

/* Calls `each` for the names that match a glob, of the kernel and its modules. Returns how many. */
typedef void mp_prototype_fn(void *arg, const char *name);

size_t mp_prototypes_each(enum mp_traced traced, const char *glob, mp_prototype_fn *each,
			  void *arg);

/* Frees the types of the kernel that were read, some MiB; they are read again if necessary. */
void mp_prototypes_forget(void);

#endif
