// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/capture/session/writer_main.h"
#include "lib/core/clock.h"

enum {
	TICK_MS = 100,
	ANSWER_S = 60, /* a process that does not answer for so long has failed */
};

/* A process that sends no message within this CPU time has failed; it may wait for its output. */
#define STUCK_NS 30000000000ull

struct mp_link {
	int fd;
	struct mp_open_helper opener;
	pid_t pid; /* 0: it was waited for */
	struct mp_message in;
	struct mp_buf body;
	uint64_t alive_cpu_ns; /* its CPU time at its latest message */
};

/* The process that was started last: requests for places have no argument for it. */
static struct mp_link *current;

/* --- its start and its end ------------------------------------------------------------------------------ */

struct mp_link *mp_link_start(void)
{
	char *path = mp_asprintf("PATH=%s", getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin");
	char *const argv[] = { (char *)MP_WRITER_NAME, NULL }, *const environment[] = { path,
											NULL };
	const struct timeval patience = { .tv_sec = ANSWER_S };
	struct mp_link *l = mp_zalloc(sizeof(*l));
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int pair[2], error;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		mp_die("cannot make sockets: %m");
	if (mp_open_helper_start(&l->opener) < 0)
		mp_die("cannot start the process that opens files: %m");
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, pair[1], MP_WRITER_SOCKET);
	posix_spawn_file_actions_adddup2(&actions, l->opener.requests, MP_WRITER_REQUESTS);
	posix_spawn_file_actions_adddup2(&actions, l->opener.keeper, MP_WRITER_KEEPER);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID); /* ^C is for the collector */
	error = posix_spawn(&l->pid, "/proc/self/exe", &actions, &attributes, argv, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	free(path);
	errno = error;
	if (error)
		mp_die("cannot start the process that writes: %m");
	close(pair[1]);
	l->fd = pair[0];
	current = l;
	return l;
}

pid_t mp_link_pid(const struct mp_link *l)
{
	return l->pid;
}

void mp_link_processes(const struct mp_link *l, struct mp_pids *to)
{
	size_t i;

	mp_pids_add(to, l->pid);
	for (i = 0; i < MP_ARRAY_SIZE(l->opener.pids); i++)
		mp_pids_add(to, l->opener.pids[i]);
}

/* Waits for its end, and says how it ended if that was too early. */
static void wait_for_end(struct mp_link *l, bool early)
{
	int status = 0;

	if (!l->pid)
		return;
	while (waitpid(l->pid, &status, 0) < 0 && errno == EINTR)
		;
	l->pid = 0;
	if (early && WIFSIGNALED(status))
		mp_say("the process that writes was killed by signal %d", WTERMSIG(status));
	else if (early)
		mp_say("the process that writes has ended with status %d", WEXITSTATUS(status));
}

/* It has ended, or sends what it must not send. Returns -1. */
static int fail(struct mp_link *l)
{
	if (l->pid)
		kill(l->pid, SIGKILL);
	wait_for_end(l, true);
	return -1;
}

void mp_link_free(struct mp_link *l)
{
	if (!l)
		return;
	close(l->fd);
	wait_for_end(l, false);
	mp_open_helper_end(&l->opener);
	mp_message_release(&l->in);
	mp_buf_release(&l->body);
	if (current == l)
		current = NULL;
	free(l);
}

/* --- messages ----------------------------------------------------------------------------------------- */

/* Sends l->body. */
static int send_body(struct mp_link *l, enum mp_message_type type, const int *fds)
{
	int result = l->pid ? mp_message_send(l->fd, type, mp_buf_view(&l->body), fds) : -1;

	l->body.len = 0;
	return result < 0 ? fail(l) : 0;
}

static int receive(struct mp_link *l)
{
	return l->pid && mp_message_receive(l->fd, &l->in) == 0 ? 0 : fail(l);
}

/* Sends l->body, and receives the answer. */
static int ask(struct mp_link *l, enum mp_message_type type)
{
	if (send_body(l, type, NULL) < 0 || receive(l) < 0)
		return -1;
	return l->in.type == type ? 0 : fail(l);
}

static int find_places(const struct mp_cut_place_request *request, struct mp_cut_places *answer,
		       char **error)
{
	struct mp_link *l = current ? current : mp_link_start();

	*answer = (struct mp_cut_places){ .n = 0 };
	*error = NULL;
	mp_message_put_request(&l->body, request);
	if (ask(l, MP_MESSAGE_PLACES) < 0 ||
	    mp_message_get_places(mp_buf_view(&l->in.body), answer, error) < 0) {
		*error = mp_asprintf("cannot read '%s': the process that reads it has failed",
				     request->file);
	}
	return *error ? -1 : 0;
}

static uint64_t find_kernel_address(const char *symbol)
{
	struct mp_link *l = current ? current : mp_link_start();
	uint64_t address = 0;

	mp_buf_str(&l->body, mp_str(symbol));
	if (ask(l, MP_MESSAGE_ADDRESS) < 0 ||
	    mp_message_get_number(mp_buf_view(&l->in.body), &address) < 0)
		return 0;
	return address;
}

const struct mp_cut_files mp_link_files = {
	.places = find_places,
	.kernel_address = find_kernel_address,
};

void mp_link_hand_over(struct mp_link *l, const struct mp_cut_plan *plan,
		       const int fds[MP_MESSAGE_FDS], const struct mp_tasknames *names)
{
	mp_cut_plan_put(plan, &l->body);
	send_body(l, MP_MESSAGE_PLAN, fds);
	if (!names)
		return;
	mp_buf_str(&l->body, mp_buf_view(&names->table));
	send_body(l, MP_MESSAGE_NAMES, NULL);
}

void mp_link_go(struct mp_link *l, const struct mp_message_start *start)
{
	mp_message_put_start(&l->body, start);
	send_body(l, MP_MESSAGE_START, NULL);
}

/* --- while it writes ------------------------------------------------------------------------------------ */

void mp_link_rows(void *link, uint32_t file, struct mp_cut_rows *answer)
{
	struct mp_link *l = link;

	*answer = (struct mp_cut_rows){ .n = 0 };
	mp_message_put_number(&l->body, file);
	if (ask(l, MP_MESSAGE_ROWS) < 0)
		return;
	if (mp_message_get_rows(mp_buf_view(&l->in.body), answer) < 0) {
		*answer = (struct mp_cut_rows){ .n = 0 };
		fail(l);
	}
}

static int update_space(struct mp_link *l, const struct mp_link_service *service)
{
	struct mp_cut_space space;

	if (!service->stacks || mp_message_get_space(mp_buf_view(&l->in.body), &space) < 0)
		return fail(l);
	mp_bpf_stacks_update(service->stacks, &space);
	free((void *)space.v);
	return send_body(l, MP_MESSAGE_SPACE, NULL);
}

static int forget_space(struct mp_link *l, const struct mp_link_service *service)
{
	uint64_t number;

	if (!service->stacks || mp_message_get_number(mp_buf_view(&l->in.body), &number) < 0)
		return fail(l);
	mp_bpf_stacks_forget(service->stacks, number);
	return 0;
}

static int forget_file(struct mp_link *l, const struct mp_link_service *service)
{
	uint64_t file;

	if (!service->stacks || mp_message_get_number(mp_buf_view(&l->in.body), &file) < 0 ||
	    file > UINT32_MAX)
		return fail(l);
	mp_bpf_stacks_forget_file(service->stacks, (uint32_t)file);
	return 0;
}

static int serve_one(struct mp_link *l, const struct mp_link_service *service)
{
	if (receive(l) < 0)
		return -1;
	switch (l->in.type) {
	case MP_MESSAGE_SPACE:
		return update_space(l, service);
	case MP_MESSAGE_FORGET:
		return forget_space(l, service);
	case MP_MESSAGE_FORGET_FILE:
		return forget_file(l, service);
	case MP_MESSAGE_STOP:
		service->stop(service->arg);
		return 0;
	case MP_MESSAGE_ALIVE:
	case MP_MESSAGE_ENDED:
		return 0;
	default:
		return fail(l);
	}
}

static uint64_t cpu_time(const struct mp_link *l)
{
	struct timespec t = { .tv_sec = 0 };
	clockid_t clock;

	if (clock_getcpuclockid(l->pid, &clock) == 0)
		clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

int mp_link_serve(struct mp_link *l, const struct mp_link_service *service)
{
	struct pollfd news = { .fd = l->fd, .events = POLLIN };
	uint64_t ticked_ns = 0, now;

	if (!l->pid)
		return -1;
	for (;;) {
		now = mp_monotonic_ns();
		if (now - ticked_ns >= TICK_MS * 1000000ull) {
			service->tick(service->arg);
			ticked_ns = now;
			if (cpu_time(l) - l->alive_cpu_ns > STUCK_NS)
				return fail(l);
		}
		if (poll(&news, 1, TICK_MS) <= 0)
			continue;
		if (serve_one(l, service) < 0)
			return -1;
		l->alive_cpu_ns = cpu_time(l);
		if (l->in.type == MP_MESSAGE_ENDED)
			return 0;
	}
}

int mp_link_end(struct mp_link *l, const struct mp_cut_end *end, struct mp_message_done *done)
{
	const struct timeval forever = { .tv_sec = 0 };

	setsockopt(l->fd, SOL_SOCKET, SO_RCVTIMEO, &forever,
		   sizeof(forever)); /* the output may wait */
	mp_cut_end_put(end, &l->body);
	if (send_body(l, MP_MESSAGE_END, NULL) < 0 || receive(l) < 0)
		return -1;
	if (l->in.type != MP_MESSAGE_DONE ||
	    mp_message_get_done(mp_buf_view(&l->in.body), done) < 0)
		return fail(l);
	wait_for_end(l, false);
	return 0;
}
