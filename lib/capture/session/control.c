// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/control.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "lib/capture/host/thread.h"
#include "lib/core/clock.h"

enum { ORPHANED_MS = 100 }; /* how often it checks whether the tasks have ended */

struct mp_control {
	struct mp_control_setup s;
	int stop_fd;	/* eventfd: please stop */
	int stopped_fd; /* eventfd: it has */
	int timer_fd;
	int go_fd;	  /* eventfd: all events are enabled */
	uint64_t stop_ns; /* atomic */
	pthread_mutex_t closing;
	bool closed; /* by the lock */
};

static void ring_bell(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) < 0)
		return; /* it rings already */
}

/* A thread that others wait for. */
static void hurry(int tid)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_getscheduler(tid) == SCHED_OTHER &&
	    sched_setscheduler(tid, SCHED_FIFO, &param) < 0)
		setpriority(PRIO_PROCESS, tid,
			    -20); /* without privileges it runs at normal priority */
}

static int wait_for_signal(int fd)
{
	struct pollfd readable = { .fd = fd, .events = POLLIN };
	struct signalfd_siginfo info;

	while (poll(&readable, 1, -1) < 0 && errno == EINTR)
		;
	return read(fd, &info, sizeof(info)) == sizeof(info) ? (int)info.ssi_signo : 0;
}

/* Dies of the signal as if it had not been caught. */
static void die_of(int sig)
{
	sigset_t one;

	signal(sig, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, sig);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	kill(getpid(), sig);
}

static void *run(void *arg)
{
	struct mp_control *c = arg;
	struct pollfd reasons[] = {
		{ .fd = c->s.signal_fd, .events = POLLIN },
		{ .fd = c->stop_fd, .events = POLLIN },
		{ .fd = c->timer_fd, .events = POLLIN },
		{ .fd = c->s.command_fd, .events = POLLIN },
	};
	int signals, sig = 0, n;
	uint64_t go;

	while (read(c->go_fd, &go, sizeof(go)) < 0 && errno == EINTR)
		;
	do {
		n = poll(reasons, MP_ARRAY_SIZE(reasons), c->s.of_tasks ? ORPHANED_MS : -1);
	} while (n < 0 ? errno == EINTR : n == 0 && !mp_rings_orphaned(c->s.rings));
	signals = reasons[0].revents && wait_for_signal(c->s.signal_fd);
	hurry(c->s.drain_tid);
	hurry(getpid());
	__atomic_store_n(&c->stop_ns, mp_monotonic_ns(), __ATOMIC_RELEASE);
	mp_rings_disable(c->s.rings);
	c->s.disabled(c->s.arg);
	ring_bell(c->stopped_fd);
	while (signals < 2) { /* the first one ends the recording, the second one us */
		sig = wait_for_signal(c->s.signal_fd);
		signals += sig != 0;
	}
	pthread_mutex_lock(&c->closing);
	if (c->s.closes_slowly && !c->closed)
		mp_rings_leave(c->s.rings);
	die_of(sig);
	return NULL;
}

struct mp_control *mp_control_start(const struct mp_control_setup *setup, int *tid)
{
	struct mp_control *c = mp_zalloc(sizeof(*c));
	bool privileged = geteuid() == 0;
	pthread_t thread;

	c->s = *setup;
	pthread_mutex_init(&c->closing, NULL);
	c->stop_ns = UINT64_MAX;
	c->go_fd = eventfd(0, EFD_CLOEXEC);
	c->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->stopped_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (c->go_fd < 0 || c->stop_fd < 0 || c->stopped_fd < 0 || c->timer_fd < 0)
		mp_die("cannot make an eventfd: %m");
	mp_thread_start(&thread, run, c, privileged,
			tid);	/* it sleeps: the priority costs nothing */
	pthread_detach(thread); /* waits for a second signal until the process ends */
	return c;
}

void mp_control_go(struct mp_control *c, uint64_t duration_ns)
{
	struct itimerspec at = { .it_value = { .tv_sec = duration_ns / MP_NS_PER_SEC,
					       .tv_nsec = duration_ns % MP_NS_PER_SEC } };

	timerfd_settime(c->timer_fd, 0, &at, NULL);
	ring_bell(c->go_fd);
}

void mp_control_stop(struct mp_control *c)
{
	ring_bell(c->stop_fd);
}

void mp_control_end(struct mp_control *c)
{
	pthread_mutex_lock(&c->closing);
	c->closed = true;
	pthread_mutex_unlock(&c->closing);
}

uint64_t mp_control_stop_ns(const struct mp_control *c)
{
	return __atomic_load_n(&c->stop_ns, __ATOMIC_ACQUIRE);
}

int mp_control_stopped_fd(const struct mp_control *c)
{
	return c->stopped_fd;
}
