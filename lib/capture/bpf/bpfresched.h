/* SPDX-License-Identifier: GPL-2.0-only */
/* Finds out which bit this kernel's TIF_NEED_RESCHED is. Includes base only. */
#ifndef MP_CAPTURE_BPF_BPFRESCHED_H
#define MP_CAPTURE_BPF_BPFRESCHED_H

#include "lib/core/base.h"

struct bpf_object;

/*
 * The bit of thread_info.flags that means that the task must give way. Returns 0 if it cannot be
 * found out, as without real-time priority. `object` is bpf/filter.bpf.c, loaded with its program
 * `observe`.
 */
uint64_t mp_bpf_resched_flag(struct bpf_object *object);

#endif
