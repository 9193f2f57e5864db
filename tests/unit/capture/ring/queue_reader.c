// SPDX-License-Identifier: GPL-2.0-only
/* The reading end of the queue in another process: what it may do, what happens when it dies. */
#include "lib/capture/ring/queue_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/capture/ring/queue_shared.h"
#include "tests/unit/tap.h"

enum { LIMIT = 1 << 20, STREAMS = 3, CHUNKS = 3000, NOBODY = 65534, WAIT_MS = 60000 };

/* Chunk number `i` of a stream: its length and its words are known from the number. */
static size_t length_of(uint64_t i)
{
	return (1 + i * 7919 % 5000) * sizeof(uint64_t);
}

static bool is_right(const struct mp_queue_item *item, uint64_t i)
{
	uint64_t word;
	size_t at;

	for (at = 0; at < item->len; at += sizeof(word)) {
		memcpy(&word, item->data + at, sizeof(word));
		if (word != i)
			return false;
	}
	return item->len == length_of(i);
}

/* Handles a chunk or a mark, and gives it back. */
static void give_back(struct mp_queue_reader *r, struct mp_queue_item *item)
{
	mp_queue_done(r, item);
	mp_queue_give_back(r);
}

/*
 * Reads up to the last mark; `next` has the number of the next chunk of each stream. A reader that
 * died may have counted a chunk that it did not give back. Returns whether all chunks were right.
 */
static bool read_all(const struct mp_queue_fds *fds, uint64_t next[STREAMS])
{
	struct mp_queue_reader *r = mp_queue_attach(fds);
	bool begun[STREAMS] = { false }, last = false;
	struct mp_queue_item *item;

	while (!last) {
		item = mp_queue_pop(r, WAIT_MS);
		if (!item)
			return false;
		last = !item->stream && item->settled_ns == UINT64_MAX;
		if (item->stream) {
			uint64_t *n = &next[item->stream->number];

			if (!begun[item->stream->number] && *n == item->number + 1)
				--*n;
			begun[item->stream->number] = true;
			if (item->number != *n || !is_right(item, (*n)++))
				return false;
		}
		give_back(r, item);
	}
	mp_queue_detach(r);
	return true;
}

static bool ended_well(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };

	return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid;
}

static struct mp_queue *new_queue(const struct mp_queue_stream *streams[STREAMS])
{
	struct mp_queue *q = mp_queue_new(LIMIT, LIMIT);
	uint32_t i;

	for (i = 0; i < STREAMS; i++)
		streams[i] = mp_queue_add(q, MP_QUEUE_EVENTS, "rings", i);
	return q;
}

/* False if there is no room. */
static bool push(struct mp_queue *q, const struct mp_queue_stream *stream, uint64_t i)
{
	struct mp_chunk *c = mp_queue_chunk(q, stream, length_of(i));
	size_t at;

	if (!c)
		return false;
	for (at = 0; at < length_of(i); at += sizeof(i))
		memcpy(c->data + at, &i, sizeof(i));
	c->len = length_of(i);
	mp_queue_push(q, c);
	return true;
}

static void check_process(void)
{
	const struct mp_queue_stream *streams[STREAMS];
	struct mp_queue *q = new_queue(streams);
	struct mp_queue_fds fds = mp_queue_fds(q);
	uint64_t next[STREAMS] = { 0 }, i;
	pid_t pid = fork();
	size_t s;

	if (pid == 0)
		_exit(!(read_all(&fds, next) && next[0] == CHUNKS && next[2] == CHUNKS));
	for (i = 0; i < CHUNKS; i++) {
		for (s = 0; s < STREAMS; s++)
			while (!push(q, streams[s], i) && !has_ended(pid)) {
				mp_queue_mark(q, i, i);
				mp_queue_wait_room(q, 10);
			}
		if (i % 3 == 0)
			mp_queue_mark(q, i, i);
	}
	mp_queue_mark(q, UINT64_MAX, UINT64_MAX);
	ok(ended_well(pid), "another process reads all chunks up to the last mark");
	ok(mp_queue_bytes(q, MP_QUEUE_EVENTS) == 0 && !mp_queue_lies(q), "and gives them back");
	mp_queue_free(q);
}

/* --- a reader that dies ----------------------------------------------------------------------- */

/* Pushes until there is no room, at most a few chunks. */
static void push_some(struct mp_queue *q, const struct mp_queue_stream *const streams[STREAMS],
		      uint64_t pushed[STREAMS])
{
	unsigned i;
	size_t s;

	for (i = 0; i < 20; i++) {
		for (s = 0; s < STREAMS; s++)
			pushed[s] += push(q, streams[s], pushed[s]);
		mp_queue_mark(q, i, i);
	}
}

/* Each reader dies at a random time; the next one finds what the last one did not give back. */
static void check_restart(void)
{
	enum { DEATHS = 100 };
	const struct mp_queue_stream *streams[STREAMS];
	struct mp_queue *q = new_queue(streams);
	uint64_t *next = mmap(NULL, STREAMS * sizeof(*next), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t pushed[STREAMS] = { 0 };
	unsigned i, wrong = 0;
	pid_t pid;
	int status;

	for (i = 0; i <= DEATHS; i++) {
		struct mp_queue_fds fds = mp_queue_fds(q);

		pid = fork();
		if (pid == 0)
			_exit(!read_all(&fds, next));
		push_some(q, streams, pushed);
		if (i == DEATHS)
			break;
		usleep((useconds_t)random() % 3000);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		wrong += !WIFSIGNALED(status);
		mp_queue_restart(q);
	}
	mp_queue_mark(q, UINT64_MAX, UINT64_MAX);
	ok(ended_well(pid) && !wrong, "%d readers die, and the next one continues", DEATHS);
	ok(memcmp(next, pushed, sizeof(pushed)) == 0 && pushed[0] > 20,
	   "with what the last one did not give back, in order: %llu chunks",
	   (unsigned long long)pushed[0]);
	ok(mp_queue_bytes(q, MP_QUEUE_EVENTS) == 0 && !mp_queue_lies(q),
	   "and in the end everything was given back");
	mp_queue_free(q);
	munmap(next, STREAMS * sizeof(*next));
}

/* What was handled, but not given back, comes again; the place tells how far each stream was. */
static void check_places(void)
{
	const struct mp_queue_stream *streams[STREAMS];
	struct mp_queue *q = new_queue(streams);
	struct mp_queue_fds fds = mp_queue_fds(q);
	struct mp_queue_reader *r = mp_queue_attach(&fds);
	struct mp_queue_item *item[3];
	struct mp_queue_place place;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(item); i++)
		push(q, streams[0], i);
	for (i = 0; i < MP_ARRAY_SIZE(item); i++) {
		item[i] = mp_queue_pop(r, 0);
		item[i]->records = 10;
	}
	mp_queue_done(r, item[2]);
	place = mp_queue_place(r, 0);
	ok(place.chunk == 0 && place.records == 0, "a chunk counts after those before it");
	mp_queue_done(r, item[0]);
	mp_queue_give_back(r);
	mp_queue_done(r, item[1]);
	place = mp_queue_place(r, 0);
	ok(place.chunk == 3 && place.records == 30, "then all three do");
	mp_queue_detach(r);
	mp_queue_restart(q);
	fds = mp_queue_fds(q);
	r = mp_queue_attach(&fds);
	item[1] = mp_queue_pop(r, 0);
	ok(item[1] && item[1]->number == 1 && mp_queue_place(r, 0).chunk == 1,
	   "the next reader gets what was not given back, by its number");
	mp_queue_detach(r);
	mp_queue_free(q);
}

/* A reader that dies after the last mark does not take the mark along. */
static void check_last_mark(void)
{
	const struct mp_queue_stream *streams[STREAMS];
	struct mp_queue *q = new_queue(streams);
	uint64_t next[STREAMS] = { 0 };
	struct mp_queue_fds fds;
	unsigned well = 0, i;
	pid_t pid;

	push(q, streams[1], 0);
	mp_queue_mark(q, UINT64_MAX, UINT64_MAX);
	for (i = 0; i < 2; i++) {
		fds = mp_queue_fds(q);
		pid = fork();
		if (pid == 0)
			_exit(!(read_all(&fds, next) && next[1] == 1 - i));
		well += ended_well(pid);
		mp_queue_restart(q);
	}
	ok(well == 2, "the last mark comes to each reader");
	mp_queue_free(q);
}

/* --- a reader that attacks -------------------------------------------------------------------- */

static bool refuses(int result, int error)
{
	return result < 0 && errno == error;
}

/*
 * What a reader must not be able to do with its descriptors: returns the number of attempts that
 * succeed.
 */
static int attack(const struct mp_queue_fds *fds, size_t size)
{
	char data[64], returns[64];
	int open_ways = 0;

	snprintf(data, sizeof(data), "/proc/self/fd/%d", fds->data);
	snprintf(returns, sizeof(returns), "/proc/self/fd/%d", fds->returns);
	open_ways +=
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fds->data, 0) != MAP_FAILED;
	open_ways += !refuses((int)write(fds->data, "x", 1), EBADF);
	open_ways += !refuses(ftruncate(fds->data, 0), EINVAL);
	open_ways += !refuses(fcntl(fds->data, F_ADD_SEALS, F_SEAL_WRITE), EPERM);
	open_ways += !refuses(
		fallocate(fds->data, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), EBADF);
	open_ways += !refuses(ftruncate(fds->returns, 0), EPERM);
	open_ways += !refuses(fcntl(fds->returns, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), EPERM);
	open_ways += !refuses(ftruncate(fds->returns, (off_t)size), EPERM);
	if (getuid() != 0) /* the descriptors are of the same user, who may open them again */
		return open_ways;
	if (setgroups(0, NULL) < 0 || setgid(NOBODY) < 0 || setuid(NOBODY) < 0)
		open_ways += 100;
	open_ways += !refuses(open(data, O_RDWR), EACCES) + !refuses(chmod(data, 0777), EPERM) +
		     !refuses(open(returns, O_RDWR), EACCES);
	return open_ways;
}

static void check_attacks(void)
{
	const struct mp_queue_stream *streams[STREAMS];
	struct mp_queue *q = new_queue(streams);
	struct mp_queue_fds fds = mp_queue_fds(q);
	struct mp_queue_returns *returns;
	struct mp_queue_reader *r;
	struct mp_queue_item *item;
	int status, i;
	pid_t pid;

	pid = fork();
	if (pid == 0)
		_exit(attack(&fds, 1 << 30));
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "a reader cannot write to the queue, nor resize or seal its memory: %d",
	   WEXITSTATUS(status));

	push(q, streams[0], 0);
	pid = fork();
	if (pid == 0) {
		r = mp_queue_attach(&fds);
		item = mp_queue_pop(r, 0);
		((char *)item->data)[0] = 'x';
		_exit(0);
	}
	waitpid(pid, &status, 0);
	ok(!WIFEXITED(status) || WEXITSTATUS(status), "not where it has mapped it either");

	/* a child writes numbers while the parent pushes; the parent must only survive */
	pid = fork();
	if (pid == 0) {
		returns = mmap(NULL, sizeof(*returns), PROT_READ | PROT_WRITE, MAP_SHARED,
			       fds.returns, 0);
		for (;;) {
			returns->taken += (uint64_t)random() % 3;
			returns->handled[random() % STREAMS] += (uint64_t)(random() % 3 - 1);
			returns->handled[random() % 100] ^= random() % 1000 ? 0 : 1ull << 63;
		}
	}
	for (i = 0; i < 100000; i++) {
		push(q, streams[i % STREAMS], (uint64_t)i % 100);
		if (i % 10 == 0)
			mp_queue_mark(q, 1, 1);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	ok(mp_queue_bytes(q, MP_QUEUE_EVENTS) <= 2 * LIMIT,
	   "numbers that it writes change no limit");
	mp_queue_abandon(q);
	mp_queue_free(q);
}

int main(void)
{
	check_process();
	check_restart();
	check_places();
	check_last_mark();
	check_attacks();
	return tap_done();
}
