// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a fuzz target over the files that are given, without a fuzzer: part of make check. A file
 * that takes more CPU time or memory than the fuzzer lets it (tests/fuzz/run) is a failure, as a
 * crash is.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CPU_SECONDS = 10, RSS_KIB = 2 << 20 };

static const char *current;

static void fail(const char *what)
{
	/* called by a signal handler, too */
	if (write(2, current, strlen(current)) < 0 || write(2, what, strlen(what)) < 0)
		_exit(2);
	_exit(1);
}

static void too_long(int sig)
{
	(void)sig;
	fail(": takes more than 10 s of CPU time\n");
}

static void check_memory(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) == 0 && usage.ru_maxrss > RSS_KIB)
		fail(": takes more than 2 GiB\n");
}

static void replay(const char *path)
{
	struct itimerval limit = { .it_value = { CPU_SECONDS, 0 } };
	FILE *f = fopen(path, "re");
	size_t size = 0, cap = 1 << 20;
	uint8_t *data = malloc(cap), *exact;

	if (!f || !data) {
		perror(path);
		exit(2);
	}
	size = fread(data, 1, cap, f);
	fclose(f);
	exact = malloc(size ? size : 1); /* so that a read past the end is detected */
	for (cap = 0; exact && cap < size; cap++)
		exact[cap] = data[cap];
	current = path;
	setitimer(ITIMER_PROF, &limit, NULL);
	LLVMFuzzerTestOneInput(exact, size);
	check_memory();
	free(exact);
	free(data);
}

int main(int argc, char **argv)
{
	int i;

	signal(SIGPROF, too_long);
	for (i = 1; i < argc; i++)
		replay(argv[i]);
	printf("%d files\n", argc - 1);
	return 0;
}
