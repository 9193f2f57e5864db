// SPDX-License-Identifier: GPL-2.0-only
/*
 * Excludes processes from a sampled event. The program does no more than that, so that it can be
 * loaded without the kernel's types, which take libbpf 15 ms to read: it is for recordings without
 * conditions (filter.bpf.c).
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
