// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/ring/ring.h"

#include <errno.h>
#include <poll.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/capture/event/cut.h"
#include "lib/capture/host/deferred_close.h"
#include "lib/capture/host/proc.h"
#include "lib/capture/ring/perf_context.h"

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

enum {
	PAGES_MIN = 8,
	CONTEXTS_MAX = 1000, /* the limit on open files may not suffice for more */
};

static int number_of(const char *path, int missing)
{
	FILE *f = fopen(path, "re");
	int v = missing;

	if (f) {
		if (fscanf(f, "%d", &v) != 1)
			v = missing;
		fclose(f);
	}
	return v;
}

static bool has(int capability)
{
	struct __user_cap_header_struct head = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct data[2] = { { 0, 0, 0 }, { 0, 0, 0 } };

	if (syscall(SYS_capget, &head, data) < 0)
		return geteuid() == 0;
	return data[capability / 32].effective & 1u << capability % 32;
}

/* CAP_PERFMON (Linux 5.8), or CAP_SYS_ADMIN, which older kernels require. */
static bool has_capability(void)
{
	return has(CAP_PERFMON) || has(CAP_SYS_ADMIN);
}

static int paranoid(void)
{
	return number_of("/proc/sys/kernel/perf_event_paranoid", 2);
}

bool mp_perf_may_kernel(void)
{
	return has_capability() || paranoid() < 2;
}

bool mp_perf_may_system(void)
{
	return has_capability() || paranoid() < 1;
}

char *mp_perf_advice(const char *event)
{
	int level = paranoid();

	if (has(CAP_SYS_ADMIN))
		return mp_asprintf("%s: not permitted, though this process has CAP_SYS_ADMIN: a "
				   "security module or a container forbids it",
				   event);
	if (has(CAP_PERFMON))
		return mp_asprintf("%s: not permitted: CAP_PERFMON is not enough (try as root)",
				   event);
	return mp_asprintf(
		"%s: not permitted: this needs root, or CAP_PERFMON, or "
		"kernel.perf_event_paranoid below its value of %d. Without them: your own "
		"processes (-p PID, -- COMMAND), with -e cpu-clock or page-faults%s",
		event, level, level > 2 ? "; at 3 not even those" : "");
}

int mp_ring_open_in_group(const struct perf_event_attr *attr, pid_t pid, int cpu, int leader,
			  unsigned long flags)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, leader, flags | PERF_FLAG_FD_CLOEXEC);
}

static int open_one(const struct perf_event_attr *attr, pid_t pid, int cpu, unsigned long flags)
{
	return mp_ring_open_in_group(attr, pid, cpu, -1, flags);
}

char *mp_ring_explain(const struct mp_event *e, const struct perf_event_attr *attr, int error)
{
	int rate = number_of("/proc/sys/kernel/perf_event_max_sample_rate", 100000);

	switch (error) {
	case EACCES:
	case EPERM:
		return mp_perf_advice(e->type);
	case EMFILE:
	case ENFILE:
		return mp_asprintf("%s: too many open files (ulimit -n)", e->type);
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
		    attr->type == PERF_TYPE_RAW)
			return mp_asprintf(
				"%s: this machine has no such hardware counter (a virtual machine "
				"often has none)%s: cpu-clock works everywhere",
				e->type,
				attr->precise_ip
					? ", or none this precise (P: as precise as possible)"
					: "");
		return mp_asprintf("%s: cannot be sampled on this machine", e->type);
	case ENODATA:
		return mp_asprintf(
			"%s: this processor samples it only together with its event mem-loads-aux, "
			"which mp-record does not support (raw events such as r20d1/memory/pp "
			"report memory accesses, too)",
			e->type);
	case EINVAL:
		if (attr->freq && attr->sample_freq > (uint64_t)rate)
			return mp_asprintf(
				"%s: %llu Hz is more than kernel.perf_event_max_sample_rate "
				"(%d)",
				e->type, (unsigned long long)attr->sample_freq, rate);
		return mp_asprintf("%s: the kernel does not accept it (invalid argument)", e->type);
	}
	return mp_asprintf("%s: %s", e->type, strerror(error));
}

int mp_ring_open_event(const struct mp_event *e, struct perf_event_attr *attr, pid_t pid, int cpu,
		       unsigned long flags, char **error)
{
	int fd = open_one(attr, pid, cpu, flags), saved = errno;

	if (fd < 0)
		*error = mp_ring_explain(e, attr, saved);
	errno = saved;
	return fd;
}

int mp_ring_try_event(const struct mp_event *e, char **error)
{
	struct perf_event_attr attr = e->attr;
	int fd;

	if (e->ratio)
		return mp_ring_try_event(&e->ratio[0], error) < 0
			       ? -1
			       : mp_ring_try_event(&e->ratio[1], error);
	attr.read_format = 0; /* remove the bits that older kernels do not know */
	attr.inherit = 0;
	fd = mp_ring_open_event(e, &attr, 0, -1, 0, error);
	if (fd < 0)
		return -1;
	close(fd);
	return 0;
}

/* Whether the event is opened on CPUs even if tasks are recorded. */
static bool is_on_cpus(const struct mp_event *e)
{
	return e->tracing || e->wide;
}

/*
 * Adapts attr to this kernel and this kind of target; `pid`: -1, or the task or cgroup that the
 * event is opened on.
 */
static struct perf_event_attr attr_for(const struct mp_rings *r, const struct mp_event *e,
				       const struct mp_target *t, pid_t pid)
{
	struct perf_event_attr attr = e->attr;

	if (mp_event_is_read(e) || (is_on_cpus(e) && pid != -1))
		mp_builtin_set_attr(&mp_builtin_count, &attr);
	attr.inherit = t->inherit;
	attr.enable_on_exec = t->on_exec;
	/* the BPF program selects the tasks, and begins to do so when the command starts */
	if (is_on_cpus(e) && pid == -1) {
		attr.disabled = !t->on_exec;
		attr.inherit = attr.enable_on_exec = 0;
	}
	attr.watermark = 1; /* waking per event costs more than the event */
	attr.wakeup_watermark = r->wanted_size / 4;
	if (!r->has_lost)
		attr.read_format &= ~(uint64_t)PERF_FORMAT_LOST;
	return attr;
}

/* Whether the kernel knows PERF_FORMAT_LOST, as Linux 6.0 and later do. */
static bool kernel_counts_lost(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST,
		.disabled = 1,
	};
	int fd;

	mp_builtin_set_attr(&mp_builtin_count, &attr);
	fd = open_one(&attr, 0, -1, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/*
 * Maps the ring of the first event on a CPU; it is smaller than requested if locked memory is
 * short.
 */
static int map_ring(struct mp_rings *r, struct mp_ring *ring, int fd)
{
	size_t page = getpagesize();

	for (ring->size = r->wanted_size; ring->size >= PAGES_MIN * page; ring->size /= 2) {
		ring->base =
			mmap(NULL, ring->size + page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (ring->base != MAP_FAILED) {
			ring->fd = fd;
			return 0;
		}
		if (errno != EPERM && errno != ENOMEM)
			break;
	}
	ring->base = NULL;
	return -1;
}

/*
 * To be called immediately after the event is opened. A task that inherits the event even before it
 * has its ring is found by mp_attach().
 */
static int set_program(const struct mp_event *e, int fd, char **error)
{
	if (!e->program || ioctl(fd, PERF_EVENT_IOC_SET_BPF, e->program) == 0 ||
	    !mp_when_any(&e->when))
		return 0;
	*error = mp_asprintf("%s: %s: the kernel does not accept a BPF program for it: %s", e->type,
			     mp_when_name(&e->when), strerror(errno));
	return -1;
}

/* On what events are opened: a task, a cgroup or the whole system, on one CPU at a time. */
struct subject {
	const struct mp_target *target;
	pid_t pid;
	unsigned long flags;
	int leader; /* leader of the group of this CPU's tracepoints; -1: none yet */
};

/*
 * Whether the event may be in a group, whose events start and stop together. Linux 6.16 and later
 * throttles a whole group for one of its events, but never a tracepoint that is recorded at each
 * occurrence.
 */
static bool may_be_grouped(const struct mp_event *e)
{
	return e->attr.type == PERF_TYPE_TRACEPOINT && e->each;
}

/*
 * The kernel refuses a member if the leader is now in the context of another task, since the kernel
 * swaps the contexts of tasks that run one after the other: then a new group begins.
 */
static int open_counter(struct mp_counter *c, const struct mp_event *e,
			const struct perf_event_attr *attr, int cpu, struct subject *s)
{
	struct perf_event_attr member = *attr;

	member.disabled = member.enable_on_exec = 0; /* the leader enables it */
	c->member = false;
	if (may_be_grouped(e) && s->leader >= 0) {
		c->fd = mp_ring_open_in_group(&member, s->pid, cpu, s->leader, s->flags);
		c->member = c->fd >= 0;
	}
	if (!c->member)
		c->fd = open_one(attr, s->pid, cpu, s->flags);
	if (may_be_grouped(e) && !c->member)
		s->leader = c->fd;
	return c->fd < 0 ? -1 : 0;
}

/*
 * Lets an event write to the ring that all events of its CPU share, and gets its id. Returns 0, or
 * -1 with `*error`.
 */
static int connect_counter(struct mp_rings *r, struct mp_counter *c, const struct mp_event *e,
			   char **error)
{
	struct mp_ring *ring = &r->v[c->ring];

	if (set_program(e, c->fd, error) < 0)
		return -1;
	if (!ring->base && map_ring(r, ring, c->fd) < 0)
		*error =
			mp_asprintf("cannot map a ring buffer of %zu KiB: %s (try -m 64K, or raise "
				    "kernel.perf_event_mlock_kb)",
				    r->wanted_size >> 10, strerror(errno));
	else if (ring->fd != c->fd && ioctl(c->fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0)
		*error =
			mp_asprintf("%s: cannot share a ring buffer: %s", e->type, strerror(errno));
	else if (ioctl(c->fd, PERF_EVENT_IOC_ID, &c->id) < 0)
		*error = mp_asprintf("%s: %s", e->type, strerror(errno));
	else
		return 0;
	return -1;
}

/* Returns 0; 1: the task has ended; or -1 with `*error`. */
static int add_counter(struct mp_rings *r, const struct mp_events *events, size_t event,
		       size_t ring, struct subject *s, char **error)
{
	const struct mp_event *e = &events->v[event];
	struct perf_event_attr attr = attr_for(r, e, s->target, s->pid);
	struct mp_counter c = { .event = (uint32_t)event, .ring = (uint32_t)ring, .tid = s->pid };

	if (open_counter(&c, e, &attr, r->v[ring].cpu, s) < 0) {
		if (errno == ESRCH)
			return 1;
		*error = mp_ring_explain(e, &attr, errno);
		return -1;
	}
	if (connect_counter(r, &c, e, error) < 0) {
		close(c.fd);
		return -1;
	}
	r->counters = mp_grow(r->counters, &r->cap_counters, r->n_counters + 1, sizeof(c));
	r->counters[r->n_counters++] = c;
	return 0;
}

/*
 * Whether an event is opened for this task and ring. Polled values come through no ring, and some
 * events are opened on CPUs, not on tasks. If such an event is the first one, a software event that
 * never fires is opened on the tasks instead, so that mp-record notices when they have ended.
 */
static bool is_opened_on(const struct mp_event *e, size_t number, size_t ring, pid_t pid)
{
	if (e->once)
		return ring == 0;
	return number == 0 || !(mp_event_is_read(e) || (is_on_cpus(e) && pid != -1));
}

/*
 * Lets a task keep its context because the events need that, or, if the task may create others
 * before the events are enabled, until then (see attach.h). Returns 0, or 1: the task has ended. If
 * the kernel cannot do it, hits of probes may be missing.
 */
static int keep_context(struct mp_rings *r, const struct mp_events *events,
			const struct mp_target *t, pid_t tid)
{
	bool matters = mp_perf_context_matters(events);
	int fd;

	if (!matters && (t->on_exec || r->n_contexts == CONTEXTS_MAX))
		return 0;
	fd = mp_perf_context_keep(tid);
	if (fd < 0 && errno == ESRCH)
		return 1;
	if (fd < 0) {
		r->swaps = r->swaps || matters;
		return 0;
	}
	r->contexts = mp_grow(r->contexts, &r->cap_contexts, r->n_contexts + 1, sizeof(fd));
	r->contexts[r->n_contexts++] = fd;
	return 0;
}

/*
 * Opens all events on all CPUs, for one task, one cgroup or the whole system. Returns as
 * add_counter().
 */
static int open_subject(struct mp_rings *r, const struct mp_events *events,
			const struct mp_target *t, pid_t pid, unsigned long flags, char **error)
{
	struct subject s = { .target = t, .pid = pid, .flags = flags };
	size_t ring, e;
	int result = t->inherit ? keep_context(r, events, t, pid) : 0;

	for (ring = 0; ring < r->n && result == 0; ring++) {
		s.leader = -1;
		for (e = 0; e < events->n && result == 0; e++)
			if (is_opened_on(&events->v[e], e, ring, pid))
				result = add_counter(r, events, e, ring, &s, error);
	}
	return result;
}

int mp_rings_open_on(struct mp_rings *r, const struct mp_events *events,
		     const struct mp_target *target, pid_t tid, char **error)
{
	return open_subject(r, events, target, tid, 0, error);
}

static void index_ids(struct mp_rings *r)
{
	size_t i;

	mp_intmap_clear(&r->by_id);
	for (i = 0; i < r->n_counters; i++)
		mp_intmap_add(&r->by_id, r->counters[i].id, i + 1);
}

const struct mp_counter *mp_rings_find(const struct mp_rings *r, uint64_t id)
{
	uint64_t number = mp_intmap_get(&r->by_id, id);

	return number ? &r->counters[number - 1] : NULL;
}

void mp_rings_init(struct mp_rings *r, const struct mp_target *target, size_t size)
{
	size_t i;

	*r = (struct mp_rings){ .n = target->n_cpus, .wanted_size = size };
	mp_intmap_init(&r->by_id);
	r->has_lost = kernel_counts_lost();
	r->v = mp_zalloc(r->n * sizeof(*r->v));
	for (i = 0; i < r->n; i++)
		r->v[i] = (struct mp_ring){ .cpu = target->cpus[i], .fd = -1 };
}

void mp_rings_add_streams(struct mp_rings *r, struct mp_queue *q)
{
	uint32_t i;

	for (i = 0; i < r->n; i++)
		r->v[i].stream = mp_queue_add(q, MP_QUEUE_EVENTS, "rings", i);
}

/* For a target of tasks or cgroups: the events that are opened on CPUs. */
static int open_on_cpus(struct mp_rings *r, const struct mp_events *events,
			const struct mp_target *t, char **error)
{
	struct subject s = { .target = t, .pid = -1 };
	size_t ring, e;

	for (ring = 0; ring < r->n; ring++) {
		s.leader = -1;
		for (e = 0; e < events->n; e++)
			if (is_on_cpus(&events->v[e]) && add_counter(r, events, e, ring, &s, error))
				return -1;
	}
	return 0;
}

int mp_rings_ready(struct mp_rings *r, const struct mp_events *events,
		   const struct mp_target *target, char **error)
{
	if (r->n_counters == 0) {
		*error = mp_strdup("the processes to record have exited");
		return -1;
	}
	if ((target->tids.n || target->n_cgroups) && open_on_cpus(r, events, target, error) < 0)
		return -1;
	index_ids(r);
	return 0;
}

int mp_rings_open(struct mp_rings *r, const struct mp_events *events,
		  const struct mp_target *target, char **error)
{
	const struct mp_target *t = target;
	size_t i;

	for (i = 0; i < t->n_cgroups; i++)
		if (open_subject(r, events, t, t->cgroups[i].fd, PERF_FLAG_PID_CGROUP, error) < 0)
			return -1;
	for (i = 0; i < t->tids.n; i++)
		if (open_subject(r, events, t, t->tids.v[i], 0, error) < 0)
			return -1;
	if (!t->n_cgroups && !t->tids.n && open_subject(r, events, t, -1, 0, error) < 0)
		return -1;
	return mp_rings_ready(r, events, t, error);
}

void mp_rings_leave(const struct mp_rings *r)
{
	int *fds = mp_alloc(r->n_counters * sizeof(*fds));
	size_t i;

	for (i = 0; i < r->n_counters; i++)
		fds[i] = r->counters[i].fd;
	mp_deferred_close(fds, r->n_counters);
	free(fds);
}

static void release_contexts(struct mp_rings *r)
{
	size_t i;

	for (i = 0; i < r->n_contexts; i++)
		close(r->contexts[i]);
	r->n_contexts = 0;
}

void mp_rings_let_swap(struct mp_rings *r, const struct mp_events *events)
{
	if (!mp_perf_context_matters(events))
		release_contexts(r);
}

void mp_rings_close(struct mp_rings *r, bool apart)
{
	size_t i;

	for (i = 0; i < r->n; i++)
		if (r->v[i].base)
			munmap(r->v[i].base, r->v[i].size + getpagesize());
	if (apart && r->n_counters)
		mp_rings_leave(r);
	for (i = 0; i < r->n_counters && !apart; i++)
		close(r->counters[i].fd);
	release_contexts(r);
	free(r->v);
	free(r->counters);
	free(r->contexts);
	mp_intmap_release(&r->by_id);
}

/* The writer excludes what the kernel cannot: common_pid is the id of the initial pid namespace. */
static char *filter_text(const struct mp_event *e, const struct mp_pids *exclude)
{
	bool known = !mp_event_of_any_task(e) && !mp_proc_inner_namespace();
	size_t n = known ? exclude->n : 0, i;
	struct mp_buf text = { NULL, 0, 0 };

	if (!e->filter && !n)
		return NULL;
	if (e->filter)
		mp_buf_printf(&text, n ? "(%s) && " : "%s", e->filter);
	if (n)
		mp_buf_printf(&text, "(common_flags & %d || (common_pid != %d", MP_COMMON_INTERRUPT,
			      (int)exclude->v[0]);
	for (i = 1; i < n; i++)
		mp_buf_printf(&text, " && common_pid != %d", (int)exclude->v[i]);
	if (n)
		mp_buf_printf(&text, "))");
	mp_buf_byte(&text, '\0');
	return text.p;
}

int mp_rings_filter(struct mp_rings *r, const struct mp_events *events,
		    const struct mp_pids *exclude, char **error)
{
	int result = 0;
	size_t i;

	for (i = 0; i < r->n_counters && result == 0; i++) {
		const struct mp_event *e = &events->v[r->counters[i].event];
		bool other = e->own || (is_on_cpus(e) && r->counters[i].tid != -1);
		char *filter = e->attr.type == PERF_TYPE_TRACEPOINT && !other
				       ? filter_text(e, exclude)
				       : NULL;

		if (filter && ioctl(r->counters[i].fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0) {
			*error = mp_asprintf(
				"%s: the kernel does not accept the filter '%s': %s (mp-record -l "
				"-v %s shows fields and syntax)",
				e->type, e->filter ? e->filter : filter, strerror(errno), e->type);
			result = -1;
		}
		free(filter);
	}
	return result;
}

void mp_rings_enable(struct mp_rings *r)
{
	size_t i;

	for (i = 0; i < r->n_counters; i++)
		if (!r->counters[i].member)
			ioctl(r->counters[i].fd, PERF_EVENT_IOC_ENABLE, 0);
}

/*
 * The kernel reports POLLHUP for an event when its task and all tasks that inherited it have ended.
 */
bool mp_rings_orphaned(const struct mp_rings *r)
{
	size_t i;

	for (i = 0; i < r->n_counters; i++) {
		struct pollfd fd = { .fd = r->counters[i].fd };

		if (r->counters[i].tid == -1)
			continue;
		if (poll(&fd, 1, 0) < 1 || !(fd.revents & POLLHUP))
			return false;
	}
	return true;
}

void mp_rings_disable(struct mp_rings *r)
{
	size_t i;

	for (i = 0; i < r->n_counters; i++)
		if (!r->counters[i].member)
			ioctl(r->counters[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

bool mp_counter_read(const struct mp_rings *r, const struct mp_counter *c, struct mp_counts *counts)
{
	uint64_t v[3] = { 0, 0, 0 }; /* values in the order of read_format: value, id, lost */
	ssize_t want = (r->has_lost ? 3 : 2) * sizeof(*v);

	if (read(c->fd, v, want) != want)
		return false;
	*counts = (struct mp_counts){ v[0], v[2] };
	return true;
}

size_t mp_ring_pending(const struct mp_ring *r, uint64_t *tail)
{
	struct perf_event_mmap_page *page = r->base;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);

	*tail = page->data_tail;
	return head - *tail;
}

void mp_ring_copy(const struct mp_ring *r, uint64_t tail, size_t len, void *to)
{
	const char *data = (const char *)r->base + getpagesize();
	size_t at = tail & (r->size - 1), first = MP_MIN(len, r->size - at);

	memcpy(to, data + at, first);
	memcpy((char *)to + first, data, len - first);
}

void mp_ring_consume(const struct mp_ring *r, uint64_t tail)
{
	struct perf_event_mmap_page *page = r->base;

	__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
}
