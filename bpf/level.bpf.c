// SPDX-License-Identifier: GPL-2.0-only
/*
 * Returns the level of the pid namespace of the process that runs this program (BPF_PROG_TEST_RUN).
 */
#include "bpf/ids.h"

SEC("raw_tp")
int own_level_here(void *ctx)
{
	const struct task_struct___ids *task = (void *)bpf_get_current_task();

	(void)ctx;
	return (int)BPF_CORE_READ(task, thread_pid, level);
}

char _license[] SEC("license") = "GPL";
