// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/poll/memstat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct process {
	pid_t pid;
	uint64_t bytes, cgroup;
};

struct mp_memstat {
	const struct mp_event *e;
	uint32_t event;
	const struct mp_sample_of *of;
	/*
	 * if the target is processes with their children: all of them that were ever seen, so that
	 * orphans remain
	 */
	struct mp_pids members;
	struct mp_pids shown; /* processes that have been among the largest */
	struct process *v;    /* the processes of this round */
	size_t n, cap;
	bool has_rest;
	size_t refused, most_refused;
};

/*
 * Reads the bytes of a process. Returns 0, or -1 with errno if the process has ended, has no memory
 * (a kernel thread), or must not be read.
 */
static int memory_of(enum mp_builtin_kind what, pid_t pid, uint64_t *bytes)
{
	unsigned long long n = 0;
	const char *line;
	char path[64], text[2048];

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid,
		 what == MP_BUILTIN_RSS ? "statm" : "smaps_rollup");
	if (mp_proc_read(path, text, sizeof(text)) < 0)
		return -1;
	errno = ESRCH;
	if (what == MP_BUILTIN_RSS) {
		if (sscanf(text, "%*u %llu", &n) != 1)
			return -1;
		*bytes = n * getpagesize();
	} else {
		line = strstr(text, "\nPss:");
		if (!line || sscanf(line, "\nPss: %llu", &n) != 1)
			return -1;
		*bytes = n << 10;
	}
	return n ? 0 : -1;
}

struct mp_memstat *mp_memstat_new(const struct mp_event *e, uint32_t event,
				  const struct mp_sample_of *of)
{
	struct mp_memstat *m = mp_zalloc(sizeof(*m));
	size_t i;

	m->e = e;
	m->event = event;
	m->of = of;
	for (i = 0; i < of->pids->n; i++)
		mp_pids_add(&m->members, of->pids->v[i]);
	return m;
}

void mp_memstat_free(struct mp_memstat *m)
{
	if (!m)
		return;
	mp_pids_release(&m->members);
	mp_pids_release(&m->shown);
	free(m->v);
	free(m);
}

size_t mp_memstat_refused(const struct mp_memstat *m)
{
	return m->most_refused;
}

static bool is_there(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return access(path, F_OK) == 0;
}

static void find_members(struct mp_memstat *m, struct mp_pids *pids)
{
	size_t i;

	for (i = 0; i < m->members.n;)
		if (is_there(m->members.v[i]))
			i++;
		else
			mp_pids_remove(&m->members, m->members.v[i]);
	mp_proc_add_children(&m->members);
	for (i = 0; i < m->members.n; i++)
		mp_pids_add(pids, m->members.v[i]);
}

/* The processes of the target, unless it is cgroups. */
static void find_processes(struct mp_memstat *m, struct mp_pids *pids)
{
	const struct mp_pids *tids = m->of->tids;
	size_t i;
	pid_t pid;

	if (m->of->pids->n)
		find_members(m, pids);
	for (i = 0; i < tids->n; i++) {
		pid = mp_proc_process_of(tids->v[i]);
		if (pid > 0 && !mp_pids_has(pids, pid))
			mp_pids_add(pids, pid);
	}
	if (!m->of->pids->n && !tids->n)
		mp_proc_processes(pids);
}

static void read_process(struct mp_memstat *m, pid_t pid, uint64_t cgroup)
{
	struct process p = { .pid = pid, .cgroup = cgroup };

	if (mp_pids_has(m->of->exclude, pid))
		return;
	if (memory_of(m->e->own->kind, pid, &p.bytes) < 0) {
		m->refused += errno == EACCES || errno == EPERM;
		return;
	}
	m->v = mp_grow(m->v, &m->cap, m->n + 1, sizeof(*m->v));
	m->v[m->n++] = p;
}

static void read_all(struct mp_memstat *m, const struct mp_pids *pids, size_t from, uint64_t cgroup,
		     const bool *stop)
{
	size_t i;

	for (i = from; i < pids->n && !__atomic_load_n(stop, __ATOMIC_RELAXED); i++)
		read_process(m, pids->v[i], cgroup);
}

/* Adds the processes of cgroups; a process found in several cgroups counts once. */
static void read_cgroups(struct mp_memstat *m, struct mp_pids *pids, const bool *stop)
{
	const struct mp_target *t = m->of->target;
	struct stat st;
	size_t i, from;

	for (i = 0; i < t->n_cgroups; i++) {
		if (fstat(t->cgroups[i].fd, &st) < 0)
			continue;
		from = pids->n;
		mp_cgroup_processes(&t->cgroups[i], pids);
		read_all(m, pids, from, st.st_ino, stop);
	}
}

static int by_size(const void *a, const void *b)
{
	const struct process *x = a, *y = b;

	return x->bytes != y->bytes ? (x->bytes < y->bytes ? 1 : -1)
				    : (x->pid > y->pid) - (x->pid < y->pid);
}

/* Sorts the processes, and marks for output the largest ones, and those that were marked before. */
static void choose_shown(struct mp_memstat *m)
{
	struct mp_pids still = { NULL, 0, 0 };
	size_t i;

	if (m->n)
		qsort(m->v, m->n, sizeof(*m->v), by_size);
	for (i = 0; i < m->n; i++)
		if (i < m->e->top || mp_pids_has(&m->shown, m->v[i].pid))
			mp_pids_add(&still, m->v[i].pid);
	mp_pids_release(&m->shown);
	m->shown = still;
}

static void put_process(const struct mp_memstat *m, const struct process *p, struct mp_buf *records)
{
	struct mp_sampled *r =
		mp_sampled_add(records, m->event, offsetof(struct mp_sampled_memory, processes));

	r->pid = r->tid = p->pid;
	r->cgroup = p->cgroup;
	r->raw.memory.bytes = p->bytes;
}

static void put_rest(const struct mp_memstat *m, const struct mp_sampled_memory *rest,
		     struct mp_buf *records)
{
	struct mp_sampled *r = mp_sampled_add(records, m->event, sizeof(*rest));
	struct mp_str name = MP_STR("[rest]");

	r->raw.memory = *rest;
	r->comm_len = (uint32_t)name.len;
	memcpy(r->comm, name.p, name.len);
}

bool mp_memstat_read(struct mp_memstat *m, const bool *stop, struct mp_buf *records)
{
	struct mp_sampled_memory rest = { 0, 0 };
	struct mp_pids pids = { NULL, 0, 0 };
	size_t i;

	m->n = m->refused = 0;
	if (m->of->target->n_cgroups) {
		read_cgroups(m, &pids, stop);
	} else {
		find_processes(m, &pids);
		read_all(m, &pids, 0, 0, stop);
	}
	mp_pids_release(&pids);
	m->most_refused = MP_MAX(m->most_refused, m->refused);
	if (m->e->top)
		choose_shown(m);
	for (i = 0; i < m->n; i++) {
		if (!m->e->top || mp_pids_has(&m->shown, m->v[i].pid)) {
			put_process(m, &m->v[i], records);
			continue;
		}
		rest.bytes += m->v[i].bytes;
		rest.processes++;
	}
	/*
	 * once "[rest]" was written, it is always written: without a new value a reader
	 * would take the last one for the current one
	 */
	m->has_rest |= rest.processes > 0;
	if (m->has_rest)
		put_rest(m, &rest, records);
	return !__atomic_load_n(stop, __ATOMIC_RELAXED);
}
