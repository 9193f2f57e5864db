// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/control.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/capture/host/bell.h"
#include "lib/capture/host/deferred_close.h"
#include "lib/capture/host/thread.h"
#include "lib/core/clock.h"
#include "lib/core/str.h"

enum {
	TASKS_MS = 100,	   /* how often to look after the recorded tasks */
	PATIENCE_MS = 150, /* so that a signal is answered within 200 ms */
};

struct mp_control {
	struct mp_control_setup s;
	int signal_fd;
	int stop_fd;	/* a bell: request to stop */
	int stopped_fd; /* a bell: the events are disabled */
	int timer_fd;
	int go_fd; /* a bell: everything is open */
	sem_t on;  /* posted when all events are enabled */
	struct mp_control_started started;
	uint64_t next_enable_ns; /* when to enable the events once more */
	const char *reason;	 /* of the stop; valid after it */
	uint64_t stop_ns;	 /* atomic; see mp_control_stop_ns() */
	int writer_pid;		 /* atomic; 0: there is none */
	unsigned direct;	 /* signals that came from anywhere */
	unsigned forwarded;	 /* signals that a program got which forwards them */
	pthread_mutex_t closing;
	bool closed; /* protected by `closing` */
};

/* Gives real-time priority to a thread that others wait for. */
static void hurry(int tid)
{
	struct sched_param param = { .sched_priority = 1 };

	if (sched_getscheduler(tid) == SCHED_OTHER &&
	    sched_setscheduler(tid, SCHED_FIFO, &param) < 0)
		setpriority(PRIO_PROCESS, tid, -20); /* not permitted: it runs at normal priority */
}

/*
 * Whether this is a signal that has not been counted yet. One that was forwarded, and the same one
 * that came directly, are counted once.
 */
static bool is_new(struct mp_control *c, const struct signalfd_siginfo *info)
{
	unsigned before = MP_MAX(c->direct, c->forwarded);

	if (info->ssi_code == SI_QUEUE && (info->ssi_int & 0xffff) == MP_SIGNAL_FORWARDED)
		c->forwarded = MP_MAX(c->forwarded, (unsigned)info->ssi_int >> 16);
	else
		c->direct++;
	return MP_MAX(c->direct, c->forwarded) > before;
}

/* Waits for the next signal; 0 if none comes within this many ms (-1: no limit). */
static int wait_for_signal(struct mp_control *c, int timeout_ms)
{
	struct pollfd readable = { .fd = c->signal_fd, .events = POLLIN };
	struct signalfd_siginfo info;

	do {
		while (poll(&readable, 1, timeout_ms) < 0 && errno == EINTR)
			;
		if (read(c->signal_fd, &info, sizeof(info)) != sizeof(info))
			return 0;
	} while (!is_new(c, &info));
	return (int)info.ssi_signo;
}

/* Ends the process by the signal, as if it had not been caught. */
static void die_of(int sig)
{
	sigset_t one;

	signal(sig, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, sig);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	kill(getpid(), sig);
}

/*
 * Hands the perf events to another process, which closes them: otherwise this process would end
 * only after they are closed. The main thread may be opening events at this time, so this finds
 * them in /proc/self/fd.
 */
static void leave_events(void)
{
	struct dirent *d;
	int *fds = NULL;
	size_t n = 0, cap = 0;
	char target[64];
	ssize_t len;
	uint64_t fd;
	DIR *dir = opendir("/proc/self/fd");

	while (dir && (d = readdir(dir))) {
		len = readlinkat(dirfd(dir), d->d_name, target, sizeof(target) - 1);
		target[MP_MAX(len, 0)] = '\0';
		if (strcmp(target, "anon_inode:[perf_event]") != 0 ||
		    mp_num_range(d->d_name, 0, INT_MAX, &fd) < 0)
			continue;
		fds = mp_grow(fds, &cap, n + 1, sizeof(*fds));
		fds[n++] = (int)fd;
	}
	if (dir)
		closedir(dir);
	if (n)
		mp_deferred_close(fds, n);
	free(fds);
}

/*
 * Waits until everything is open. A signal before that ends the program, unless the recording can
 * begin soon: then the signal ends the recording properly.
 */
static void wait_for_go(struct mp_control *c)
{
	struct pollfd news[] = {
		{ .fd = c->go_fd, .events = POLLIN },
		{ .fd = c->signal_fd, .events = POLLIN },
	};

	while (poll(news, 2, -1) < 0 && errno == EINTR)
		;
	if (news[0].revents || poll(news, 1, PATIENCE_MS) > 0)
		return;
	leave_events();
	die_of(wait_for_signal(c, 0));
}

/*
 * Starts the recording and its time limit in this thread, since the main thread may have to wait
 * for a CPU.
 */
static void begin(struct mp_control *c)
{
	struct itimerspec end = { .it_value = { 0, 0 } };
	uint64_t end_ns;

	c->s.enable(c->s.arg);
	mp_clock_pair(&c->started.clock_ns, &c->started.real_ns);
	end_ns = c->started.clock_ns + c->s.duration_ns;
	end.it_value.tv_sec = (time_t)(end_ns / MP_NS_PER_SEC);
	end.it_value.tv_nsec = (long)(end_ns % MP_NS_PER_SEC);
	if (c->s.duration_ns && timerfd_settime(c->timer_fd, TFD_TIMER_ABSTIME, &end, NULL) < 0)
		mp_die("cannot set a timer: %m");
	c->started.cpu_ns = mp_clock_process_ns();
	sem_post(&c->on);
}

/*
 * Enables the events of tasks that were being created when begin() did so, and missed it (see
 * attach.h): after TASKS_MS, and then whenever the time since the start has doubled.
 */
static void enable_missed(struct mp_control *c)
{
	uint64_t now_ns = mp_monotonic_ns();

	if (now_ns < c->next_enable_ns)
		return;
	mp_rings_enable(c->s.rings);
	c->next_enable_ns = now_ns + (now_ns - c->started.clock_ns);
}

/* Waits for a reason to stop. Returns whether the reason is a signal. */
static bool wait_for_end(struct mp_control *c)
{
	static const char *const names[] = { "a signal", "the number of events or a failed output",
					     "the duration", "the end of COMMAND" };
	struct pollfd reasons[] = {
		{ .fd = c->signal_fd, .events = POLLIN },
		{ .fd = c->stop_fd, .events = POLLIN },
		{ .fd = c->timer_fd, .events = POLLIN },
		{ .fd = c->s.command_fd, .events = POLLIN },
	};
	size_t i;
	int n;

	do {
		n = poll(reasons, MP_ARRAY_SIZE(reasons),
			 c->s.of_tasks || c->s.attached ? TASKS_MS : -1);
		if (n < 0 && errno != EINTR)
			mp_die("cannot wait for the end of the recording: %m");
		if (n == 0 && c->s.attached)
			enable_missed(c);
	} while (n < 0 || (n == 0 && !(c->s.of_tasks && mp_rings_orphaned(c->s.rings))));
	c->reason = "the end of all tasks";
	for (i = 0; n > 0 && i < MP_ARRAY_SIZE(reasons); i++)
		if (reasons[i].revents)
			c->reason = names[i];
	return reasons[0].revents && wait_for_signal(c, 0);
}

static void end(struct mp_control *c)
{
	int writer;

	hurry(c->s.drain_tid);
	hurry(getpid());
	writer = __atomic_load_n(&c->writer_pid, __ATOMIC_RELAXED);
	if (writer)
		mp_thread_hurry(writer);
	if (c->s.packer_pid)
		mp_thread_hurry(c->s.packer_pid);
	__atomic_store_n(&c->stop_ns, mp_monotonic_ns(), __ATOMIC_RELEASE);
	mp_rings_disable(c->s.rings);
	c->s.disabled(c->s.arg);
	mp_bell_ring(c->stopped_fd);
}

/* Prints why the program has not ended yet. */
static void say_busy(struct mp_control *c)
{
	pthread_mutex_lock(&c->closing);
	if (!c->closed && !c->s.quiet)
		mp_say("the recording has ended, its last events are being written (a second "
		       "signal discards them)");
	pthread_mutex_unlock(&c->closing);
}

static void *run(void *arg)
{
	struct mp_control *c = arg;
	bool asked;
	int sig;

	wait_for_go(c);
	begin(c);
	asked = wait_for_end(c);
	end(c);
	while (!asked)
		asked = wait_for_signal(c, -1);
	sig = wait_for_signal(c, PATIENCE_MS);
	if (!sig)
		say_busy(c);
	while (!sig)
		sig = wait_for_signal(c, -1);
	pthread_mutex_lock(&c->closing);
	if (c->s.closes_slowly && !c->closed)
		mp_rings_leave(c->s.rings);
	die_of(sig);
	return NULL;
}

/*
 * Blocks SIGINT, SIGTERM and SIGHUP in this thread, the first one, whose mask all others inherit.
 */
static int take_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN); /* a closed pipe first ends the recording, then this process */
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

struct mp_control *mp_control_start(int *tid)
{
	struct mp_control *c = mp_zalloc(sizeof(*c));
	bool privileged = geteuid() == 0;
	pthread_t thread;

	pthread_mutex_init(&c->closing, NULL);
	sem_init(&c->on, 0, 0);
	c->stop_ns = UINT64_MAX;
	c->signal_fd = take_signals();
	c->go_fd = mp_bell_new();
	c->stop_fd = mp_bell_new();
	c->stopped_fd = mp_bell_new();
	c->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (c->signal_fd < 0 || c->timer_fd < 0)
		mp_die("cannot make a signalfd or a timerfd: %m");
	mp_thread_start(&thread, run, c, privileged,
			tid);	/* the thread sleeps, so its priority costs nothing */
	pthread_detach(thread); /* it waits for a second signal until the process ends */
	return c;
}

struct mp_control_started mp_control_go(struct mp_control *c, const struct mp_control_setup *setup)
{
	c->s = *setup;
	mp_bell_ring(c->go_fd);
	while (sem_wait(&c->on) < 0 && errno == EINTR)
		;
	return c->started;
}

void mp_control_set_writer(struct mp_control *c, int pid)
{
	__atomic_store_n(&c->writer_pid, pid, __ATOMIC_RELAXED);
}

void mp_control_stop(struct mp_control *c)
{
	mp_bell_ring(c->stop_fd);
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

const char *mp_control_reason(const struct mp_control *c)
{
	return c->reason;
}

int mp_control_stopped_fd(const struct mp_control *c)
{
	return c->stopped_fd;
}
