// SPDX-License-Identifier: GPL-2.0-only
/*
 * The workload of `make demo`: a small server with its client, a queue with its workers, and a
 * thread that reads files. Runs for argv[1] seconds. Built with frame pointers, so that its stacks
 * are complete.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))

static volatile unsigned long work_done;
static int sockets[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int jobs;

static NOINLINE void compute(int rounds)
{
	int i;

	for (i = 0; i < rounds * 1000; i++)
		work_done += i;
}

static NOINLINE void answer_request(int fd, char *byte)
{
	compute(20);
	if (write(fd, byte, 1) != 1)
		exit(1);
}

static NOINLINE void *serve(void *arg)
{
	char byte;

	prctl(PR_SET_NAME, "demo-server");
	while (read(sockets[1], &byte, 1) == 1)
		answer_request(sockets[1], &byte);
	return arg;
}

static NOINLINE void ask(char *byte)
{
	if (write(sockets[0], byte, 1) != 1 || read(sockets[0], byte, 1) != 1)
		exit(1);
}

static NOINLINE void *be_client(void *arg)
{
	char byte = 0;

	prctl(PR_SET_NAME, "demo-client");
	for (;;) {
		ask(&byte);
		poll(NULL, 0, 1);
	}
	return arg;
}

static NOINLINE void take_job(void)
{
	pthread_mutex_lock(&lock);
	while (jobs == 0)
		pthread_cond_wait(&filled, &lock);
	jobs--;
	pthread_mutex_unlock(&lock);
}

static NOINLINE void *be_worker(void *arg)
{
	prctl(PR_SET_NAME, "demo worker 1/2");
	for (;;) {
		take_job();
		compute(50);
	}
	return arg;
}

static NOINLINE void *submit_jobs(void *arg)
{
	prctl(PR_SET_NAME, "demo-queue");
	for (;;) {
		pthread_mutex_lock(&lock);
		jobs += 2;
		pthread_cond_broadcast(&filled);
		pthread_mutex_unlock(&lock);
		poll(NULL, 0, 2);
	}
	return arg;
}

int main(int argc, char **argv)
{
	void *(*const roles[])(void *) = { serve, be_client, be_worker, be_worker, submit_jobs };
	pthread_t thread;
	size_t i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) < 0)
		return 1;
	for (i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (pthread_create(&thread, NULL, roles[i], NULL))
			return 1;
	sleep(argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 5);
	return 0;
}
