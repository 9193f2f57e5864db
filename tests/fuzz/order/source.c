// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sources of mp-order: reads a stream as a regular file, or as a pipe if its first byte says
 * so, in small blocks, merges its sections and rewrites each line. What comes out is in order of
 * time.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdio.h>

#include "lib/order/header.h"
#include "lib/order/source.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int __lsan_is_turned_off(void);

/* mp_die() leaves the code under test in the middle: its memory is lost. */
static jmp_buf died;
static bool may_die;

int __lsan_is_turned_off(void)
{
	return 1;
}

_Noreturn void exit(int status)
{
	if (may_die)
		longjmp(died, 1);
	fflush(NULL);
	_exit(status);
}

static struct mp_sources sources;
static struct mp_order order;
static struct mp_buf line;
static uint64_t last_ns;

static void take(void *arg, size_t lane, uint64_t time_ns, struct mp_str text)
{
	(void)arg;
	if (time_ns < last_ns || !text.len || text.p[text.len - 1] != '\n')
		abort();
	last_ns = time_ns;
	mp_source_rewrite(&sources, lane, time_ns, text, &line);
}

static void read_all(char *path, int writer, bool realtime)
{
	char *operands[] = { path, NULL };
	size_t i;

	mp_sources_open(&sources, operands, realtime);
	if (writer >= 0)
		close(writer);
	sources.block_size = 4096;
	mp_order_init(&order, sources.n, 1 << 20, take, NULL);
	sources.order = &order;
	for (i = 0; i < sources.n; i++)
		while (!sources.v[i].at_end)
			mp_source_read(&sources, &sources.v[i]);
	mp_sources_end(&sources);
	last_ns = 0;
	mp_order_flush(&order, UINT64_MAX);
	if (json_array_size(sources.headers))
		json_decref(mp_header_merge(sources.headers, realtime));
	json_decref(mp_trailer_merge(sources.trailers, 1, 2));
}

static __attribute__((noinline)) void read_or_die(char *path, int writer, bool realtime)
{
	may_die = true;
	if (setjmp(died) == 0)
		read_all(path, writer, realtime);
	may_die = false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int ends[2] = { -1, -1 }, fd, real, null;
	char path[32];
	bool pipes;

	if (size < 1 || size > 32768)
		return 0;
	real = dup(2);
	null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	dup2(null, 2);
	pipes = data[0] & 1;
	if (pipes && (pipe(ends) < 0 || write(ends[1], data + 1, size - 1) != (ssize_t)size - 1))
		abort();
	fd = pipes ? ends[0] : memory_file(data + 1, size - 1);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_or_die(path, ends[1], data[0] & 2);
	if (sources.n)
		close(sources.v[0].intake.fd);
	if (sources.order) {
		mp_order_release(&order);
		mp_sources_release(&sources);
	}
	sources = (struct mp_sources){ .v = NULL };
	close(fd);
	dup2(real, 2);
	close(real);
	close(null);
	return 0;
}
