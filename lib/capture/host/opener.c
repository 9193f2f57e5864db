// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/opener.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/capture/host/proc.h"
#include "lib/core/clock.h"

/*
 * The deadline of a request. A request that takes too long shortens it, so that a user who makes
 * many of them does not fill the queue of events; many answers in time restore it.
 */
enum { DEADLINE_MS = 100, DEADLINE_MIN_MS = 25, IN_TIME = 256, REMINDERS = 100 };

void mp_opener_init(struct mp_opener *o)
{
	*o = (struct mp_opener){ .deadline_ms = DEADLINE_MS };
	/* not the numbers of an asker that has died, whose answers may still come */
	if (getrandom(&o->number, sizeof(o->number), GRND_NONBLOCK) < 0)
		o->number = (uint32_t)mp_monotonic_ns();
	if (mp_identity_own(&o->own) < 0)
		mp_die("cannot read the user and group ids of this process: %m");
}

void mp_opener_use(struct mp_opener *o, struct mp_open_helper *helper, struct mp_budget *budget)
{
	o->helper = helper;
	o->budget = budget;
}

/* Appends a text with its NUL. False: it is too long. */
static bool add_text(struct mp_open_request *r, const char *text)
{
	size_t len = strlen(text) + 1;

	errno = ENAMETOOLONG;
	if (r->text_len + len > sizeof(r->text))
		return false;
	memcpy(r->text + r->text_len, text, len);
	r->text_len += (uint32_t)len;
	return true;
}

/* Receives an answer: its descriptor, or -1. */
static int receive(struct mp_opener *o, struct mp_open_answer *answer)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec data = { answer, sizeof(*answer) };
	struct msghdr message = {
		.msg_iov = &data,
		.msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes),
	};
	struct cmsghdr *header;
	ssize_t n;
	int fd = -1;

	do
		n = recvmsg(o->helper->requests, &message, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(*answer)) { /* the helper has ended */
		*answer = (struct mp_open_answer){ o->number, EPIPE };
		return -1;
	}
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_type == SCM_RIGHTS && header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&fd, CMSG_DATA(header), sizeof(fd));
	return fd;
}

/* Adapts the deadline to whether a request was answered in time. */
static void count(struct mp_opener *o, bool in_time)
{
	if (!in_time)
		o->deadline_ms = MP_MAX(o->deadline_ms / 2, DEADLINE_MIN_MS);
	else if (++o->in_time >= IN_TIME)
		o->deadline_ms = MP_MIN(o->deadline_ms * 2, DEADLINE_MS);
	if (!in_time || o->in_time >= IN_TIME)
		o->in_time = 0;
}

/*
 * Waits for the answer to the latest request. After the deadline this reminds the keeper, which
 * kills a helper that a file system blocks and answers in its place; a helper that only waits for a
 * CPU may continue.
 */
static int wait_for(struct mp_opener *o)
{
	struct pollfd socket = { .fd = o->helper->requests, .events = POLLIN };
	struct mp_open_answer answer;
	int reminders = 0, fd, n;

	for (;;) {
		n = poll(&socket, 1, o->deadline_ms);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0 && reminders++ < REMINDERS) {
			send(o->helper->keeper, &o->number, sizeof(o->number), MSG_NOSIGNAL);
			continue;
		}
		if (n <= 0)
			break;
		fd = receive(o, &answer);
		if (answer.number == o->number) {
			count(o, answer.error != ETIMEDOUT);
			errno = answer.error;
			return fd;
		}
		if (fd >= 0) /* the late answer to an earlier request */
			close(fd);
	}
	count(o, false);
	errno = ETIMEDOUT;
	return -1;
}

static int ask(struct mp_opener *o, struct mp_open_request *r)
{
	size_t size = offsetof(struct mp_open_request, text) + r->text_len;

	o->number += o->number == UINT32_MAX ? 2 : 1; /* 0 means: no request */
	r->number = o->number;
	r->mapping.path = NULL;
	if (send(o->helper->requests, r, size, MSG_NOSIGNAL) != (ssize_t)size)
		return -1;
	return wait_for(o);
}

/*
 * Counts a refusal of a file that could have held up the recording, for the user of the process:
 * that user has made `file`, or a name that leads to it. Returns the descriptor; keeps errno.
 */
static int report(struct mp_opener *o, int fd, pid_t pid, const char *file)
{
	struct mp_budget_who who = { .pid = pid, .file = file };
	int error = errno;
	char comm[64];

	if (fd >= 0 || !o->budget || !pid ||
	    (error != ETIMEDOUT && error != EAGAIN && error != EFBIG && error != EINVAL))
		return fd;
	who.uid = mp_proc_uid(pid);
	who.comm.p = comm;
	if (!mp_proc_comm(pid, pid, comm, &who.comm.len))
		who.comm.len = 0;
	mp_budget_refuse(o->budget, MP_BUDGET_OPEN, &who);
	errno = error;
	return fd;
}

int mp_open_code(struct mp_opener *o, const struct mp_open_mapping *m)
{
	struct mp_open_request r = { .kind = MP_OPEN_CODE, .mapping = *m };
	int fd;

	if (!o->helper)
		fd = mp_open_direct_code(m);
	else
		fd = add_text(&r, m->path) ? ask(o, &r) : -1;
	/* mapping a device is not an attack */
	return fd < 0 && errno == EINVAL ? fd : report(o, fd, m->pid, m->path);
}

int mp_open_debug(struct mp_opener *o, const struct mp_open_mapping *m, enum mp_open_debug place,
		  const char *name)
{
	struct mp_open_request r = { .kind = MP_OPEN_DEBUG, .mapping = *m, .place = place };
	int fd;

	if (!o->helper)
		fd = mp_open_direct_debug(&o->own, m, place, name);
	else
		fd = add_text(&r, m->path) && add_text(&r, name) ? ask(o, &r) : -1;
	return report(o, fd, m->pid, m->path);
}

int mp_open_perfmap(struct mp_opener *o, pid_t pid)
{
	struct mp_open_request r = { .kind = MP_OPEN_PERFMAP, .mapping = { .pid = pid } };
	int fd = o->helper ? ask(o, &r) : mp_open_direct_perfmap(&o->own, pid);

	return report(o, fd, pid, "/tmp/perf-PID.map");
}

int mp_open_proc(void *opener, const char *path)
{
	struct mp_open_request r = { .kind = MP_OPEN_PROC };

	return add_text(&r, path) ? ask(opener, &r) : -1;
}

int mp_open_named(const char *path)
{
	return mp_open_direct_named(path);
}
