// SPDX-License-Identifier: GPL-2.0-only
/*
 * BTF does not describe the bit TIF_NEED_RESCHED. It differs by architecture and moved on x86 (3
 * before Linux 6.18, 4 since). So an experiment makes the kernel set it: a thread wakes a thread of
 * real-time priority on its own CPU, and has to give way to it. The tracepoint of the wakeup comes
 * after the kernel has set the bit, while the waker still runs. When the real-time thread wakes the
 * other one, the kernel does not set the bit. Therefore TIF_NEED_RESCHED is the bit that is set at
 * every wakeup by the first thread, and at none by the real-time thread.
 */
#include "lib/capture/bpf/bpfresched.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pthread.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "bpf/filter.h"
#include "lib/capture/host/thread.h"

enum { ROUNDS = 20, ASLEEP_US = 200 };

/* One of two threads on a CPU, each of which wakes the other. */
struct player {
	pthread_t thread;
	pthread_barrier_t *ready;
	int cpu, wait_fd, wake_fd;
	bool realtime, failed;
	int tid;
};

static void wait_for(int fd)
{
	uint64_t n;

	if (read(fd, &n, sizeof(n)) < 0)
		return; /* cannot happen with a blocking eventfd */
}

static void wake(int fd)
{
	uint64_t one = 1;

	if (write(fd, &one, sizeof(one)) < 0)
		return;
}

static void set_scheduling(struct player *p)
{
	struct sched_param param = { .sched_priority = p->realtime };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(p->cpu, &cpus);
	p->failed = sched_setaffinity(0, sizeof(cpus), &cpus) < 0 ||
		    sched_setscheduler(0, p->realtime ? SCHED_FIFO : SCHED_OTHER, &param) < 0;
}

static void *play(void *arg)
{
	struct player *p = arg;
	int i;

	set_scheduling(p);
	pthread_barrier_wait(p->ready); /* waits until both threads have their CPU and priority */
	pthread_barrier_wait(p->ready); /* waits until the program knows the threads */
	for (i = 0; i < ROUNDS; i++) {
		if (p->realtime) {
			wait_for(p->wait_fd);
			usleep(ASLEEP_US); /* waits until the other thread sleeps */
			wake(p->wake_fd);
		} else {
			wake(p->wake_fd);
			wait_for(p->wait_fd);
		}
	}
	return NULL;
}

static void announce(int map, uint32_t key, const struct player *waker, const struct player *woken)
{
	struct mp_wakes w = { (uint32_t)waker->tid, (uint32_t)woken->tid, 0, UINT64_MAX };

	bpf_map_update_elem(map, &key, &w, BPF_ANY);
}

/*
 * The one bit that is set in the flags of the first thread and not in those of the second; 0 if
 * there is no such bit, or several.
 */
static uint64_t difference(int map)
{
	struct mp_wakes set, unset;
	uint32_t key = 0, other = 1;
	uint64_t bits;

	if (bpf_map_lookup_elem(map, &key, &set) < 0 ||
	    bpf_map_lookup_elem(map, &other, &unset) < 0 || !set.count || !unset.count)
		return 0;
	bits = set.flags & ~unset.flags;
	return bits & (bits - 1) ? 0 : bits;
}

static uint64_t run_players(int map, int cpu)
{
	int fds[2] = { eventfd(0, EFD_CLOEXEC), eventfd(0, EFD_CLOEXEC) };
	pthread_barrier_t ready;
	struct player normal = {
		.ready = &ready, .cpu = cpu, .wait_fd = fds[0], .wake_fd = fds[1]
	};
	struct player above = {
		.ready = &ready, .cpu = cpu, .wait_fd = fds[1], .wake_fd = fds[0], .realtime = true
	};
	bool failed;

	pthread_barrier_init(&ready, NULL, 3);
	mp_thread_start(&normal.thread, play, &normal, 0, &normal.tid);
	mp_thread_start(&above.thread, play, &above, 0, &above.tid);
	pthread_barrier_wait(&ready);
	failed = normal.failed || above.failed;
	announce(map, 0, &normal, &above);
	announce(map, 1, &above, &normal);
	pthread_barrier_wait(&ready);
	pthread_join(normal.thread, NULL);
	pthread_join(above.thread, NULL);
	pthread_barrier_destroy(&ready);
	close(fds[0]);
	close(fds[1]);
	return failed ? 0 : difference(map);
}

uint64_t mp_bpf_resched_flag(struct bpf_object *object)
{
	int map = bpf_object__find_map_fd_by_name(object, "wakes");
	struct bpf_link *link =
		bpf_program__attach(bpf_object__find_program_by_name(object, "observe"));
	uint64_t flag;

	if (!link)
		return 0;
	flag = run_players(map, sched_getcpu());
	bpf_link__destroy(link);
	return flag;
}
