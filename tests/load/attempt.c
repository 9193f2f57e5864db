// SPDX-License-Identifier: GPL-2.0-only
/*
 * attempt NAME: spends its time in the function mp_attempt_NAME, until it is killed. A recorder that
 * was taken over (tests/takeover) does what the name says.
 */
#include <stdio.h>
#include <string.h>

static volatile unsigned long spun;

#define ATTEMPT(name)                                                          \
	__attribute__((noinline, noclone)) static void mp_attempt_##name(void) \
	{                                                                      \
		for (;;)                                                       \
			spun++;                                                \
	}

ATTEMPT(open)
ATTEMPT(socket)
ATTEMPT(connect)
ATTEMPT(ptrace)
ATTEMPT(kill)
ATTEMPT(bpf)
ATTEMPT(perf_event_open)
ATTEMPT(ioctl)
ATTEMPT(files)
ATTEMPT(requests)
ATTEMPT(messages)
ATTEMPT(damaged_message)
ATTEMPT(queue)
ATTEMPT(lies)
ATTEMPT(silence)
ATTEMPT(forgery)
ATTEMPT(afterwards)

static const struct {
	const char *name;
	void (*run)(void);
} attempts[] = {
	{ "open", mp_attempt_open },
	{ "socket", mp_attempt_socket },
	{ "connect", mp_attempt_connect },
	{ "ptrace", mp_attempt_ptrace },
	{ "kill", mp_attempt_kill },
	{ "bpf", mp_attempt_bpf },
	{ "perf_event_open", mp_attempt_perf_event_open },
	{ "ioctl", mp_attempt_ioctl },
	{ "files", mp_attempt_files },
	{ "requests", mp_attempt_requests },
	{ "messages", mp_attempt_messages },
	{ "damaged_message", mp_attempt_damaged_message },
	{ "queue", mp_attempt_queue },
	{ "lies", mp_attempt_lies },
	{ "silence", mp_attempt_silence },
	{ "forgery", mp_attempt_forgery },
	{ "afterwards", mp_attempt_afterwards },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc == 2 && i < sizeof(attempts) / sizeof(attempts[0]); i++)
		if (strcmp(attempts[i].name, argv[1]) == 0)
			attempts[i].run();
	fprintf(stderr, "usage: attempt NAME\n");
	return 2;
}
