/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of bpf/, which are part of mp-record. libbpf. Includes base only. */
#ifndef MP_CAPTURE_BPF_BPF_H
#define MP_CAPTURE_BPF_BPF_H

#include "lib/core/base.h"

enum mp_bpf_programs { MP_BPF_FILTER, MP_BPF_UNWIND, MP_BPF_AGGREGATE, MP_BPF_TRACING };

/* False: mp-record was built without clang, and there are none. */
bool mp_bpf_built(void);

/*
 * Opens programs, to be loaded and closed by the caller. NULL with errno: there are none, or libbpf
 * cannot; it says nothing by itself from here on.
 */
struct bpf_object;
struct bpf_object *mp_bpf_open(enum mp_bpf_programs which);

#endif
