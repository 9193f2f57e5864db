// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/base.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

static const char *program = "mp";

void mp_init(const char *name)
{
	int fd;

	program = name;
	do
		fd = open("/", O_PATH | O_CLOEXEC);
	while (fd >= 0 && fd <= 2);
	if (fd > 2)
		close(fd);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGCHLD, SIG_DFL);
}

const char *mp_name(void)
{
	return program;
}

/*
 * Copies text with control bytes made visible; returns the length. `to` has room for 4 times `len`.
 */
static size_t visible(char *to, const char *text, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	char *p = to;
	size_t i;

	for (i = 0; i < len; i++) {
		unsigned char c = text[i];

		if (c >= 0x20 && c != 0x7f) {
			*p++ = c;
			continue;
		}
		*p++ = '\\';
		*p++ = 'x';
		*p++ = hex[c >> 4];
		*p++ = hex[c & 15];
	}
	return p - to;
}

static struct {
	void (*put)(void *arg, const char *text);
	void *arg;
} say_by;

void mp_say_by(void (*put)(void *arg, const char *text), void *arg)
{
	say_by.put = put;
	say_by.arg = arg;
}

static void vsay(const char *fmt, va_list ap) MP_PRINTF(1, 0);

static void vsay(const char *fmt, va_list ap)
{
	char text[1024], line[4 * sizeof(text) + 64];
	size_t len;
	int n;

	n = vsnprintf(text, sizeof(text), fmt, ap);
	if (n < 0)
		return;
	if (say_by.put) {
		say_by.put(say_by.arg, text);
		return;
	}
	len = snprintf(line, 64, "%.60s: ", program);
	len += visible(line + len, text, MP_MIN((size_t)n, sizeof(text) - 1));
	line[len++] = '\n';
	if (write(2, line, len) < 0)
		return; /* the message cannot be written anywhere else */
}

void mp_say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
}

void mp_say_count(uint64_t n, const char *one, const char *many)
{
	if (n)
		mp_say("%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

void mp_die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
	exit(MP_FAIL);
}

static int no_memory_status = MP_FAIL;

void mp_die_no_memory(int status)
{
	no_memory_status = status;
}

static _Noreturn void no_memory(void)
{
	mp_say("out of memory");
	exit(no_memory_status);
}

void mp_usage(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
	mp_say("try '%s --help'", program);
	exit(MP_FAIL);
}

static void ignore_once(int sig)
{
	(void)sig;
}

void mp_sigint_once(void)
{
	struct sigaction now, once = { .sa_handler = ignore_once };

	/* a shell starts background jobs with SIGINT ignored: leave it so */
	if (sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler == SIG_IGN)
		return;
	once.sa_flags = SA_RESTART | SA_RESETHAND;
	sigaction(SIGINT, &once, NULL);
}

static uint64_t hash_seed;

__attribute__((constructor)) static void set_hash_seed(void)
{
	/*
	 * early at boot there may be no random bytes yet: uses the address of the stack, which is
	 * random, too
	 */
	if (getrandom(&hash_seed, sizeof(hash_seed), GRND_NONBLOCK) < 0)
		hash_seed = (uintptr_t)__builtin_frame_address(0);
}

uint64_t mp_hash_seed(void)
{
	return hash_seed;
}

static void *checked(void *p)
{
	if (!p)
		no_memory();
	return p;
}

void *mp_alloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *mp_zalloc(size_t size)
{
	return checked(calloc(1, size ? size : 1));
}

void *mp_realloc(void *old, size_t size)
{
	return checked(realloc(old, size ? size : 1));
}

void *mp_memdup(const void *data, size_t size)
{
	void *p = mp_alloc(size);

	if (size)
		memcpy(p, data, size);
	return p;
}

char *mp_strndup(const char *text, size_t len)
{
	char *p = mp_alloc(len + 1);

	if (len)
		memcpy(p, text, len);
	p[len] = '\0';
	return p;
}

char *mp_strdup(const char *text)
{
	return mp_strndup(text, strlen(text));
}

char *mp_vasprintf(const char *fmt, va_list ap)
{
	char *text;

	return checked(vasprintf(&text, fmt, ap) < 0 ? NULL : text);
}

char *mp_asprintf(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mp_vasprintf(fmt, ap);
	va_end(ap);
	return text;
}

enum { HUGE_PAGE = 2 << 20 };

void *mp_big_alloc(size_t size)
{
	size_t room = size + HUGE_PAGE;
	char *p = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
	     *aligned;

	if (p == MAP_FAILED)
		no_memory();
	aligned = (char *)(((uintptr_t)p + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
	if (aligned > p)
		munmap(p, aligned - p);
	munmap(aligned + size, p + room - aligned - size);
	madvise(aligned, size, MADV_HUGEPAGE);
	return aligned;
}

void mp_big_free(void *p, size_t size)
{
	if (p)
		munmap(p, size);
}

void *mp_grow(void *array, size_t *cap, size_t need, size_t size)
{
	size_t want = *cap ? *cap : 16;

	if (need <= *cap)
		return array;
	while (want < need)
		want *= 2;
	if (want > SIZE_MAX / size)
		no_memory();
	*cap = want;
	return mp_realloc(array, want * size);
}
