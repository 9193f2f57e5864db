// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/journal.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/tap.h"

enum { NUMBERS = 1000, DEATHS = 100, MORE = 100 };

/* All numbers of a state are equal. */
struct state {
	uint64_t first, numbers[NUMBERS];
};

static void set(struct state *s, uint64_t value)
{
	size_t i;

	s->first = value;
	for (i = 0; i < NUMBERS; i++)
		s->numbers[i] = value;
}

static bool is_whole(const struct state *s)
{
	size_t i;

	for (i = 0; i < NUMBERS && s->numbers[i] == s->first; i++)
		;
	return i == NUMBERS;
}

#define PARTS(s)                                                  \
	{                                                         \
		{ &(s)->first, sizeof((s)->first) }, { NULL, 0 }, \
			{ (s)->numbers, sizeof((s)->numbers) },   \
	}

static bool load(const struct mp_journal *j, struct state *s)
{
	const struct mp_journal_part parts[] = PARTS(s);

	return mp_journal_load(j, parts, MP_ARRAY_SIZE(parts));
}

static void save(struct mp_journal *j, struct state *s)
{
	const struct mp_journal_part parts[] = PARTS(s);

	mp_journal_save(j, parts, MP_ARRAY_SIZE(parts));
}

static void test_states(void)
{
	struct mp_journal *j = mp_journal_new(sizeof(struct state), MORE);
	struct mp_journal *writer = mp_journal_attach(mp_journal_fd(j), MORE);
	struct state s, got;
	uint64_t i, wrong = 0;

	ok(!load(j, &got), "at first there is no state");
	for (i = 1; i < 10; i++) {
		set(&s, i);
		save(writer, &s);
		memset(&got, 0, sizeof(got));
		wrong += !load(j, &got) || got.first != i || !is_whole(&got);
	}
	ok(!wrong, "the last one that was saved is loaded");
	mp_journal_set_progress(writer, 5);
	ok(mp_journal_progress(j) == 5, "the progress");
	memset(mp_journal_buffer(writer), 'x', MP_JOURNAL_BUFFER);
	ok(mp_journal_buffer(j)[MP_JOURNAL_BUFFER - 1] == 'x' && load(j, &got) && got.first == 9,
	   "the buffer is beside the state");
	memset(mp_journal_more(writer), 0xff, MORE);
	memset(mp_journal_work(writer), 0xff, MP_WORK_LEVELS * sizeof(struct mp_work_step));
	ok(load(j, &got) && got.first == 9, "and so is what the writer works on");
	ok(ftruncate(mp_journal_fd(j), 0) < 0 &&
		   fcntl(mp_journal_fd(j), F_ADD_SEALS, F_SEAL_WRITE) < 0,
	   "its size is sealed, and it cannot be sealed any more");
	mp_journal_free(writer);
	mp_journal_free(j);
}

/* A writer that dies at a random time leaves a whole state, and the next one continues from it. */
static void test_deaths(void)
{
	struct mp_journal *j = mp_journal_new(sizeof(struct state), MORE);
	uint64_t last = 0;
	unsigned torn = 0, back = 0, i;
	struct state s;
	pid_t pid;

	for (i = 0; i < DEATHS; i++) {
		pid = fork();
		if (pid == 0) {
			set(&s, 0);
			for (load(j, &s);; save(j, &s))
				set(&s, s.first + 1);
		}
		usleep(1000 + (useconds_t)random() % 2000);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		set(&s, last);
		load(j, &s);
		torn += !is_whole(&s);
		back += s.first < last;
		last = s.first;
	}
	ok(!torn && !back && last > DEATHS, "%d writers die; none leaves a torn state", DEATHS);
	mp_journal_free(j);
}

int main(void)
{
	mp_init("unit-journal");
	test_states();
	test_deaths();
	return tap_done();
}
