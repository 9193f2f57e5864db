/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Demangles names of C++, Rust and D, within limits of time and length, since a name of 60 bytes
 * can take years. The only user of libiberty. Includes str only.
 */
#ifndef MP_CAPTURE_OBJECT_DEMANGLE_H
#define MP_CAPTURE_OBJECT_DEMANGLE_H

#include "lib/core/str.h"

struct mp_demangler;

/*
 * For the calling thread. Its time limit is a timer of this thread's CPU time, by SIGVTALRM;
 * without such a timer, names of C++ and Rust stay mangled.
 */
struct mp_demangler *mp_demangler_new(void);
void mp_demangler_free(struct mp_demangler *d);

/*
 * The name without parameters, as perf shows it, or its first 4 KiB; valid until the next call. The
 * name of a D function lacks templates and outer functions. An empty text: it is not mangled, or
 * takes too long.
 */
struct mp_str mp_demangle(struct mp_demangler *d, const char *name);

#endif
