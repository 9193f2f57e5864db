// SPDX-License-Identifier: GPL-2.0-only
/*
 * Excludes processes from a sampled event. For recordings without conditions, it replaces
 * filter.bpf.c: it can be loaded without the kernel's types, which libbpf takes 15 ms to read.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32); /* process, in the initial pid namespace */
	__type(value, __u8);
} excluded SEC(".maps");

SEC("perf_event")
int exclude(void *ctx)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;

	(void)ctx;
	return !bpf_map_lookup_elem(&excluded, &pid);
}

char _license[] SEC("license") = "GPL";
