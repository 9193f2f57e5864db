// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests: names addresses with the recorder's own code. Lines "PID ADDRESS" (hexadecimal) on
 * stdin, "PID ADDRESS NAME" on stdout. The processes have to be running.
 */
#include <stdio.h>

#include "lib/capture/stack/symbol.h"

int main(void)
{
	unsigned long long addr;
	struct mp_opener opener;
	struct mp_symbols symbols;
	struct mp_tasks tasks;
	struct mp_buf name = { NULL, 0, 0 };
	int pid;

	mp_init("resolve");
	mp_opener_init(&opener);
	mp_symbols_init(&symbols, &opener);
	mp_tasks_init(&tasks, mp_symbols_dso, &symbols);
	while (scanf("%d %llx", &pid, &addr) == 2) {
		struct mp_task *task = mp_tasks_get(&tasks, pid, pid);

		name.len = 0;
		if (addr >> 63)
			mp_symbols_kernel(&symbols, addr, &name);
		else
			mp_symbols_user(&symbols, task->process, addr, 1, &name);
		printf("%d %llx %.*s\n", pid, addr, (int)name.len, name.p);
	}
	mp_buf_release(&name);
	mp_tasks_release(&tasks);
	mp_symbols_release(&symbols);
	return 0;
}
