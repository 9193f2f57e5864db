/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of the kernel and its modules, from /proc/kallsyms. Includes symtab. */
#ifndef MP_CAPTURE_KALLSYMS_H
#define MP_CAPTURE_KALLSYMS_H

#include "lib/capture/symtab.h"

/* Fills a table; it stays empty where the kernel hides addresses (kernel.kptr_restrict). */
void mp_kallsyms_load(struct mp_symtab *t);

/* Adds the functions of a text in the format of /proc/kallsyms. */
void mp_kallsyms_parse(struct mp_symtab *t, struct mp_str text);

#endif
