/* SPDX-License-Identifier: GPL-2.0-only */
/* What bpf/filter.bpf.c and lib/capture/bpf/bpffilter.c share: when samples are kept, and what is observed. */
#ifndef MP_BPF_FILTER_H
#define MP_BPF_FILTER_H

#include <linux/types.h>

/* Constants of a loaded program: what is not asked for costs nothing. */
struct mp_filter_setting {
	__u64 need_resched; /* bit of thread_info.flags that must be set; 0: any */
	__u32 irqs_off;
	__u32 running; /* the two below count */
	__u32 running_min, running_max;
};

/* A thread that wakes another: the flags that it has each time, at that moment. */
struct mp_wakes {
	__u32 waker, woken; /* threads */
	__u64 count;
	__u64 flags; /* that it had all times; all bits before the first */
};

_Static_assert(sizeof(struct mp_filter_setting) == 24, "the same on both sides");
_Static_assert(sizeof(struct mp_wakes) == 24, "the same on both sides");

#endif
