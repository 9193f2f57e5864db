/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of bpf/, which mp-record contains. Uses libbpf. Includes base only. */
#ifndef MP_CAPTURE_BPF_BPF_H
#define MP_CAPTURE_BPF_BPF_H

#include "lib/core/base.h"

enum mp_bpf_programs { MP_BPF_FILTER, MP_BPF_UNWIND, MP_BPF_AGGREGATE, MP_BPF_TRACING };

/* False: mp-record was built without clang and contains no programs. */
bool mp_bpf_built(void);

/*
 * Opens programs, which the caller loads and closes. NULL with errno: mp-record contains none, or
 * libbpf fails. libbpf prints no messages of its own from then on.
 */
struct bpf_object;
struct bpf_object *mp_bpf_open(enum mp_bpf_programs which);

#endif
