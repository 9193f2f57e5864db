// SPDX-License-Identifier: GPL-2.0-only
/*
 * mix FILE ROUNDS [PAUSE]: a bit of everything that collectors record, in ROUNDS rounds (0: until it is killed), PAUSE us
 * apart. Each round: a TCP connection to a child that answers 600 bytes with 4, a datagram of 11 bytes over
 * a Unix socket to it, a byte over pipes to another child and back, a read of 64 KiB past the page cache, a program, a signal, a
 * write to a variable, 1 MiB of memory that is touched and freed, and 7 KiB that is lost. Prints its id and the
 * variable's address before the first.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { READ_BYTES = 64 << 10, ROUND_BYTES = 1 << 20, LOST_BYTES = 7 << 10 };

extern char **environ;
static volatile int watched;
static volatile sig_atomic_t signals;
static char *volatile lost;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

static void on_signal(int sig)
{
	signals += sig == SIGUSR1;
}

static void child_of(pid_t parent, const char *name)
{
	prctl(PR_SET_NAME, name);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

static void serve(int listener, int datagrams)
{
	char text[600];

	for (;;) {
		int fd = accept(listener, NULL, NULL);

		if (fd < 0 || recv(fd, text, sizeof(text), MSG_WAITALL) != sizeof(text) ||
		    send(fd, "done", 4, 0) != 4)
			_exit(1);
		close(fd);
		if (recv(datagrams, text, sizeof(text), 0) != 11)
			_exit(1);
	}
}

static struct sockaddr_in start_server(int *datagram)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0), pair[2];
	pid_t self = getpid();

	if (listener < 0 || bind(listener, (struct sockaddr *)&at, sizeof(at)) < 0 ||
	    listen(listener, 16) < 0 || getsockname(listener, (struct sockaddr *)&at, &len) < 0 ||
	    socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0)
		die("server");
	if (fork() == 0) {
		child_of(self, "mix-server");
		serve(listener, pair[1]);
	}
	*datagram = pair[0];
	return at;
}

static void start_pong(int *there, int *back)
{
	int to[2], from[2];
	pid_t self = getpid();
	char byte;

	if (pipe(to) < 0 || pipe(from) < 0)
		die("pipe");
	if (fork() == 0) {
		child_of(self, "mix-pong");
		while (read(to[0], &byte, 1) == 1 && write(from[1], &byte, 1) == 1)
			;
		_exit(0);
	}
	*there = to[1];
	*back = from[0];
}

static void connection(const struct sockaddr_in *at)
{
	char text[600] = "";
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)at, sizeof(*at)) < 0 ||
	    send(fd, text, sizeof(text), 0) != sizeof(text) || recv(fd, text, 4, MSG_WAITALL) != 4)
		die("connection");
	close(fd);
}

static void program(void)
{
	char *args[] = { "true", NULL };
	pid_t pid;

	if (posix_spawnp(&pid, "true", NULL, NULL, args, environ) || waitpid(pid, NULL, 0) < 0)
		die("true");
}

static void memory(void)
{
	char *block = malloc(ROUND_BYTES);
	size_t i;

	for (i = 0; i < ROUND_BYTES; i += 4096)
		((volatile char *)block)[i] = 1;
	free(block);
	lost = malloc(LOST_BYTES);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at;
	long rounds, pause_us, i;
	int file, datagram, there, back;
	char byte = 0;
	void *block;

	if (argc < 3 || posix_memalign(&block, 4096, READ_BYTES))
		return 2;
	rounds = strtol(argv[2], NULL, 10);
	pause_us = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
	file = open(argv[1], O_RDONLY | O_DIRECT);
	if (file < 0)
		file = open(argv[1], O_RDONLY); /* a file system without */
	if (file < 0)
		die(argv[1]);
	signal(SIGUSR1, on_signal);
	at = start_server(&datagram);
	start_pong(&there, &back);
	printf("%d %p\n", getpid(), (void *)&watched);
	fflush(stdout);
	for (i = 0; rounds == 0 || i < rounds; i++) {
		connection(&at);
		if (send(datagram, "hello there", 11, 0) != 11 || write(there, &byte, 1) != 1 ||
		    read(back, &byte, 1) != 1 || pread(file, block, READ_BYTES, 0) != READ_BYTES)
			die("round");
		program();
		kill(getpid(), SIGUSR1);
		watched = (int)i;
		memory();
		if (pause_us)
			usleep((useconds_t)pause_us);
	}
	return signals == rounds || rounds == 0 ? 0 : 1;
}
