// SPDX-License-Identifier: GPL-2.0-only
/* Perf maps: files that grow, are written again, or are none; and the shares of users. */
#include "lib/capture/stack/jits.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/tap.h"

#define LOOK_NS 1000000000ull /* more than any time between two looks */

static struct mp_opener opener;
static struct mp_budget budget;
static struct mp_tasks tasks;
static struct mp_process process;
static struct mp_jits jits;
static uint64_t now_ns;
static char path[64];

static void write_map(const char *text, int flags)
{
	int fd = open(path, O_WRONLY | O_CREAT | flags, 0644);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		ok(false, "cannot write %s", path);
	close(fd);
}

/* Whether the code at an address has this name, NULL: none, at the next look. */
static bool is(uint64_t addr, const char *want)
{
	const char *name = mp_jits_find(&jits, &process, addr, now_ns += LOOK_NS);

	return want ? name && strcmp(name, want) == 0 : !name;
}

static void begin(void)
{
	mp_budget_init(&budget, NULL);
	budget.trusted = (uid_t)-2;
	mp_tasks_init(&tasks, NULL, NULL);
	mp_jits_init(&jits, &opener);
	jits.budget = &budget;
	jits.tasks = &tasks;
	process.pid = getpid();
	process.uid = 1000;
	mp_tasks_get(&tasks, process.pid, process.pid)->dead_ns = 1; /* do not ask for the uid */
	unlink(path);
}

static void end(void)
{
	mp_jits_release(&jits);
	mp_tasks_release(&tasks);
	mp_budget_release(&budget);
	unlink(path);
}

static void test_changes(void)
{
	begin();
	ok(is(0x10, NULL), "no file");
	write_map("10 10 one\n20 10 tw", O_TRUNC);
	ok(is(0x10, "one") && is(0x20, NULL), "up to the last line that is complete");
	write_map("o\n30 10 three\n", O_APPEND);
	ok(is(0x10, "one") && is(0x2f, "two") && is(0x30, "three"), "the file grows");
	write_map("10 10 new\n", O_APPEND);
	ok(is(0x10, "new"), "the newest line counts");
	write_map("10 10 ONE\n20 10 TWO\n30 10 THREE\n10 10 NEW\n40 10 FOUR\n", 0);
	ok(is(0x20, "TWO") && is(0x40, "FOUR"), "the file is written again, longer than it was");
	write_map("50 10 five\n", O_TRUNC);
	ok(is(0x50, "five") && is(0x20, NULL), "and shorter");
	end();
}

static void test_large(void)
{
	char line[64];
	FILE *f;
	int i;

	begin();
	write_map("10 10 one\n", O_TRUNC);
	if (truncate(path, 255 << 20) < 0)
		ok(false, "cannot make a hole");
	ok(is(0x10, "one") && budget.users[budget.n_users - 1].dropped[MP_BUDGET_JIT] == 1,
	   "a hole is refused, and what is before it is kept");
	is(0x10, "one");
	ok(budget.users[budget.n_users - 1].dropped[MP_BUDGET_JIT] == 1, "once in 10 s");
	f = fopen(path, "w");
	for (i = 0; f && i < 1000000; i++)
		fprintf(f, "%x 10 a_name_of_some_length_%d\n", (i + 1) * 16, i);
	if (f)
		fclose(f);
	for (i = 0; i < 100; i++)
		is(0x10, NULL);
	snprintf(line, sizeof(line), "a_name_of_some_length_%d", 0);
	ok(is(0x10, line), "the begin of a large file is used");
	ok(budget.pools[MP_BUDGET_JIT].used < 40 << 20, "within the share: %llu bytes",
	   (unsigned long long)budget.pools[MP_BUDGET_JIT].used);
	end();
}

static void test_many_processes(void)
{
	pid_t pid = getpid();
	int i;

	begin();
	for (i = 0; i < 10000; i++) {
		process.pid = 5000000 + i; /* more than there can be */
		mp_jits_find(&jits, &process, 0x10, ++now_ns);
	}
	ok(jits.by_pid.n == 4096, "of 10,000 processes 4,096 are kept");
	process.pid = pid;
	end();
}

int main(void)
{
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	umask(022);
	mp_opener_init(&opener);
	test_changes();
	test_large();
	test_many_processes();
	return tap_done();
}
