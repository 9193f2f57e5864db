/* SPDX-License-Identifier: GPL-2.0-only */
/* Demangles names of C++, Rust and D. The only user of libiberty. */
#ifndef MP_CAPTURE_OBJECT_DEMANGLE_H
#define MP_CAPTURE_OBJECT_DEMANGLE_H

/*
 * The name without parameters, as perf shows it; NULL if it is not mangled. The caller frees it.
 */
char *mp_demangle(const char *name);

#endif
