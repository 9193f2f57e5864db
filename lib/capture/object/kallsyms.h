/* SPDX-License-Identifier: GPL-2.0-only */
/* Symbols of the kernel and its modules, from /proc/kallsyms. Includes symtab. */
#ifndef MP_CAPTURE_OBJECT_KALLSYMS_H
#define MP_CAPTURE_OBJECT_KALLSYMS_H

#include "lib/capture/object/symtab.h"

/* The kernel's own code, without that of modules; 0: unknown. */
struct mp_kernel_text {
	uint64_t start, end; /* _stext, _etext */
};

/*
 * Fills a table with the functions; it stays empty if the kernel hides addresses
 * (kernel.kptr_restrict).
 */
void mp_kallsyms_load(struct mp_symtab *t, struct mp_kernel_text *kernel);

/* Adds the functions in a text that has the format of /proc/kallsyms. */
void mp_kallsyms_parse(struct mp_symtab *t, struct mp_kernel_text *kernel, struct mp_str text);

/* The address of a function or a variable; 0 if there is none, or if the kernel hides it. */
uint64_t mp_kallsyms_address(struct mp_str name);

#endif
