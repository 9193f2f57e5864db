// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a fuzz target may cost for one input: CPU time, and memory while it runs. Linked into each
 * fuzzer and each replay, with --wrap=LLVMFuzzerTestOneInput, so that no target takes part in it.
 *
 * Targets below capture/ read what any user can offer to mp-record: 100 ms and 64 MiB. The others
 * read what their own user gives them: 10 s and 2 GiB.
 *
 * Without sanitizers memory is exact: pages that the input brought into memory, and FUZZ_MIB sets
 * another limit. So is time if FUZZ_CPU_MS says how much; otherwise a slow machine has ten times as
 * much. Sanitizers make a
 * program up to ten times slower, and larger: ten times the time, or twice the memory, counted in
 * allocations, is a failure, and what exceeds the limits goes to the folder FUZZ_SUSPECTS, from
 * which tests/fuzz/run gives it to the replay without sanitizers.
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#ifdef __has_feature
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__
#endif
#endif

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __real_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { STRICT_CPU_MS = 100, STRICT_MIB = 64, CPU_MS = 10000, MIB = 2048 };
enum { SLOWER = 10, SUSPECTS_MAX = 100 };

static struct {
	bool known;
	long cpu_ms, most_cpu_ms; /* of a fast machine without sanitizers, and of any */
	long bytes;
	const char *suspects;
	unsigned n_suspects;
} limits;

static void fail(const char *what)
{
	/* called by a signal handler, too */
	if (write(2, what, strlen(what)) < 0)
		_exit(2);
	abort();
}

static void too_long(int sig)
{
	(void)sig;
	fail("ERROR: the input takes too much CPU time\n");
}

static void learn_limits(void)
{
	bool strict = strstr(program_invocation_name, "/capture/");
	const char *cpu = getenv("FUZZ_CPU_MS"), *mib = getenv("FUZZ_MIB");

	limits.known = true;
	limits.cpu_ms = strict ? STRICT_CPU_MS : CPU_MS;
	limits.bytes = (strict ? STRICT_MIB : (long)MIB) << 20;
	limits.suspects = getenv("FUZZ_SUSPECTS");
	limits.most_cpu_ms = SLOWER * limits.cpu_ms;
	if (cpu)
		limits.most_cpu_ms = strtol(cpu, NULL, 10);
	if (mib)
		limits.bytes = strtol(mib, NULL, 10) << 20;
	signal(SIGPROF, too_long);
}

/* 0: stops it. */
static void set_timer(long ms)
{
	const struct itimerval t = { .it_value = { ms / 1000, ms % 1000 * 1000 } };

	setitimer(ITIMER_PROF, &t, NULL);
}

#ifdef __SANITIZE_ADDRESS__
size_t __sanitizer_get_allocated_size(const volatile void *p);
int __sanitizer_install_malloc_and_free_hooks(void (*on_malloc)(const volatile void *p,
								size_t size),
					      void (*on_free)(const volatile void *p));

/* Bytes that were allocated since the input began, and not freed. */
static long held, most;

static void on_malloc(const volatile void *p, size_t size)
{
	long now = __atomic_add_fetch(&held, p ? (long)size : 0, __ATOMIC_RELAXED);

	if (now > most)
		most = now;
	if (limits.known && now > 2 * limits.bytes)
		fail("ERROR: the input takes too much memory\n");
}

static void on_free(const volatile void *p)
{
	if (p)
		__atomic_sub_fetch(&held, (long)__sanitizer_get_allocated_size(p),
				   __ATOMIC_RELAXED);
}

static void keep(const uint8_t *data, size_t size, long cpu_ms)
{
	char *path;
	int fd;

	if (!limits.suspects || limits.n_suspects >= SUSPECTS_MAX ||
	    asprintf(&path, "%s/%u-%ld-ms-%ld-MiB", limits.suspects, limits.n_suspects++, cpu_ms,
		     most >> 20) < 0)
		return;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	free(path);
}

static long cpu_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	long began_ms = cpu_now_ms(), took_ms;
	int result;

	if (!limits.known) {
		learn_limits();
		__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free);
	}
	held = most = 0;
	set_timer(limits.most_cpu_ms);
	result = __real_LLVMFuzzerTestOneInput(data, size);
	set_timer(0);
	took_ms = cpu_now_ms() - began_ms;
	if (took_ms >= limits.cpu_ms || most >= limits.bytes)
		keep(data, size, took_ms);
	return result;
}
#else
/* A number of KiB in /proc/self/status, as bytes; 0: it is not there. */
static long memory(const char *name)
{
	char line[256];
	long kib = 0;
	FILE *f = fopen("/proc/self/status", "re");

	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, name, strlen(name)) == 0)
			kib = strtol(line + strlen(name), NULL, 10);
	if (f)
		fclose(f);
	return kib << 10;
}

/* Begins to measure the most memory again. */
static void forget_peak(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	malloc_trim(0);
	if (fd < 0)
		return;
	if (write(fd, "5", 1) < 0)
		fail("ERROR: cannot reset the peak of memory\n");
	close(fd);
}

int __wrap_LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	long before;
	int result;

	if (!limits.known)
		learn_limits();
	forget_peak();
	before = memory("VmRSS:");
	set_timer(limits.most_cpu_ms);
	result = __real_LLVMFuzzerTestOneInput(data, size);
	set_timer(0);
	if (memory("VmHWM:") - before > limits.bytes)
		fail("ERROR: the input takes too much memory\n");
	return result;
}
#endif
