/* SPDX-License-Identifier: GPL-2.0-only */
/* What bpf/ids.h and lib/capture/bpf/bpf.c share. */
#ifndef MP_BPF_NAMESPACE_H
#define MP_BPF_NAMESPACE_H

#include <linux/types.h>

/*
 * The level of mp-record's pid namespace is a constant in the instructions of a program, since even
 * one more load from a map costs a walk of a stack 15 % (it misses the cache). This number means
 * the initial namespace; elsewhere lib/capture/bpf/bpf.c replaces it before the program is loaded.
 */
#define MP_BPF_INITIAL 0x5ca1ab1e

struct mp_bpf_namespace {
	__u32 inode; /* inode of mp-record's pid namespace, if that is not the initial one */
};

#endif
