// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes an mp-record whose writer obeys the symbols of other users' programs, as if one of its
 * parsers had been taken over: it calls what a symbol names that begins with mp_attempt_. The linker
 * puts these functions between the parsers and their callers (--wrap). tests/load/attempt.c has the
 * symbols; attempts.h has more attempts.
 */
#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lib/capture/host/opener.h"
#include "lib/capture/object/elfsym.h"
#include "lib/capture/ring/queue_reader.h"
#include "lib/capture/session/message.h"
#include "lib/capture/session/writer_main.h"
#include "lib/core/clock.h"
#include "tests/tools/attempts.h"

#define PREFIX "mp_attempt_"
#define FLOOD_NS 2000000000ull
#define REQUESTS_NS 20000000000ull

enum { REFUSED = 1000 };

static const char *queued; /* in the memory of the queue */
static void *returns;	   /* what it gives back of that */
static size_t returns_len;
static void *journal;
static size_t journal_len;
static bool doomed;

static void make_opener(struct mp_opener *opener, struct mp_open_helper *helper)
{
	*helper = (struct mp_open_helper){ MP_WRITER_REQUESTS, MP_WRITER_KEEPER, { 0, 0 } };
	*opener = (struct mp_opener){
		.helper = helper,
		.number = 1u << 30, /* not a number of the writer's own requests */
		.deadline_ms = 100,
	};
}

/* Requests files that are not programs, in each way; prints what it got. */
static long try_files(void)
{
	static const char *const proc[] = { "/etc/shadow", "/proc/1/mem", "/proc/1/environ",
					    "/proc/self/../../etc/shadow",
					    "/proc/1/root/etc/shadow" };
	const struct mp_open_mapping shadow = { .path = "/etc/shadow" };
	struct mp_open_helper helper;
	struct mp_opener opener;
	unsigned got = 0;
	size_t i;

	make_opener(&opener, &helper);
	got += mp_open_code(&opener, &shadow) >= 0;
	for (i = 0; i < MP_OPEN_PLACES; i++)
		got += mp_open_debug(&opener, &shadow, (enum mp_open_debug)i, "shadow") >= 0;
	for (i = 0; i < MP_ARRAY_SIZE(proc); i++)
		got += mp_open_proc(&opener, proc[i]) >= 0;
	mp_say("it got %u files", got);
	return 0;
}

/*
 * Asks for perf maps as fast as it can, until the process that opens files has refused to look, or
 * for some time: a busy machine may not let it ask fast enough. Prints what it got.
 */
static long try_requests(void)
{
	uint64_t begin = mp_monotonic_ns(), now = begin;
	struct mp_open_helper helper;
	struct mp_opener opener;
	unsigned refused = 0, served = 0;

	make_opener(&opener, &helper);
	while (refused < REFUSED && now - begin < REQUESTS_NS) {
		errno = 0;
		mp_open_perfmap(&opener, 1);
		refused += errno == EAGAIN;
		served += errno != EAGAIN && errno != ETIMEDOUT;
		now = mp_monotonic_ns();
	}
	mp_say("%u requests were served, %u refused in %llu ms", served, refused,
	       (unsigned long long)((now - begin) / 1000000));
	return 0;
}

/* Tells the collector that it is alive as often as it can. */
static long try_messages(void)
{
	uint64_t until = mp_monotonic_ns() + FLOOD_NS;
	struct mp_buf body = { NULL, 0, 0 };

	mp_message_put_alive(&body, &(struct mp_message_alive){ 1, 0 });
	while (mp_monotonic_ns() < until)
		mp_message_send(MP_WRITER_SOCKET, MP_MESSAGE_ALIVE, mp_buf_view(&body), NULL, 0);
	mp_say("it sent messages");
	return 0;
}

static long try_damaged_message(void)
{
	return mp_message_send(MP_WRITER_SOCKET, MP_MESSAGE_SPACE,
			       (struct mp_str){ "\xff\xff\xff\xff\xff\xff\xff\xff", 8 }, NULL, 0);
}

/* Writes into the queue, which is mapped read-only. */
static long try_queue(void)
{
	char *page = (char *)((uintptr_t)queued & ~(uintptr_t)4095);

	if (mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0)
		mp_say("the queue is writable");
	*(volatile char *)page = 1;
	mp_say("it wrote into the queue");
	return 0;
}

/* Does nothing any more. */
static long try_silence(void)
{
	int never = 0;

	for (;;)
		syscall(SYS_futex, &never, FUTEX_WAIT, 0, NULL, NULL, 0);
	return 0;
}

/* Gives back all that the queue could have, and more. */
static long try_lies(void)
{
	memset(returns, 0xff, returns_len);
	return 0;
}

/* Leaves a journal that the next writer cannot use, and dies. */
static long try_forgery(void)
{
	memset(journal, 0xff, journal_len);
	__builtin_trap();
}

/* Lets the writer crash when it has ended the step at which it was taken over. */
static long try_afterwards(void)
{
	doomed = true;
	return 0;
}

static const struct attempt others[] = {
	{ "files", try_files },		  { "requests", try_requests },
	{ "messages", try_messages },	  { "damaged_message", try_damaged_message },
	{ "queue", try_queue },		  { "lies", try_lies },
	{ "silence", try_silence },	  { "forgery", try_forgery },
	{ "afterwards", try_afterwards },
};

static void run(const struct attempt *v, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(v[i].name, name) == 0)
			v[i].run();
}

const char *__real_mp_elfsym_find(const struct mp_elfsym *e, uint64_t addr, uint64_t *start);
const char *__wrap_mp_elfsym_find(const struct mp_elfsym *e, uint64_t addr, uint64_t *start);

const char *__wrap_mp_elfsym_find(const struct mp_elfsym *e, uint64_t addr, uint64_t *start)
{
	const char *name = __real_mp_elfsym_find(e, addr, start);
	static bool done;

	if (!done && name && strncmp(name, PREFIX, strlen(PREFIX)) == 0) {
		done = true;
		run(attempts, MP_ARRAY_SIZE(attempts), name + strlen(PREFIX));
		run(others, MP_ARRAY_SIZE(others), name + strlen(PREFIX));
	}
	return name;
}

struct mp_queue_item *__real_mp_queue_pop(struct mp_queue_reader *r, int timeout_ms);
struct mp_queue_item *__wrap_mp_queue_pop(struct mp_queue_reader *r, int timeout_ms);

struct mp_queue_item *__wrap_mp_queue_pop(struct mp_queue_reader *r, int timeout_ms)
{
	struct mp_queue_item *item;

	if (doomed)
		__builtin_trap();
	item = __real_mp_queue_pop(r, timeout_ms);
	if (item && item->data)
		queued = item->data;
	return item;
}

void *__real_mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset);

void *__wrap_mmap(void *at, size_t len, int protection, int flags, int fd, off_t offset)
{
	void *p = __real_mmap(at, len, protection, flags, fd, offset);

	if (p == MAP_FAILED || !(flags & MAP_SHARED) || !(protection & PROT_WRITE) || fd < 0)
		return p;
	if (!returns) { /* it is mapped first */
		returns = p;
		returns_len = len;
	} else {
		journal = p;
		journal_len = len;
	}
	return p;
}
