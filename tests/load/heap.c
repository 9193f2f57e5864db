// SPDX-License-Identifier: GPL-2.0-only
/*
 * heap WAIT_MS [short]: after the wait ("line" waits for a line on standard input), allocates and
 * frees known amounts of memory: in main, in three threads, in a child.
 *
 *	leak_old	13 MiB in 13 blocks, 1,200 ms before the others
 *	leak_calloc	17 * 1,000 * 8 bytes
 *	leak_realloc	19 blocks of 5,000 bytes, grown from 100
 *	leak_aligned	23 blocks of 4,096 bytes
 *	churn		1,009 rounds of malloc, calloc, realloc, posix_memalign, all freed; 7 times
 *			in each thread
 *	leak_child	29 blocks of 1,000 bytes, in the child
 *
 * short: only the churn of main.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static _Thread_local void *volatile kept;

#define NOINLINE __attribute__((noinline, noclone)) static

NOINLINE void leak_old(void)
{
	int i;

	for (i = 0; i < 13; i++)
		kept = malloc(1 << 20);
	kept = NULL;
}

NOINLINE void leak_calloc(void)
{
	int i;

	for (i = 0; i < 17; i++)
		kept = calloc(1000, 8);
	kept = NULL;
}

NOINLINE void leak_realloc(void)
{
	int i;

	for (i = 0; i < 19; i++) {
		kept = malloc(100);
		kept = realloc(kept, 5000);
	}
	kept = NULL;
}

NOINLINE void leak_aligned(void)
{
	void *p;
	int i;

	for (i = 0; i < 23; i++)
		if (posix_memalign(&p, 4096, 4096) == 0)
			kept = p;
	kept = NULL;
}

NOINLINE void leak_child(void)
{
	int i;

	for (i = 0; i < 29; i++)
		kept = malloc(1000);
	kept = NULL;
}

NOINLINE void churn(void)
{
	void *p;
	int i;

	for (i = 0; i < 1009; i++) {
		kept = malloc(100);
		free(kept);
		kept = calloc(7, 10);
		kept = realloc(kept, 1000);
		free(kept);
		if (posix_memalign(&p, 64, 200) == 0)
			free(p);
	}
}

static void *thread(void *arg)
{
	int i;

	for (i = 0; i < 7; i++)
		churn();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	char byte;
	int i;

	if (argc > 1 && strcmp(argv[1], "line") == 0) {
		if (read(0, &byte, 1) != 1)
			return 1;
	} else {
		usleep(1000 * (argc > 1 ? strtoul(argv[1], NULL, 10) : 0));
	}
	if (argc > 2) {
		churn();
		return 0;
	}
	leak_old();
	usleep(1200000);
	leak_calloc();
	leak_realloc();
	leak_aligned();
	churn();
	for (i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, thread, NULL);
	for (i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	if (fork() == 0) {
		leak_child();
		_exit(0);
	}
	wait(NULL);
	usleep(100000);
	return 0;
}
