/* SPDX-License-Identifier: GPL-2.0-only */
/* The methods by which the user part of a call stack is unwound. Includes str only. */
#ifndef MP_CAPTURE_HOST_STACK_METHOD_H
#define MP_CAPTURE_HOST_STACK_METHOD_H

#include "lib/core/str.h"

enum mp_stack_method {
	MP_METHOD_UNSET = -1,
	MP_METHOD_AUTO = 0,
	MP_METHOD_CFI = 1, /* mp-record unwinds a copy of the stack by call frame information */
	MP_METHOD_BPF = 2, /* a BPF program unwinds by tables made of call frame information */
	MP_METHOD_FP = 3,  /* the kernel follows frame pointers */
	MP_METHODS,
};

/* The name of a method: "auto", "cfi", "bpf" or "fp". */
const char *mp_stack_method_name(enum mp_stack_method method);

/* The method of a name; MP_METHOD_UNSET if there is none. */
enum mp_stack_method mp_stack_method_find(struct mp_str name);

#endif
