// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a fuzz target over the files that are given, without a fuzzer: part of make check. A file
 * that takes more CPU time or memory than limits.c lets it is a failure, as a crash is.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *current;

static void name_file(int sig)
{
	if (write(2, current, strlen(current)) < 0 || write(2, "\n", 1) < 0)
		_exit(2);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void replay(const char *path)
{
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
	free(data);
	current = path;
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

int main(int argc, char **argv)
{
	int i;

	signal(SIGABRT, name_file);
	signal(SIGSEGV, name_file);
	for (i = 1; i < argc; i++)
		replay(argv[i]);
	printf("%d files\n", argc - 1);
	return 0;
}
