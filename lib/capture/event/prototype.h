/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parameters of the kernel's functions and tracepoints, by the kernel's own types (BTF,
 * Documentation/bpf/btf.rst), and how fields are read from them.
 *
 *	FIELD = [NAME=]PARAMETER[->MEMBER]...[:TYPE]
 *
 * A dot means the same as an arrow. PARAMETER is a name, or arg1 and so on; retval is what a
 * function returns ($retval, if it has a parameter of that name). TYPE is u, s or x and 8, 16, 32
 * or 64, or string, or ustring (in the memory of the program). Includes tracefs.
 */
#ifndef MP_CAPTURE_EVENT_PROTOTYPE_H
#define MP_CAPTURE_EVENT_PROTOTYPE_H

#include "bpf/tracing.h"
#include "lib/capture/event/tracefs.h"

enum mp_traced {
	MP_TRACED_ENTRY,
	MP_TRACED_EXIT,
	MP_TRACED_POINT,
	MP_TRACED_TRACEFS, /* a tracepoint whose record is copied, see program.h */
	MP_TRACED_CALL,	   /* a system call whose texts are read, see call.h */
};

struct mp_prototype {
	struct mp_tracing_setup setup; /* settings for the program */
	struct mp_tp *tp;	       /* the fields of its record; owned by the caller */
};

/*
 * The fields that `list` names, separated by commas; if `list` is NULL, all parameters that are
 * numbers or pointers, as far as there is room. Returns 0, or -1 with `*error` (owned by the
 * caller).
 */
int mp_prototype_find(struct mp_prototype *p, enum mp_traced traced, const char *name,
		      const char *list, char **error);

/* The offset of a field in the record, by its number; p->tp->fields has room for all. */
uint32_t mp_tracing_offset(size_t field);

/* Calls `each` for the names that match a glob, of the kernel and its modules. Returns how many. */
typedef void mp_prototype_fn(void *arg, const char *name);

size_t mp_prototypes_each(enum mp_traced traced, const char *glob, mp_prototype_fn *each,
			  void *arg);

/* Frees the types of the kernel that were read, some MiB; they are read again if necessary. */
void mp_prototypes_forget(void);

#endif
