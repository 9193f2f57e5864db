// SPDX-License-Identifier: GPL-2.0-only
/*
 * Excludes processes from a sampled event. For recordings without conditions, it replaces
 * filter.bpf.c: it can be loaded without the kernel's types, which libbpf takes 15 ms to read.
 */
#include "bpf/excluded.h"

SEC("perf_event")
int exclude(void *ctx)
{
	(void)ctx;
	return !is_excluded(bpf_get_current_pid_tgid() >> 32);
}

char _license[] SEC("license") = "GPL";
