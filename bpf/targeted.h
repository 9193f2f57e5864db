/* SPDX-License-Identifier: GPL-2.0-only */
/* What bpf/target.h and lib/capture/bpf/bpftarget.c share. */
#ifndef MP_BPF_TARGETED_H
#define MP_BPF_TARGETED_H

#include <linux/types.h>

#define MP_BPF_EXCLUDED 1024u	   /* most processes that are excluded */
#define MP_BPF_TARGETS (16u << 10) /* most targets: processes, or threads if by_thread is set */
#define MP_BPF_CGROUPS 64u

/* User space sets this before it loads the program. */
struct mp_bpf_targeted {
	__u8 by_task;	/* only the tasks in `targets` are recorded */
	__u8 by_thread; /* `targets` are threads */
	__u16 n_cgroups;
	__u32 command; /* a process that becomes a target by execve(2); 0: none */
};

#endif
