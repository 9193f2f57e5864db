// SPDX-License-Identifier: GPL-2.0-only
/*
 * mix FILE ROUNDS [PAUSE]: a bit of everything that collectors record, in ROUNDS rounds (0: until
 * it is killed), PAUSE us apart: each of the kinds below. Prints its id and the address of a
 * variable before the first. mix FILE SECONDS KIND: one kind alone, for that time: prints the same,
 * waits for a line, and prints how often it did it per second. Its children are called mix-server
 * and mix-pong, or after the name of a copy.
 */
#include <arpa/inet.h>
#include <ctype.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	READ_BYTES = 64 << 10,
	MEMORY_BYTES = 1 << 20,
	MALLOC_BYTES = 100,
	LEAK_BYTES = 97,
	TCP_BYTES = 600,
	UNIX_BYTES = 11,
};

extern char **environ;
static volatile int watched;
static volatile sig_atomic_t signals;
static void *volatile kept;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void on_signal(int sig)
{
	signals += sig == SIGUSR1;
}

/* A child is called like its program, with a suffix: tests run copies whose names are unique. */
static void child_of(pid_t parent, const char *suffix)
{
	char name[64] = "";

	prctl(PR_GET_NAME, name);
	strncat(name, suffix, sizeof(name) - 16);
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

static void serve(int listener)
{
	char text[TCP_BYTES];

	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0 || recv(fd, text, sizeof(text), MSG_WAITALL) != sizeof(text) ||
		    send(fd, "done", 4, 0) != 4)
			_exit(1);
		close(fd);
	}
}

/* The state that several kinds share. */
static struct {
	struct sockaddr_in server;
	int datagrams, there, back, file;
	void *block;
} m;

static void start_server(void)
{
	socklen_t len = sizeof(m.server);
	int listener = socket(AF_INET, SOCK_STREAM, 0), pair[2];
	pid_t self = getpid();
	char text[64];

	m.server = (struct sockaddr_in){ .sin_family = AF_INET,
					 .sin_addr = { htonl(INADDR_LOOPBACK) } };
	if (listener < 0 || bind(listener, (struct sockaddr *)&m.server, sizeof(m.server)) < 0 ||
	    listen(listener, 16) < 0 ||
	    getsockname(listener, (struct sockaddr *)&m.server, &len) < 0 ||
	    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0)
		die("server");
	if (fork() == 0) {
		child_of(self, "-server");
		serve(listener);
	}
	if (fork() == 0) {
		child_of(self, "-server");
		while (recv(pair[1], text, sizeof(text), 0) == UNIX_BYTES)
			;
		_exit(0);
	}
	m.datagrams = pair[0];
}

static void start_pong(void)
{
	int to[2], from[2];
	pid_t self = getpid();
	char byte;

	if (pipe(to) < 0 || pipe(from) < 0)
		die("pipe");
	if (fork() == 0) {
		child_of(self, "-pong");
		while (read(to[0], &byte, 1) == 1 && write(from[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	m.there = to[1];
	m.back = from[0];
}

static void open_file(const char *path)
{
	m.file = open(path, O_RDONLY | O_DIRECT);
	if (m.file < 0)
		m.file = open(path, O_RDONLY); /* this file system has no O_DIRECT */
	if (m.file < 0 || posix_memalign(&m.block, 4096, READ_BYTES))
		die(path);
}

static void do_tcp(void)
{
	char text[TCP_BYTES] = "";
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&m.server, sizeof(m.server)) < 0 ||
	    send(fd, text, sizeof(text), 0) != sizeof(text) || recv(fd, text, 4, MSG_WAITALL) != 4)
		die("connection");
	close(fd);
}

static void do_unix(void)
{
	if (send(m.datagrams, "hello there", UNIX_BYTES, 0) != UNIX_BYTES)
		die("datagram");
}

static void do_pipe(void)
{
	char byte = 0;

	if (write(m.there, &byte, 1) != 1 || read(m.back, &byte, 1) != 1)
		die("pipe");
}

static void do_read(void)
{
	if (pread(m.file, m.block, READ_BYTES, 0) != READ_BYTES)
		die("read");
}

static void do_program(void)
{
	char *args[] = { "true", NULL };
	pid_t pid;

	if (posix_spawnp(&pid, "true", NULL, NULL, args, environ) || waitpid(pid, NULL, 0) < 0)
		die("true");
}

static void do_signal(void)
{
	kill(getpid(), SIGUSR1);
}

static void do_write(void)
{
	watched++;
}

static void do_memory(void)
{
	char *block = malloc(MEMORY_BYTES);
	size_t i;

	for (i = 0; i < MEMORY_BYTES; i += 4096)
		((volatile char *)block)[i] = 1;
	free(block);
}

static void do_malloc(void)
{
	kept = malloc(MALLOC_BYTES);
	free(kept);
}

static void do_leak(void)
{
	kept = malloc(LEAK_BYTES);
}

static void do_getppid(void)
{
	syscall(SYS_getppid);
}

static void do_spin(void)
{
	volatile int i;

	for (i = 0; i < 1000; i++)
		;
}

/*
 * tcp: a connection to a child that answers 600 bytes with 4. unix: a datagram of 11 bytes to
 * another. pipe: a byte to a third and back. read: 64 KiB past the page cache. program: true(1).
 * memory: 1 MiB, touched and freed. malloc: 100 bytes. leak: 97 bytes, for ever.
 */
static const struct {
	const char *name;
	void (*run)(void);
} kinds[] = {
	{ "tcp", do_tcp },     { "unix", do_unix },	  { "pipe", do_pipe },
	{ "read", do_read },   { "program", do_program }, { "signal", do_signal },
	{ "write", do_write }, { "memory", do_memory },	  { "malloc", do_malloc },
	{ "leak", do_leak },   { "spin", do_spin },	  { "getppid", do_getppid },
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int one_kind(const char *name, double seconds)
{
	double start, end;
	long done = 0;
	int i;

	for (i = 0; i < KINDS && strcmp(kinds[i].name, name) != 0; i++)
		;
	if (i == KINDS || getchar() == EOF)
		return 2;
	start = now();
	do {
		kinds[i].run();
		end = ++done % 16 ? 0 : now();
	} while (end < start + seconds);
	printf("%.0f\n", (double)done / (end - start));
	return 0;
}

/* Until all datagrams have been received: their receiver ends with this process. */
static void drain(void)
{
	int left;

	while (ioctl(m.datagrams, SIOCOUTQ, &left) == 0 && left > 0)
		usleep(1000);
}

int main(int argc, char **argv)
{
	long rounds, pause_us, i;
	int k;

	if (argc < 3)
		return 2;
	rounds = strtol(argv[2], NULL, 10);
	pause_us = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	mallopt(M_MMAP_THRESHOLD,
		/*
		 * otherwise free() would raise the threshold, and each page would be touched for
		 * the first time only once
		 */
		128 << 10);
	signal(SIGUSR1, on_signal);
	open_file(argv[1]);
	start_server();
	start_pong();
	printf("%d %p\n", getpid(), (void *)&watched);
	fflush(stdout);
	if (argc > 3 && !isdigit((unsigned char)argv[3][0]))
		return one_kind(argv[3], strtod(argv[2], NULL));
	for (i = 0; rounds == 0 || i < rounds; i++) {
		for (k = 0; k < KINDS; k++)
			kinds[k].run();
		if (pause_us)
			usleep((useconds_t)pause_us);
	}
	drain();
	return signals != rounds && rounds != 0;
}
