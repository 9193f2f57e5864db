/* SPDX-License-Identifier: GPL-2.0-only */
/* C++, Rust and D names for people. The only user of libiberty. */
#ifndef MP_CAPTURE_OBJECT_DEMANGLE_H
#define MP_CAPTURE_OBJECT_DEMANGLE_H

/*
 * What a mangled name stands for, without parameters, as perf shows it; NULL if it is not mangled.
 * Freed by the caller.
 */
char *mp_demangle(const char *name);

#endif
