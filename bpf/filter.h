/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What bpf/filter.bpf.c shares with user space: which samples are kept, and the flags seen at
 * wakeups.
 */
#ifndef MP_BPF_FILTER_H
#define MP_BPF_FILTER_H

#include <linux/types.h>

/* Constants of a loaded program: a condition that is not used costs nothing. */
struct mp_filter_setting {
	__u64 need_resched; /* bit of thread_info.flags that must be set; 0: any */
	__u32 irqs_off;
	__u32 running; /* the next two members are a condition */
	__u32 running_min, running_max;
};

/*
 * The threads of an experiment (lib/capture/bpf/bpfresched.c): the program notes the flags of the
 * waker each time it wakes the other thread.
 */
struct mp_wakes {
	__u32 waker, woken; /* thread ids */
	__u64 count;
	/* flags that were set at every wakeup so far; before the first one, all bits */
	__u64 flags;
};

_Static_assert(sizeof(struct mp_filter_setting) == 24, "both sides agree");
_Static_assert(sizeof(struct mp_wakes) == 24, "both sides agree");

#endif
