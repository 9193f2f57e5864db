/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What bpf/timer.bpf.c and lib/capture/bpf/timer_source.c share: which ticks of a timer are kept.
 */
#ifndef MP_BPF_TIMER_H
#define MP_BPF_TIMER_H

#include <linux/types.h>

/* Constants of a loaded program. */
struct mp_timer_setting {
	__u64 limit;
	__u32 below; /* 1: keep ticks at which the counter moved less than the limit; 0: more */
	__u32 unused;
};

/* What a tick stores for the next tick on its CPU. */
struct mp_timer_last {
	__u64 value;
	__u64 known; /* 0: there was no tick yet */
};

_Static_assert(sizeof(struct mp_timer_setting) == 16, "the same on both sides");

#endif
