/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every program starts and ends with: its name, messages, exit status, memory allocation that
 * never fails. Includes libc only.
 */
#ifndef MP_CORE_BASE_H
#define MP_CORE_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum mp_status {
	MP_OK = 0,    /* everything read and written, nothing lost */
	MP_LOSSY = 1, /* finished, but something was lost, skipped or truncated; stderr says what */
	MP_FAIL = 2,  /* could not do the job */
};

#define MP_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define MP_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MP_MIN(a, b) ((a) < (b) ? (a) : (b))
#define MP_MAX(a, b) ((a) > (b) ? (a) : (b))

/*
 * How many of n elements, from the first on, satisfy `first`, an expression of the index i. All
 * elements that satisfy it come before those that do not.
 */
#define MP_COUNT_FIRST(n, i, first)                    \
	({                                             \
		size_t low_ = 0, high_ = (n), i;       \
                                                       \
		while (low_ < high_) {                 \
			i = low_ + (high_ - low_) / 2; \
			if (first)                     \
				low_ = i + 1;          \
			else                           \
				high_ = i;             \
		}                                      \
		low_;                                  \
	})

/*
 * The sum of two counts that were read from files. It stops at INT64_MAX, the greatest count that a
 * control line can hold, so that absurd counts do not wrap around to a small sum.
 */
static inline uint64_t mp_count_sum(uint64_t a, uint64_t b)
{
	return a + b < a || a + b > INT64_MAX ? INT64_MAX : a + b;
}

/*
 * Always first in main: sets the name for messages and restores SIGPIPE and SIGCHLD to their defaults
 * (systemd and Python start children with SIGPIPE ignored; while SIGCHLD is ignored, waitpid() finds
 * no child). Where the caller closed one of the fds 0-2, reserves it, so that no file becomes stdin
 * or stdout: reading or writing it fails with EBADF, opening /dev/stdout fails, and child processes
 * find it closed.
 */
void mp_init(const char *name);
const char *mp_name(void);

/*
 * A message on stderr: "NAME: text\n", in one write. Control bytes in it are escaped, since file
 * names and thread names end up in messages.
 */
void mp_say(const char *fmt, ...) MP_PRINTF(1, 2);

/* From now on `put` gets the messages, without the program's name, instead of stderr. */
void mp_say_by(void (*put)(void *arg, const char *text), void *arg);

/* Prints "N one", or "N many" if N is not 1, or nothing if N is 0. */
void mp_say_count(uint64_t n, const char *one, const char *many);

/* mp_say(), then exit with MP_FAIL. Errno text: use %m. */
_Noreturn void mp_die(const char *fmt, ...) MP_PRINTF(1, 2);

/* The exit status of the program if it has no memory left; otherwise it is MP_FAIL. */
void mp_die_no_memory(int status);

/* mp_die(), and a second line that points to --help. */
_Noreturn void mp_usage(const char *fmt, ...) MP_PRINTF(1, 2);

/*
 * In a pipeline SIGINT reaches every program: the recorder ends its recording properly, and a
 * filter reads the rest of its input and writes its result. After this call the first SIGINT is
 * ignored, the second kills.
 */
void mp_sigint_once(void);

/*
 * A program that forwards a signal to a recorder sends with it how many it has got, by sigqueue(3),
 * in the upper half of a number whose lower half is this one: the recorder may have got the same
 * signal itself, if it was sent to a process group.
 */
enum { MP_SIGNAL_FORWARDED = 0x6d70 };

/*
 * The seed of all hash tables: a random number, the same throughout a run, so that nobody can
 * choose names that all have the same hash. No output may depend on it.
 */
uint64_t mp_hash_seed(void);

/*
 * Allocates memory, which free() releases. If there is none left, the program ends with the message
 * "out of memory" and MP_FAIL. All of lib/ and cmd/ allocates by these functions, jansson too
 * (lib/stream/ctl.c); only a failure within the C library, such as for an open directory, shows in
 * the errno of the failed call.
 */
void *mp_alloc(size_t size);
void *mp_zalloc(size_t size);
void *mp_realloc(void *old, size_t size);
void *mp_memdup(const void *data, size_t size);
char *mp_strdup(const char *text);
char *mp_strndup(const char *text, size_t len);
char *mp_asprintf(const char *fmt, ...) MP_PRINTF(1, 2);
char *mp_vasprintf(const char *fmt, va_list ap) MP_PRINTF(1, 0);

/*
 * Memory for bulk data, in huge pages where the kernel has them: a page fault costs more than the
 * work on its page. Released with mp_big_free(). A page counts as used only once it is touched.
 */
void *mp_big_alloc(size_t size);
void mp_big_free(void *p, size_t size);

/*
 * Room for one more element in an array that grows by doubling: `*cap` elements of `size` bytes are
 * allocated, `need` are wanted. Returns the array, moved or not.
 */
void *mp_grow(void *array, size_t *cap, size_t need, size_t size);

#endif
