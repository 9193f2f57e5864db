// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/thread.h"

#include <errno.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

struct start {
	void *(*run)(void *);
	void *arg;
	int tid;
	sem_t ready;
};

static void *begin(void *arg)
{
	struct start *s = arg;
	void *(*run)(void *) = s->run;
	void *run_arg = s->arg;

	s->tid = gettid();
	sem_post(&s->ready); /* the starter may free s from here on */
	return run(run_arg);
}

void mp_thread_start(pthread_t *thread, void *(*run)(void *), void *arg, int realtime, int *tid)
{
	struct sched_param param = { .sched_priority = realtime };
	struct start s = { .run = run, .arg = arg };
	sigset_t all, old;
	int error;

	sem_init(&s.ready, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(thread, NULL, begin, &s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (error)
		mp_die("cannot start a thread: %s", strerror(error));
	while (sem_wait(&s.ready) < 0 && errno == EINTR)
		;
	sem_destroy(&s.ready);
	*tid = s.tid;
	if (realtime)
		pthread_setschedparam(*thread, SCHED_FIFO, &param);
}

void mp_thread_mutex(pthread_mutex_t *mutex)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(mutex, &attr);
	pthread_mutexattr_destroy(&attr);
}

void mp_thread_hurry(pid_t pid)
{
	char path[32];
	FILE *autogroup;

	setpriority(PRIO_PROCESS, (id_t)pid, -20);
	if (getsid(pid) == getsid(0)) /* it is not meant for the user's other programs */
		return;
	snprintf(path, sizeof(path), "/proc/%d/autogroup", (int)pid);
	autogroup = fopen(path, "we");
	if (!autogroup)
		return;
	fputs("-20", autogroup);
	fclose(autogroup);
}
