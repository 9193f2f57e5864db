/* SPDX-License-Identifier: GPL-2.0-only */
/* What bpf/ids.h and lib/capture/bpf/bpf.c share. */
#ifndef MP_BPF_NAMESPACE_H
#define MP_BPF_NAMESPACE_H

#include <linux/types.h>

/* The pid namespace of mp-record; user space sets it before a program is loaded. */
struct mp_bpf_namespace {
	__u32 level; /* 0: the initial one */
	__u32 inode;
};

#endif
