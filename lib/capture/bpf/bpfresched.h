/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out what this kernel's TIF_NEED_RESCHED is. Includes base only. */
#ifndef MP_CAPTURE_BPF_BPFRESCHED_H
#define MP_CAPTURE_BPF_BPFRESCHED_H

#include "lib/core/base.h"

struct bpf_object;

/*
 * The bit of thread_info.flags that says that a task shall give way. `object`: of bpf/filter.bpf.c,
 * loaded with its program `observe`. 0 if it cannot be found out: realtime priority is needed.
 */
uint64_t mp_bpf_resched_flag(struct bpf_object *object);

#endif
