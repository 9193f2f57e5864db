// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/open_helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/capture/host/descriptors.h"
#include "lib/capture/host/proc.h"
#include "lib/core/base.h"
#include "lib/core/clock.h"

enum {
	REQUESTS = 0, /* descriptors of both processes */
	KEEPER = 1,
	PATIENCE = 10,	   /* reminders until a request of root or our user is given up */
	STRIKES = 3,	   /* a user who has blocked the helper this often is refused */
	OFFENDERS = 64,	   /* users in the table of those who have blocked the helper */
	RATE = 2000,	   /* requests per second, on average */
	BURST = 30000,	   /* requests that may come at once */
	ANOTHER_ASKER = 0, /* number in a reminder: the process that asked has died */
	WAIT_NS = 2000000, /* between a helper that has ended by itself and the next one */
	ENDS = 50,
};

#define REFUSED_NS 60000000000ull /* how long a user is refused */

/* Memory that the keeper shares with the current helper and with each later one. */
struct shared {
	uint32_t number; /* of the current request; 0: none */
	uid_t uid;	 /* user of the process in the request; -1: unknown */
	bool trusted;	 /* this user is root or ours, and gets more time: others may hold locks */
	uint64_t filled_ns;
	uint64_t tokens;
	struct offender {
		uid_t uid;
		unsigned strikes;
		uint64_t until_ns;
	} offenders[OFFENDERS];
};

/* --- the helper ------------------------------------------------------------------------------- */

/* Whether a request exceeds the rate limit. */
static bool is_flood(struct shared *s)
{
	uint64_t now = mp_monotonic_ns(), fresh = (now - s->filled_ns) * RATE / 1000000000;

	if (fresh) {
		s->tokens = MP_MIN(s->tokens + fresh, (uint64_t)BURST);
		s->filled_ns = now;
	}
	if (!s->tokens)
		return true;
	s->tokens--;
	return false;
}

static struct offender *offender(struct shared *s, uid_t uid)
{
	size_t i;

	for (i = 0; i < OFFENDERS; i++)
		if (s->offenders[i].strikes && s->offenders[i].uid == uid)
			return &s->offenders[i];
	return NULL;
}

static bool is_refused(struct shared *s, uid_t uid)
{
	struct offender *o = offender(s, uid);

	if (!o || o->strikes < STRIKES)
		return false;
	if (mp_monotonic_ns() < o->until_ns)
		return true;
	o->strikes = 0;
	return false;
}

/* Finds the user to blame if the request blocks: that of the process. */
static void find_owner(struct shared *s, const struct mp_identity_own *own,
		       const struct mp_open_request *r)
{
	struct mp_identity who;
	bool known = r->mapping.pid > 0 && mp_identity_of(r->mapping.pid, &who) == 0;

	s->uid = known ? who.uid : (uid_t)-1;
	s->trusted = known && (who.uid == 0 || who.uid == own->identity.uid);
}

static int open_for(const struct mp_identity_own *own, struct mp_open_request *r, const char *path,
		    const char *name)
{
	r->mapping.path = path;
	switch (r->kind) {
	case MP_OPEN_CODE:
		if (path[0] == '/')
			return mp_open_direct_code(&r->mapping);
		break;
	case MP_OPEN_DEBUG:
		if (path[0] == '/' && r->place < MP_OPEN_PLACES)
			return mp_open_direct_debug(own, &r->mapping, (enum mp_open_debug)r->place,
						    name);
		break;
	case MP_OPEN_PERFMAP:
		if (r->mapping.pid > 0)
			return mp_open_direct_perfmap(own, r->mapping.pid);
		break;
	}
	errno = EINVAL;
	return -1;
}

/* Splits the text of a request. False: it is malformed. */
static bool split(const struct mp_open_request *r, size_t size, const char **path,
		  const char **name)
{
	size_t head = offsetof(struct mp_open_request, text), len;

	if (size < head || r->text_len > sizeof(r->text) || size - head != r->text_len)
		return false;
	*path = *name = "";
	if (r->text_len == 0)
		return true;
	if (r->text[r->text_len - 1] != '\0')
		return false;
	*path = r->text;
	len = strlen(r->text) + 1;
	if (len < r->text_len)
		*name = r->text + len;
	return true;
}

/* Sends an answer, and closes its descriptor. */
static void answer(uint32_t number, int fd, int error)
{
	struct mp_open_answer a = { number, fd < 0 ? error : 0 };
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = "" };
	struct iovec data = { &a, sizeof(a) };
	struct msghdr message = { .msg_iov = &data, .msg_iovlen = 1 };
	struct cmsghdr *header;

	if (fd >= 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = sizeof(control.bytes);
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(header), &fd, sizeof(fd));
	}
	if (sendmsg(REQUESTS, &message, MSG_NOSIGNAL) < 0)
		_exit(0);
	if (fd >= 0)
		close(fd);
}

static void serve(const struct mp_identity_own *own, struct shared *s, struct mp_open_request *r,
		  size_t size)
{
	const char *path, *name;
	int fd = -1;

	__atomic_store_n(&s->number, r->number, __ATOMIC_SEQ_CST);
	s->uid = (uid_t)-1;
	s->trusted = false;
	errno = EINVAL;
	if (split(r, size, &path, &name) && r->kind == MP_OPEN_PROC) {
		fd = mp_open_direct_proc(path);
	} else if (split(r, size, &path, &name)) {
		find_owner(s, own, r);
		errno = EAGAIN;
		if (!is_flood(s) && !is_refused(s, s->uid))
			fd = open_for(own, r, path, name);
	}
	__atomic_store_n(&s->number, 0, __ATOMIC_SEQ_CST);
	answer(r->number, fd, errno);
}

static _Noreturn void help(struct shared *s)
{
	static struct mp_open_request request;
	struct mp_identity_own own;
	ssize_t n;

	close(KEEPER);
	if (mp_identity_own(&own) < 0)
		_exit(1);
	for (;;) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* taking an identity has cleared it */
		n = recv(REQUESTS, &request, sizeof(request), 0);
		if (n == 0 || (n < 0 && errno != EINTR))
			_exit(0);
		if (n >= (ssize_t)sizeof(request.number))
			serve(&own, s, &request, (size_t)n);
	}
}

/* --- its keeper ------------------------------------------------------------------------------- */

static void strike(struct shared *s)
{
	struct offender *o = offender(s, s->uid);
	size_t i;

	if (s->trusted || s->uid == (uid_t)-1)
		return;
	for (i = 0; i < OFFENDERS && !o; i++)
		if (!s->offenders[i].strikes)
			o = &s->offenders[i];
	if (!o)
		return;
	o->uid = s->uid;
	o->strikes++;
	o->until_ns = mp_monotonic_ns() + REFUSED_NS;
}

static pid_t start_helper(struct shared *s, int *pidfd)
{
	pid_t pid = fork();

	if (pid == 0)
		help(s);
	*pidfd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
	return pid;
}

/*
 * Kills the helper if it is blocked by the request that the asker waits for, or if nobody waits any
 * longer. `n` is the number of reminders of this request.
 */
static bool remind(struct shared *s, pid_t pid, uint32_t number, int n)
{
	if (number == ANOTHER_ASKER && __atomic_load_n(&s->number, __ATOMIC_SEQ_CST)) {
		kill(pid, SIGKILL);
		return true;
	}
	if (__atomic_load_n(&s->number, __ATOMIC_SEQ_CST) != number || mp_proc_state(pid) == 'R' ||
	    (s->trusted && n < PATIENCE))
		return false;
	kill(pid, SIGKILL);
	if (__atomic_load_n(&s->number, __ATOMIC_SEQ_CST) == number) {
		strike(s);
		answer(number, -1, ETIMEDOUT);
	}
	return true;
}

/* Kills the helper, and waits for its end unless even that takes long. */
static _Noreturn void end(pid_t pid)
{
	const struct timespec wait = { .tv_nsec = WAIT_NS };
	int i;

	kill(pid, SIGKILL);
	for (i = 0; i < ENDS && waitpid(-1, NULL, WNOHANG) >= 0; i++)
		nanosleep(&wait, NULL);
	_exit(0);
}

/* Waits until the helper has to be replaced; ends this process if the asker has ended. */
static void watch(struct shared *s, pid_t pid, int pidfd)
{
	struct pollfd v[] = { { .fd = KEEPER, .events = POLLIN },
			      { .fd = pidfd, .events = POLLIN } };
	const struct timespec wait = { .tv_nsec = WAIT_NS };
	uint32_t number = 0, last = 0;
	int reminders = 0;
	ssize_t n;

	for (;;) {
		if (poll(v, MP_ARRAY_SIZE(v), -1) < 0)
			continue;
		if (v[0].revents) {
			n = recv(KEEPER, &number, sizeof(number), 0);
			if (n <= 0)
				end(pid);
			reminders = number == last ? reminders + 1 : 1;
			last = number;
			if (n == sizeof(number) && remind(s, pid, number, reminders))
				return;
		} else if (v[1].revents) {
			number = __atomic_load_n(&s->number, __ATOMIC_SEQ_CST);
			if (number)
				answer(number, -1, EIO);
			nanosleep(&wait, NULL);
			return;
		}
	}
}

static _Noreturn void keep(struct shared *s, int requests, int keeper)
{
	const int fds[] = {
		[REQUESTS] = requests, [KEEPER] = keeper, [STDERR_FILENO] = STDERR_FILENO
	};
	pid_t pid;
	int pidfd;

	setsid(); /* ^C must reach only the recording, which ends this process */
	prctl(PR_SET_NAME, "mp-opener");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (!mp_descriptors_place(fds, MP_ARRAY_SIZE(fds)))
		_exit(1);
	for (;;) {
		s->number = 0;
		pid = start_helper(s, &pidfd);
		if (pid < 0)
			_exit(1);
		send(KEEPER, &pid, sizeof(pid), MSG_NOSIGNAL | MSG_DONTWAIT);
		watch(s, pid, pidfd);
		close(pidfd);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

int mp_open_helper_start(struct mp_open_helper *h)
{
	int requests[2], keeper[2];
	struct shared *s;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, requests) < 0)
		return -1;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, keeper) < 0) {
		close(requests[0]);
		close(requests[1]);
		return -1;
	}
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		mp_die("out of memory");
	s->tokens = BURST;
	s->filled_ns = mp_monotonic_ns();
	h->pids[1] = fork();
	if (h->pids[1] == 0)
		keep(s, requests[1], keeper[1]);
	munmap(s, sizeof(*s));
	close(requests[1]);
	close(keeper[1]);
	h->requests = requests[0];
	h->keeper = keeper[0];
	if (h->pids[1] > 0 &&
	    recv(h->keeper, &h->pids[0], sizeof(h->pids[0]), 0) == sizeof(h->pids[0]))
		return 0;
	mp_open_helper_end(h);
	return -1;
}

void mp_open_helper_end(struct mp_open_helper *h)
{
	close(h->requests);
	close(h->keeper);
	if (h->pids[1] > 0)
		waitpid(h->pids[1], NULL, 0);
}

void mp_open_helper_renew(const struct mp_open_helper *h)
{
	const uint32_t number = ANOTHER_ASKER;
	struct mp_open_answer answer;

	send(h->keeper, &number, sizeof(number), MSG_NOSIGNAL);
	while (recv(h->requests, &answer, sizeof(answer), MSG_DONTWAIT) > 0)
		; /* descriptors that come with an answer are closed */
}
