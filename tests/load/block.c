// SPDX-License-Identifier: GPL-2.0-only
/*
 * block WAIT_MS: after the wait ("line" waits for a line on standard input), sleeps 17 times 20 ms
 * in blocked_here; then two threads pass a byte back and forth through pipes, 101 times each:
 * wait_here reads it, wake_here writes it. The second one waits for 1 ms and more each time, however
 * busy the machine is. Prints how many ns blocked_here took, and how many of them the thread was blocked:
 * neither ran nor waited for a CPU, as the kernel counts.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone)) static

enum { TIMES = 101 };
static int to_and_fro[2][2];
static volatile unsigned long done;
static volatile long echo_tid;

NOINLINE void sleep_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
	done++;
}

NOINLINE void blocked_here(void)
{
	int i;

	for (i = 0; i < 17; i++)
		sleep_ms(20);
	done++;
}

NOINLINE void wait_here(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		_exit(1);
	done++;
}

NOINLINE void wake_here(int fd)
{
	if (write(fd, "x", 1) != 1)
		_exit(1);
	done++;
}

static void *echo(void *arg)
{
	int i;

	echo_tid = syscall(SYS_gettid);
	for (i = 0; i < TIMES; i++) {
		wait_here(to_and_fro[0][0]);
		wake_here(to_and_fro[1][1]);
	}
	return arg;
}

/* Whether the other thread sleeps; it has nothing to sleep for but the byte. */
static int echo_waits(void)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", echo_tid);
	f = fopen(path, "r");
	if (!f)
		return 1; /* without /proc, 1 ms has to be enough */
	if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(f);
	return state == 'S';
}

static long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000 + t.tv_nsec;
}

/* How long this thread has run and waited for a CPU. */
static long busy_ns(void)
{
	FILE *f = fopen("/proc/thread-self/schedstat", "r");
	long run, wait;

	if (!f || fscanf(f, "%ld %ld", &run, &wait) != 2) {
		perror("/proc/thread-self/schedstat");
		exit(1);
	}
	fclose(f);
	return run + wait;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	long elapsed, busy;
	int i;

	if (argc > 1 && strcmp(argv[1], "line") == 0)
		wait_here(0);
	else
		sleep_ms(argc > 1 ? strtol(argv[1], NULL, 10) : 0);
	elapsed = -now_ns();
	busy = -busy_ns();
	blocked_here();
	busy += busy_ns();
	elapsed += now_ns();
	printf("%ld %ld\n", elapsed, elapsed - busy);
	fflush(stdout);
	if (pipe(to_and_fro[0]) < 0 || pipe(to_and_fro[1]) < 0)
		return 1;
	pthread_create(&thread, NULL, echo, NULL);
	for (i = 0; i < TIMES; i++) {
		do
			sleep_ms(1);
		while (!echo_waits());
		sleep_ms(1);
		wake_here(to_and_fro[0][1]);
		wait_here(to_and_fro[1][0]);
	}
	pthread_join(thread, NULL);
	return 0;
}
