// SPDX-License-Identifier: GPL-2.0-only
/*
 * Decides which ticks of a timer are kept: attached to the event of the timer, the program compares
 * how far a counter of the CPU moved since the previous tick with the limit. It returns 0 for no
 * sample.
 */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "bpf/excluded.h"
#include "bpf/ids.h"
#include "bpf/timer.h"

const volatile struct mp_timer_setting setting = { 0 };

struct {
	__uint(type, BPF_MAP_TYPE_PERF_EVENT_ARRAY); /* counters by CPU */
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(__u32));
} counters SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct mp_timer_last);
} last SEC(".maps");

SEC("perf_event")
int tick(void *ctx)
{
	__u32 zero = 0;
	struct mp_timer_last *l = bpf_map_lookup_elem(&last, &zero);
	struct bpf_perf_event_value now;
	__u64 moved, known;

	(void)ctx;
	if (!l || bpf_perf_event_read_value(&counters, BPF_F_CURRENT_CPU, &now, sizeof(now)))
		return 0;
	moved = now.counter - l->value;
	known = l->known;
	l->value = now.counter;
	l->known = 1;
	if (!known || is_excluded(current_ids() >> 32))
		return 0;
	return setting.below ? moved < setting.limit : moved > setting.limit;
}

char _license[] SEC("license") = "GPL";
