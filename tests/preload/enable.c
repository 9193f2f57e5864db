// SPDX-License-Identifier: GPL-2.0-only
/*
 * Preloaded into mp-record, keeps it from enabling events until 50 ms after it has begun to, as if
 * all tasks were being created meanwhile: such tasks miss it.
 */
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MISSED_MS = 50 };

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

int ioctl(int fd, unsigned long request, ...)
{
	static uint64_t began_ms;
	va_list more;
	void *arg;

	va_start(more, request);
	arg = va_arg(more, void *);
	va_end(more);
	if (request == PERF_EVENT_IOC_ENABLE) {
		began_ms = began_ms ? began_ms : now_ms();
		if (now_ms() < began_ms + MISSED_MS)
			return 0;
	}
	return (int)syscall(SYS_ioctl, fd, request, arg);
}
