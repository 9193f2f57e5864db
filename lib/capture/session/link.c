// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/capture/host/target.h"
#include "lib/capture/host/thread.h"
#include "lib/capture/object/binary.h"
#include "lib/capture/session/writer_main.h"
#include "lib/core/clock.h"

enum {
	TICK_MS = 100,
	DYING_MS = 50, /* how long the end of a process takes, at most, after that of its socket */
	ANSWER_S = 60, /* a process that has not answered after this time has failed */
	RESTARTS_MAX = 200,
	SAID_MAX = 20000, /* messages of a process: -v has one for each CPU */
	FUTILE_MAX = 10,  /* how many processes in sequence may end without handling a record */
};

/* A process that sends no message within this CPU time has failed. */
#define STUCK_NS 30000000000ull

/* So has one that waits for this long without using any, unless it waits for its output. */
#define STALLED_NS 30000000000ull

struct mp_link {
	int fd;
	struct mp_open_helper opener;
	struct mp_sandbox_process process; /* `pid` is 0 once it was waited for */
	bool ready;			   /* the process is in its sandbox */
	uint32_t missing;		   /* the missing parts of the sandbox */
	struct mp_cgroup_names *cgroups;   /* NULL: no name was requested yet */
	struct mp_message in;
	struct mp_buf body;
	uint64_t alive_cpu_ns; /* CPU time of the process at its latest message */
	uint64_t idle_cpu_ns;  /* its CPU time when it last had a reason to wait, or ran */
	uint64_t idle_from_ns; /* when that was */
	int output;	       /* borrowed */

	/* for another process */
	struct mp_journal *journal; /* borrowed; NULL: it was not handed over yet */
	int exit_status;	    /* as from waitpid(2), of the last one */
	bool failed;		    /* it was killed here */
	uint64_t written;	    /* bytes of the output that ended processes have written */
	uint64_t written_before;    /* what the process had written before it got the output */
	bool has_output, written_unknown;
	uint64_t progress;	      /* mp_journal_progress() when the one before it died */
	unsigned futile;	      /* deaths without progress */
	unsigned said;		      /* messages of the process */
	struct mp_work_step *avoided; /* at which processes have died */
	size_t n_avoided, cap_avoided, restarts;
	bool hurried; /* by mp_link_hurry() */
	bool starved; /* a process had no memory left; the last one worked for this user */
	uint32_t starved_uid;
};

/*
 * The link that was started last. Requests for places use it, since they have no argument for one.
 */
static struct mp_link *current;

/* --- start and end of the process ------------------------------------------------------------- */

/*
 * Starts the process, which can write to its sockets and to the output only: what it writes by
 * write(2) is counted, and standard error cannot be written to. Returns 0, or -1 with errno.
 */
static int start_process(struct mp_link *l)
{
	const struct timeval patience = { .tv_sec = ANSWER_S };
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC), pair[2], result;
	int fds[MP_WRITER_FDS] = { null, null, null, [MP_WRITER_REQUESTS] = l->opener.requests,
				   [MP_WRITER_KEEPER] = l->opener.keeper };

	l->fd = -1;
	l->ready = l->has_output = false;
	l->said = 0;
	if (null < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
		l->process.pidfd = -1;
		close(null);
		return -1;
	}
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(pair[0], SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
#ifdef __SANITIZE_ADDRESS__ /* its reports */
	fds[STDERR_FILENO] = STDERR_FILENO;
#endif
	fds[MP_WRITER_SOCKET] = pair[1];
	result = mp_sandbox_start(&l->process, MP_WRITER_NAME, "writer", fds, MP_WRITER_FDS);
	close(null);
	close(pair[1]);
	l->fd = pair[0];
	return result;
}

struct mp_link *mp_link_start(void)
{
	struct mp_link *l = mp_zalloc(sizeof(*l));

	if (mp_open_helper_start(&l->opener) < 0)
		mp_die("cannot start the process that opens files: %m");
	if (start_process(l) < 0)
		mp_die("cannot start the writer process: %m");
	l->in.patience_s = ANSWER_S;
	current = l;
	return l;
}

pid_t mp_link_pid(const struct mp_link *l)
{
	return l->process.pid;
}

const struct mp_sandbox_uids *mp_link_uids(const struct mp_link *l)
{
	return &l->process.uids;
}

void mp_link_processes(const struct mp_link *l, struct mp_pids *to)
{
	size_t i;

	mp_pids_add(to, l->process.pid);
	for (i = 0; i < MP_ARRAY_SIZE(l->opener.pids); i++)
		mp_pids_add(to, l->opener.pids[i]);
}

/* Waits until a process has ended, and leaves it to be waited for. */
static void wait_until_ended(pid_t pid)
{
	siginfo_t ended;

	while (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
}

/*
 * How many bytes the kernel writes on behalf of a process that ends: with process accounting
 * (acct(2)), a record for each pid namespace in which it is on. They count as written by the
 * process, so a child that writes nothing shows how many there are.
 */
static bool written_by_kernel(uint64_t *bytes)
{
	pid_t pid = vfork();
	bool known;

	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return false;
	wait_until_ended(pid);
	known = mp_proc_written(pid, bytes);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return known;
}

/* Counts what a process that has ended has written: it can write to the output only. */
static void count_written(struct mp_link *l)
{
	uint64_t bytes, record;

	if (mp_proc_written(l->process.pid, &bytes) && written_by_kernel(&record))
		l->written += bytes - record - l->written_before;
	else
		l->written_unknown = true;
}

/*
 * Waits until the process has ended. If that was too early, counts what it has written, for the
 * process that continues, and reports how it ended.
 */
static void wait_for_end(struct mp_link *l, bool early)
{
	if (!l->process.pid)
		return;
	wait_until_ended(l->process.pid);
	if (early && l->has_output)
		count_written(l);
	while (waitpid(l->process.pid, &l->exit_status, 0) < 0 && errno == EINTR)
		;
	l->process.pid = 0;
	if (early && WIFSIGNALED(l->exit_status))
		mp_say("the writer process was killed by signal %d", WTERMSIG(l->exit_status));
	else if (early)
		mp_say("the writer process has ended with status %d", WEXITSTATUS(l->exit_status));
}

/* Kills a process unless it dies by itself within some time, and reports its end. Returns -1. */
static int end_process(struct mp_link *l, int patience_ms)
{
	struct pollfd ended = { .fd = l->process.pidfd, .events = POLLIN };

	if (!l->process.pid)
		return -1;
	l->failed = poll(&ended, 1, patience_ms) <= 0;
	if (l->failed)
		kill(l->process.pid, SIGKILL);
	wait_for_end(l, true);
	return -1;
}

/*
 * For a process that has failed, or sends what it must not send: it is killed at once, while the
 * step that it publishes is still the one at fault. Returns -1.
 */
static int fail(struct mp_link *l)
{
	return end_process(l, 0);
}

/* For a process that does not send or receive any more: it may be about to die. Returns -1. */
static int lose(struct mp_link *l)
{
	return end_process(l, DYING_MS);
}

void mp_link_free(struct mp_link *l)
{
	if (!l)
		return;
	if (l->fd >= 0)
		close(l->fd);
	wait_for_end(l, false);
	if (l->process.pidfd >= 0)
		close(l->process.pidfd);
	mp_open_helper_end(&l->opener);
	mp_cgroup_names_free(l->cgroups);
	free(l->avoided);
	mp_message_release(&l->in);
	mp_buf_release(&l->body);
	if (current == l)
		current = NULL;
	free(l);
}

/* --- messages --------------------------------------------------------------------------------- */

/* Sends l->body. */
static int send_body(struct mp_link *l, enum mp_message_type type, const int *fds, size_t n_fds)
{
	int result = l->process.pid
			     ? mp_message_send(l->fd, type, mp_buf_view(&l->body), fds, n_fds)
			     : -1;

	l->body.len = 0;
	return result < 0 ? lose(l) : 0;
}

/* Receives a message. It has no descriptors to send: these would fill our table. */
static int receive(struct mp_link *l)
{
	int result = l->process.pid ? mp_message_receive(l->fd, &l->in) : -1;
	bool wrong = l->in.n_fds > 0;

	while (l->in.n_fds)
		close(l->in.fds[--l->in.n_fds]);
	if (result < 0)
		return lose(l);
	return wrong ? fail(l) : 0;
}

/* Prints what the process says, unless that is too much. */
static int say(struct mp_link *l)
{
	if (++l->said > SAID_MAX)
		return fail(l);
	mp_say("%.*s", MP_STR_ARGS(mp_buf_view(&l->in.body)));
	return 0;
}

/* Receives an answer; the process may say something before. */
static int receive_answer(struct mp_link *l)
{
	do
		if (receive(l) < 0)
			return -1;
	while (l->in.type == MP_MESSAGE_SAY && say(l) == 0);
	return l->process.pid ? 0 : -1;
}

/* To be called when the processes have sessions of their own. */
static void hurry(const struct mp_link *l)
{
	size_t i;

	mp_thread_hurry(l->process.pid);
	for (i = 0; i < MP_ARRAY_SIZE(l->opener.pids); i++)
		mp_thread_hurry(l->opener.pids[i]);
}

/* Waits until the process is in its sandbox. */
static int wait_ready(struct mp_link *l)
{
	uint64_t missing;

	if (l->ready)
		return 0;
	if (receive_answer(l) < 0)
		return -1;
	if (l->in.type != MP_MESSAGE_READY ||
	    mp_message_get_number(mp_buf_view(&l->in.body), &missing) < 0)
		return fail(l);
	if (l->restarts && (uint32_t)missing & ~l->missing) {
		mp_say("the sandbox of another writer process lacks a part that the first one had");
		return fail(l);
	}
	l->missing = (uint32_t)missing;
	l->ready = true;
	if (l->hurried)
		hurry(l);
	return 0;
}

uint32_t mp_link_missing(struct mp_link *l)
{
	wait_ready(l);
	return l->missing;
}

/* Sends l->body, with a descriptor unless it is -1, and receives the answer. */
static int ask(struct mp_link *l, enum mp_message_type type, int fd)
{
	if (wait_ready(l) < 0 || send_body(l, type, &fd, fd >= 0) < 0 || receive_answer(l) < 0)
		return -1;
	return l->in.type == type ? 0 : fail(l);
}

static int find_places(const struct mp_cut_place_request *request, struct mp_cut_places *answer,
		       char **error)
{
	struct mp_link *l = current ? current : mp_link_start();
	struct mp_cut_place_request by_path = *request;
	int fd;

	*answer = (struct mp_cut_places){ .n = 0 };
	*error = NULL;
	by_path.file = mp_binary_path(request->file, error);
	fd = by_path.file ? mp_binary_open(by_path.file, error) : -1;
	if (fd >= 0) {
		mp_message_put_request(&l->body, &by_path);
		if (ask(l, MP_MESSAGE_PLACES, fd) < 0 ||
		    mp_message_get_places(mp_buf_view(&l->in.body), by_path.file, answer, error) <
			    0)
			*error = mp_asprintf(
				"cannot read '%s': the process that reads it has failed",
				request->file);
		close(fd);
	}
	free((char *)by_path.file);
	return *error ? -1 : 0;
}

static uint64_t find_kernel_address(const char *symbol)
{
	struct mp_link *l = current ? current : mp_link_start();
	uint64_t address = 0;

	mp_buf_str(&l->body, mp_str(symbol));
	if (ask(l, MP_MESSAGE_ADDRESS, -1) < 0 ||
	    mp_message_get_number(mp_buf_view(&l->in.body), &address) < 0)
		return 0;
	return address;
}

const struct mp_cut_files mp_link_files = {
	.places = find_places,
	.kernel_address = find_kernel_address,
};

void mp_link_hand_over(struct mp_link *l, const struct mp_link_handover *h)
{
	const int fds[MP_MESSAGE_FDS] = {
		[MP_MESSAGE_OUTPUT] = h->output,
		[MP_MESSAGE_QUEUE_DATA] = h->queue.data,
		[MP_MESSAGE_QUEUE_RETURNS] = h->queue.returns,
		[MP_MESSAGE_JOURNAL] = mp_journal_fd(h->journal),
	};

	if (wait_ready(l) < 0)
		return;
	l->output = h->output;
	l->journal = h->journal;
	l->has_output = true;
	if (!mp_proc_written(l->process.pid, &l->written_before))
		l->written_unknown = true;
	mp_cut_plan_put(h->plan, &l->body);
	send_body(l, MP_MESSAGE_PLAN, fds, MP_MESSAGE_FDS);
	if (!h->names)
		return;
	mp_buf_str(&l->body, mp_buf_view(&h->names->table));
	send_body(l, MP_MESSAGE_NAMES, NULL, 0);
}

void mp_link_go(struct mp_link *l, uint64_t from_ns, const char *header)
{
	const struct mp_message_start start = {
		.from_ns = from_ns,
		.header = (char *)header,
		.again = l->restarts > 0,
		.written = l->written,
		.avoided = l->avoided,
		.n_avoided = l->n_avoided,
	};

	mp_message_put_start(&l->body, &start);
	send_body(l, MP_MESSAGE_START, NULL, 0);
}

void mp_link_hurry(struct mp_link *l)
{
	l->hurried = true;
}

/* --- another process -------------------------------------------------------------------------- */

/*
 * Whether the process has ended because it had no memory left, which others may have used up, and
 * the one before it that did so worked for another user, or there was none.
 */
static bool is_starved(struct mp_link *l, const struct mp_work_step *found)
{
	bool same = l->starved && l->starved_uid == found->uid;

	if (!WIFEXITED(l->exit_status) || WEXITSTATUS(l->exit_status) != MP_WRITER_NO_MEMORY)
		return false;
	l->starved = true;
	l->starved_uid = found->uid;
	return !same;
}

static bool is_killed_by_others(const struct mp_link *l)
{
	return WIFSIGNALED(l->exit_status) && WTERMSIG(l->exit_status) == SIGKILL && !l->failed;
}

static bool avoids_all(const struct mp_link *l)
{
	const struct mp_work work = { .avoided = l->avoided, .n_avoided = l->n_avoided };

	return mp_work_avoids_all(&work);
}

/* Notes at what the process has ended, for the next ones, unless that was not its own fault. */
static void note_offender(struct mp_link *l)
{
	struct mp_work_step *work = mp_journal_work(l->journal), found = MP_WORK_UNKNOWN;
	bool known = mp_work_found(work, &found);

	memset(work, 0, MP_WORK_LEVELS * sizeof(*work));
	if (is_killed_by_others(l) || is_starved(l, &found)) {
		mp_say("another writer process continues");
		return;
	}
	l->avoided = mp_grow(l->avoided, &l->cap_avoided, l->n_avoided + 1, sizeof(*l->avoided));
	l->avoided[l->n_avoided++] = found;
	if (known)
		mp_say("another writer process continues, without what it worked on: "
		       "process %d ('%s', uid %u)%s%s",
		       found.pid, found.comm, found.uid, found.file[0] ? ", file " : "",
		       found.file);
	else if (avoids_all(l))
		mp_say("another writer process continues, without reading files: it is not known "
		       "which of them made others fail");
	else
		mp_say("another writer process continues");
}

/*
 * Whether the process that opens files has ended: without it, each stack would be copied and none
 * resolved.
 */
static bool lacks_opener(const struct mp_link *l)
{
	siginfo_t ended = { .si_pid = 0 };

	return waitid(P_PID, (id_t)l->opener.pids[1], &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       ended.si_pid;
}

/* Why no other process would get further than the last one; NULL: one may. */
static const char *why_futile(struct mp_link *l)
{
	uint64_t progress;

	if (lacks_opener(l))
		return "the process that opens files has ended";
	if (!l->journal)
		return "the recording has not begun";
	if (l->written_unknown)
		return "it is not known how much of the output was written";
	if (WIFEXITED(l->exit_status) && WEXITSTATUS(l->exit_status) == MP_WRITER_CANNOT_RESUME)
		return "its journal is damaged";
	progress = mp_journal_progress(l->journal);
	l->futile = progress == l->progress ? l->futile + 1 : 0;
	l->progress = progress;
	return l->futile >= FUTILE_MAX || l->restarts >= RESTARTS_MAX ? "too many have failed"
								      : NULL;
}

int mp_link_restart(struct mp_link *l)
{
	const char *why = why_futile(l);

	if (!why) {
		close(l->fd);
		close(l->process.pidfd);
		mp_open_helper_renew(&l->opener);
		l->alive_cpu_ns = l->idle_cpu_ns = 0;
		l->idle_from_ns = mp_monotonic_ns();
		l->restarts++;
		why = start_process(l) < 0 ? "it cannot be started" : NULL;
	}
	if (why) {
		mp_say("no other writer process can continue: %s", why);
		return -1;
	}
	note_offender(l);
	return 0;
}

size_t mp_link_restarts(const struct mp_link *l)
{
	return l->restarts;
}

/* --- serving the writer ----------------------------------------------------------------------- */

void mp_link_rows(void *link, uint32_t file, struct mp_cut_rows *answer)
{
	struct mp_link *l = link;

	*answer = (struct mp_cut_rows){ .n = 0 };
	mp_message_put_number(&l->body, file);
	if (ask(l, MP_MESSAGE_ROWS, -1) < 0)
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
	return send_body(l, MP_MESSAGE_SPACE, NULL, 0);
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

static int answer_cgroup(struct mp_link *l)
{
	uint64_t id;

	if (mp_message_get_number(mp_buf_view(&l->in.body), &id) < 0)
		return fail(l);
	if (!l->cgroups)
		l->cgroups = mp_cgroup_names_new(NULL, NULL);
	mp_buf_str(&l->body, mp_str(mp_cgroup_name(l->cgroups, id)));
	return send_body(l, MP_MESSAGE_CGROUP, NULL, 0);
}

static int show_alive(struct mp_link *l, const struct mp_link_service *service)
{
	struct mp_message_alive alive;

	if (mp_message_get_alive(mp_buf_view(&l->in.body), &alive) < 0)
		return fail(l);
	service->show(service->arg, alive.written, alive.lost);
	return 0;
}

static int serve_one(struct mp_link *l, const struct mp_link_service *service)
{
	if (receive(l) < 0)
		return -1;
	switch (l->in.type) {
	case MP_MESSAGE_SPACE:
		return update_space(l, service);
	case MP_MESSAGE_CGROUP:
		return answer_cgroup(l);
	case MP_MESSAGE_FORGET:
		return forget_space(l, service);
	case MP_MESSAGE_FORGET_FILE:
		return forget_file(l, service);
	case MP_MESSAGE_STOP:
		service->stop(service->arg);
		return 0;
	case MP_MESSAGE_ALIVE:
		return show_alive(l, service);
	case MP_MESSAGE_SAY:
		return say(l);
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

	if (clock_getcpuclockid(l->process.pid, &clock) == 0)
		clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

/*
 * Whether the process has waited long in one system call. It may wait for its output, or for a
 * disk, and may have been stopped; for all else it waits 0.1 s at most.
 */
static bool is_stalled(struct mp_link *l)
{
	struct pollfd output = { .fd = l->output, .events = POLLOUT };
	uint64_t now = mp_monotonic_ns(), cpu = cpu_time(l);

	if (cpu == l->idle_cpu_ns && mp_proc_state(l->process.pid) == 'S' &&
	    poll(&output, 1, 0) > 0)
		return now - l->idle_from_ns > STALLED_NS;
	l->idle_cpu_ns = cpu;
	l->idle_from_ns = now;
	return false;
}

/* Ends the process if it, or the one that it needs, has failed. Returns 0, or -1. */
static int watch(struct mp_link *l)
{
	if (lacks_opener(l))
		mp_say("the process that opens files has ended");
	else if (cpu_time(l) - l->alive_cpu_ns > STUCK_NS || is_stalled(l))
		mp_say("the writer process does not respond");
	else
		return 0;
	return fail(l);
}

int mp_link_serve(struct mp_link *l, const struct mp_link_service *service)
{
	struct pollfd news = { .fd = l->fd, .events = POLLIN };
	uint64_t ticked_ns = 0, now;

	if (!l->process.pid)
		return -1;
	for (;;) {
		now = mp_monotonic_ns();
		if (now - ticked_ns >= TICK_MS * 1000000ull) {
			service->tick(service->arg);
			ticked_ns = now;
			if (watch(l) < 0)
				return -1;
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

/* Waits for the last message: the process may have much to write, and its output may block. */
static int wait_done(struct mp_link *l)
{
	struct pollfd news = { .fd = l->fd, .events = POLLIN };

	do {
		while (poll(&news, 1, TICK_MS) <= 0) {
			l->alive_cpu_ns = cpu_time(l);
			if (watch(l) < 0)
				return -1;
		}
		if (receive(l) < 0 || (l->in.type == MP_MESSAGE_SAY && say(l) < 0))
			return -1;
	} while (l->in.type == MP_MESSAGE_SAY);
	return 0;
}

int mp_link_end(struct mp_link *l, const struct mp_cut_end *end, struct mp_message_done *done)
{
	mp_cut_end_put(end, &l->body);
	if (send_body(l, MP_MESSAGE_END, NULL, 0) < 0 || wait_done(l) < 0)
		return -1;
	if (l->in.type != MP_MESSAGE_DONE ||
	    mp_message_get_done(mp_buf_view(&l->in.body), done) < 0)
		return fail(l);
	wait_for_end(l, false);
	return 0;
}
