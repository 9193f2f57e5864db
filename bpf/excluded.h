/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes that a program excludes. Needs no types of the kernel. */
#ifndef MP_BPF_EXCLUDED_H
#define MP_BPF_EXCLUDED_H

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include "bpf/targeted.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MP_BPF_EXCLUDED);
	__type(key, __u32); /* process */
	__type(value, __u8);
} excluded SEC(".maps");

static __always_inline bool is_excluded(__u32 tgid)
{
	return bpf_map_lookup_elem(&excluded, &tgid);
}

#endif
