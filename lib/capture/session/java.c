// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/java.h"

#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/capture/host/bell.h"
#include "lib/capture/host/jcmd.h"
#include "lib/capture/host/thread.h"

enum {
	FIRST_WAIT_MS = 1000,
	LAST_WAIT_MS = 16000,
	DEADLINE_MS = 5000,
	MESSAGES = 3,
	STRIKES = 3, /* a user whose processes did not answer this often is not asked again */
	USERS = 64,
};

struct mp_java {
	char *jcmd;
	const struct mp_target *target;
	struct mp_pids of;	/* empty: those of the target's cgroups, or all processes */
	struct mp_pids refused; /* not to be asked again */
	struct strike {
		uid_t uid;
		unsigned n;
	} strikes[USERS];
	size_t n_strikes;
	unsigned messages;
	int stop; /* a bell */
	pthread_t thread;
};

static struct strike *strike_of(struct mp_java *j, uid_t uid)
{
	size_t i;

	for (i = 0; i < j->n_strikes; i++)
		if (j->strikes[i].uid == uid)
			return &j->strikes[i];
	return NULL;
}

/* Counts a process that did not answer. While the table is full, no other users are asked. */
static void strike(struct mp_java *j, uid_t uid)
{
	struct strike *s = strike_of(j, uid);

	if (!s && j->n_strikes < USERS) {
		s = &j->strikes[j->n_strikes++];
		*s = (struct strike){ .uid = uid };
	}
	if (s)
		s->n++;
}

static bool may_ask(struct mp_java *j, pid_t pid, uid_t uid)
{
	const struct strike *s = strike_of(j, uid);

	return pid != getpid() && uid != (uid_t)-1 && !(s && s->n >= STRIKES) &&
	       (s || j->n_strikes < USERS) && !mp_pids_has(&j->refused, pid) && mp_jcmd_is_jvm(pid);
}

static void report(struct mp_java *j, pid_t pid, enum mp_jcmd_result result)
{
	if (j->messages++ >= MESSAGES)
		return;
	if (result == MP_JCMD_DENIED)
		mp_say("--java-map: process %d is that of another user or container "
		       "(there, as its user: jcmd PID Compiler.perfmap)",
		       (int)pid);
	else if (result == MP_JCMD_LATE)
		mp_say("--java-map: process %d did not answer jcmd within %d s", (int)pid,
		       DEADLINE_MS / 1000);
	else
		mp_say("--java-map: jcmd %d Compiler.perfmap failed (needs JDK 17 or later)",
		       (int)pid);
}

/* Asks a process if it is a virtual machine. False: the recording has ended. */
static bool ask(struct mp_java *j, pid_t pid)
{
	uid_t uid = mp_proc_uid(pid);
	enum mp_jcmd_result result;

	if (!may_ask(j, pid, uid))
		return true;
	result = mp_jcmd_ask(j->jcmd, pid, j->stop, DEADLINE_MS);
	if (result == MP_JCMD_DONE || result == MP_JCMD_STOPPED)
		return result == MP_JCMD_DONE;
	if (!mp_proc_state(pid)) /* it has ended */
		return true;
	if (result == MP_JCMD_LATE)
		strike(j, uid);
	mp_pids_add(&j->refused, pid);
	report(j, pid, result);
	return true;
}

static bool has_ended(const struct mp_java *j)
{
	struct pollfd stop = { .fd = j->stop, .events = POLLIN };

	return poll(&stop, 1, 0) > 0;
}

/* False: the recording has ended. To read the mappings of all processes can take seconds. */
static bool ask_all(struct mp_java *j)
{
	struct mp_pids pids = { NULL, 0, 0 };
	bool more = true;
	size_t i;

	for (i = 0; i < j->of.n; i++)
		mp_pids_add(&pids, j->of.v[i]);
	for (i = 0; i < j->target->n_cgroups; i++)
		mp_cgroup_processes(&j->target->cgroups[i], &pids);
	if (j->of.n)
		mp_proc_add_children(&pids);
	else if (!j->target->n_cgroups)
		mp_proc_processes(&pids);
	for (i = 0; i < pids.n && more; i++)
		more = !has_ended(j) && ask(j, pids.v[i]);
	mp_pids_release(&pids);
	return more;
}

static void *run(void *arg)
{
	struct mp_java *j = arg;
	struct pollfd stop = { .fd = j->stop, .events = POLLIN };
	int wait_ms = FIRST_WAIT_MS;

	while (ask_all(j) && poll(&stop, 1, wait_ms) <= 0)
		wait_ms = MP_MIN(2 * wait_ms, (int)LAST_WAIT_MS);
	return NULL;
}

struct mp_java *mp_java_start(const struct mp_target *target, const struct mp_pids *processes,
			      int *tid)
{
	char *jcmd = mp_jcmd_find();
	struct mp_java *j;
	size_t i;

	if (!jcmd) {
		mp_say("--java-map: no jcmd in PATH that others cannot change "
		       "(on Debian, as root: apt-get install openjdk-17-jdk-headless)");
		return NULL;
	}
	j = mp_zalloc(sizeof(*j));
	j->jcmd = jcmd;
	j->target = target;
	for (i = 0; i < processes->n; i++)
		mp_pids_add(&j->of, processes->v[i]);
	j->stop = mp_bell_new();
	mp_thread_start(&j->thread, run, j, 0, tid);
	return j;
}

void mp_java_end(struct mp_java *j)
{
	if (!j)
		return;
	mp_bell_ring(j->stop);
	pthread_join(j->thread, NULL);
	close(j->stop);
	mp_pids_release(&j->of);
	mp_pids_release(&j->refused);
	free(j->jcmd);
	free(j);
}
