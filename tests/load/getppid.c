// SPDX-License-Identifier: GPL-2.0-only
/*
 * getppid N [NAME]...: calls getppid exactly N times (0: until it is killed); then, for each NAME,
 * N times more in a thread of that name. "\n" and "\t" in NAME stand for themselves.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static long calls;

__attribute__((noinline)) static void call(void)
{
	long i;

	for (i = 0; i < calls || calls == 0; i++)
		syscall(SYS_getppid);
}

static void *call_as(void *arg)
{
	char name[16] = "", *to = name;
	const char *from;

	for (from = arg; *from && to < name + 15; from++) {
		if (from[0] == '\\' && (from[1] == 'n' || from[1] == 't'))
			*to++ = *++from == 'n' ? '\n' : '\t';
		else
			*to++ = *from;
	}
	prctl(PR_SET_NAME, name);
	call();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int i;

	calls = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	if (argc < 3)
		call();
	for (i = 2; i < argc; i++) {
		if (pthread_create(&thread, NULL, call_as, argv[i]))
			return 1;
		pthread_join(thread, NULL);
	}
	return 0;
}
