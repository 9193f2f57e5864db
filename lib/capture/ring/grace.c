// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/ring/grace.h"

#include <linux/membarrier.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/capture/host/bell.h"
#include "lib/capture/host/thread.h"
#include "lib/core/clock.h"

enum {
	/*
	 * pause in ms between two grace periods, so that an event is written after less
	 * than 50 ms
	 */
	PERIOD_MS = 20,
	GUESS_NS = 20000000,   /* age of the estimate if there are no grace periods */
	LATEST_NS = 200000000, /* age of the estimate if a grace period does not end */
};

struct mp_grace {
	pthread_t thread;
	int news; /* a bell that rings when a grace period has ended */
	/* a bell that ends the pause, so that the next grace period begins at once */
	int wake;
	bool guess;	  /* atomic: the kernel has no grace periods */
	bool stop;	  /* atomic: the thread has to end */
	uint64_t time_ns; /* atomic: the result */
	uint64_t guesses; /* used only by the thread that waits for grace periods */
};

static int grace_period(void)
{
	return syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0);
}

static void *run(void *arg)
{
	struct mp_grace *s = arg;
	struct pollfd wake = { .fd = s->wake, .events = POLLIN };
	uint64_t now;

	while (!__atomic_load_n(&s->stop, __ATOMIC_ACQUIRE)) {
		now = mp_monotonic_ns();
		if (grace_period() < 0) {
			__atomic_store_n(&s->guess, true, __ATOMIC_RELAXED);
			now -= GUESS_NS;
		}
		__atomic_store_n(&s->time_ns, now, __ATOMIC_RELEASE);
		mp_bell_ring(s->news);
		if (poll(&wake, 1, PERIOD_MS) > 0)
			mp_bell_answer(s->wake);
	}
	return NULL;
}

struct mp_grace *mp_grace_start(int realtime, int *tid)
{
	struct mp_grace *s = mp_zalloc(sizeof(*s));

	s->news = mp_bell_new();
	s->wake = mp_bell_new();
	s->time_ns = mp_monotonic_ns(); /* complete up to now, since nothing is recorded yet */
	mp_thread_start(&s->thread, run, s, realtime, tid);
	return s;
}

void mp_grace_stop(struct mp_grace *s)
{
	if (!s)
		return;
	__atomic_store_n(&s->stop, true, __ATOMIC_RELEASE);
	mp_bell_ring(s->wake);
	pthread_join(s->thread, NULL);
	close(s->news);
	close(s->wake);
	free(s);
}

void mp_grace_expedite(struct mp_grace *s)
{
	mp_bell_ring(s->wake);
}

int mp_grace_fd(const struct mp_grace *s)
{
	return s->news;
}

uint64_t mp_grace_time(struct mp_grace *s)
{
	uint64_t settled, latest = mp_monotonic_ns() - LATEST_NS;

	mp_bell_answer(s->news);
	settled = __atomic_load_n(&s->time_ns, __ATOMIC_ACQUIRE);
	s->guesses += __atomic_load_n(&s->guess, __ATOMIC_RELAXED) || settled < latest;
	return MP_MAX(settled, latest);
}

uint64_t mp_grace_guesses(const struct mp_grace *s)
{
	return s->guesses;
}
