// SPDX-License-Identifier: GPL-2.0-only
/*
 * spawn THREADS CALLS PAUSE: runs THREADS threads at once, and a new one whenever one ends, until
 * SIGTERM; each calls getppid CALLS times, PAUSE us apart. Prints the id of each before its calls.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile sig_atomic_t stop;
static sem_t slots;
static long calls, pause_us;

static void end(int sig)
{
	stop = sig;
}

static void *run(void *arg)
{
	long i;

	dprintf(1, "%ld\n", syscall(SYS_gettid));
	for (i = 0; i < calls; i++) {
		syscall(SYS_getppid);
		if (pause_us)
			usleep(pause_us);
	}
	sem_post(&slots);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_attr_t attr;
	pthread_t thread;

	if (argc < 4)
		return 2;
	calls = strtol(argv[2], NULL, 10);
	pause_us = strtol(argv[3], NULL, 10);
	sem_init(&slots, 0, strtol(argv[1], NULL, 10));
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	signal(SIGTERM, end);
	while (!stop) {
		if (sem_wait(&slots) < 0)
			continue;
		if (pthread_create(&thread, &attr, run, NULL) != 0)
			sem_post(&slots);
	}
	return 0;
}
