// SPDX-License-Identifier: GPL-2.0-only
/*
 * threads N CALLS: waits for SIGUSR1; then N threads that are already running, a new thread and a
 * child process call getppid CALLS times each. Prints its pid first.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long calls;
static pthread_barrier_t start;

static void call(void)
{
	long i;

	for (i = 0; i < calls; i++)
		syscall(SYS_getppid);
}

static void *wait_and_call(void *arg)
{
	pthread_barrier_wait(&start);
	call();
	return arg;
}

static void *call_now(void *arg)
{
	call();
	return arg;
}

int main(int argc, char **argv)
{
	int n = argc > 2 ? (int)strtol(argv[1], NULL, 10) : 3, i, sig;
	pthread_t *threads = calloc(n + 1, sizeof(*threads));
	sigset_t set;

	calls = argc > 2 ? strtol(argv[2], NULL, 10) : 1000;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	pthread_barrier_init(&start, NULL, n + 1);
	for (i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, wait_and_call, NULL);
	printf("%d\n", (int)getpid());
	fflush(stdout);
	sigwait(&set, &sig);
	pthread_barrier_wait(&start);
	pthread_create(&threads[n], NULL, call_now, NULL);
	if (fork() == 0) {
		call();
		_exit(0);
	}
	for (i = 0; i <= n; i++)
		pthread_join(threads[i], NULL);
	wait(NULL);
	free(threads);
	return 0;
}
