// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/span_name.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/tap.h"

static const struct {
	const char *begin, *end, *name;
} cases[] = {
	{ "syscalls:sys_enter_write", "syscalls:sys_exit_write", "write" },
	{ "syscalls:sys_enter_exit_group", "syscalls:sys_exit_exit_group", "exit_group" },
	{ "syscalls:sys_enter_read", "syscalls:sys_exit_write",
	  "syscalls:sys_enter_read=>syscalls:sys_exit_write" },
	{ "syscalls:sys_enter", "syscalls:sys_exit", "syscalls:sys" },
	{ "syscalls:sys_enter_", "syscalls:sys_exit_", "syscalls:sys_" },
	{ "syscalls:sys_enter_1", "syscalls:sys_exit_1", "syscalls:sys_1" },
	{ "raw_syscalls:sys_enter", "raw_syscalls:sys_exit", "raw_syscalls:sys" },
	{ "irq:softirq_entry", "irq:softirq_exit", "irq:softirq" },
	{ "irq:softirq_exit", "irq:softirq_entry", "irq:softirq_exit=>irq:softirq_entry" },
	{ "kvm:kvm_exit", "kvm:kvm_entry", "kvm:kvm_exit=>kvm:kvm_entry" },
	{ "vmscan:mm_vmscan_direct_reclaim_begin", "vmscan:mm_vmscan_direct_reclaim_end",
	  "vmscan:mm_vmscan_direct_reclaim" },
	{ "workqueue:workqueue_execute_start", "workqueue:workqueue_execute_end",
	  "workqueue:workqueue_execute" },
	{ "fentry:vfs_read", "fexit:vfs_read", "vfs_read" },
	{ "uprobe:libc:malloc", "uretprobe:libc:malloc", "libc:malloc" },
	{ "uprobe:/bin/sh:main", "uretprobe:/bin/sh:main",
	  "uprobe:/bin/sh:main=>uretprobe:/bin/sh:main" },
	{ "a:enter_b", "a:exit_b", "a:b" },
	{ "a:enter", "a:exit", "a" },
	{ "enter", "exit", "enter=>exit" },
	{ "a:reenter_b", "a:reexit_b", "a:reenter_b=>a:reexit_b" },
	{ "a", "a", "a=>a" },
	{ "a_enter", "b_exit", "a_enter=>b_exit" },
	{ "a:enter_enter", "a:exit_exit", "a:enter_enter=>a:exit_exit" },
	{ "block:block_rq_issue", "block:block_rq_complete",
	  "block:block_rq_issue=>block:block_rq_complete" },
};

/* Names of 255 bytes: the two types together are truncated, one of them alone is not. */
static void check_long(void)
{
	struct mp_buf name = { NULL, 0, 0 };
	char begin[256], end[256];

	memset(begin, 'a', sizeof(begin) - 1);
	memset(end, 'a', sizeof(end) - 1);
	begin[255] = end[255] = '\0';
	mp_span_name_add(&name, mp_str(begin), mp_str(end));
	ok(name.len == 255 && !memchr(name.p, '\\', name.len), "long types are truncated");
	memcpy(begin + 249, "_enter", 6);
	memcpy(end + 249, "_exit\0", 6);
	name.len = 0;
	mp_span_name_add(&name, mp_str(begin), mp_str(end));
	ok(name.len == 249, "a long type without its last word");
	mp_buf_release(&name);
}

static void check_calls(void)
{
	static const struct {
		const char *id, *name;
	} ids[] = {
		{ "1(write)", "write" },
		{ "59(execve)", "execve" },
		{ "1", "" },
		{ "9999", "" },
		{ "1()", "" },
		{ "1(a,b)", "" },
		{ "1(\\x2c)", "" },
		{ "1(_llseek)", "" },
		{ "write", "write" },
		{ "288(accept4)", "accept4" },
	};
	struct mp_str name;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(ids); i++) {
		name = mp_span_name_call(mp_str(ids[i].id));
		ok(mp_str_eq(name, mp_str(ids[i].name)), "id %s: %.*s", ids[i].id,
		   MP_STR_ARGS(name));
	}
}

int main(void)
{
	struct mp_buf name = { NULL, 0, 0 };
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(cases); i++) {
		name.len = 0;
		mp_span_name_add(&name, mp_str(cases[i].begin), mp_str(cases[i].end));
		mp_buf_byte(&name, '\0');
		ok(strcmp(name.p, cases[i].name) == 0, "%s: %s", cases[i].begin, name.p);
	}
	check_long();
	check_calls();
	mp_buf_release(&name);
	return tap_done();
}
