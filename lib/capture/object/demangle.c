// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	MANGLED_MAX = 8192,
	DEMANGLED_MAX = 4096,
	TIME_NS = 2000000,    /* usual names take 1 to 20 us */
	LIFETIMES_DIGITS = 2, /* digits of a number of lifetimes in a name of Rust */
	SIGNAL = SIGVTALRM,
};

/*
 * Mangled names refer back to parts of themselves: each level of references can double the output,
 * so that 200 bytes become gigabytes, or double the time, without any output. siglongjmp() leaves
 * the demangler at either limit. The functions that are left so use no memory but the stack, nor do
 * they call this program's functions, except for add().
 */
struct mp_demangler {
	timer_t timer;
	bool has_timer;
	volatile sig_atomic_t running;
	sigjmp_buf stop; /* with 1: the text is full; with 2: the time is over */
	size_t len;
	bool is_full;
	char text[DEMANGLED_MAX];
};

static void expire(int signal, siginfo_t *info, void *context)
{
	struct mp_demangler *d = info->si_value.sival_ptr;

	(void)signal;
	(void)context;
	if (info->si_code == SI_TIMER && d->running)
		siglongjmp(d->stop, 2);
}

struct mp_demangler *mp_demangler_new(void)
{
	struct mp_demangler *d = mp_zalloc(sizeof(*d));
	struct sigaction action = { .sa_sigaction = expire,
				    .sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGNAL };

	event._sigev_un._tid = gettid();
	event.sigev_value.sival_ptr = d;
	d->has_timer = sigaction(SIGNAL, &action, NULL) == 0 &&
		       timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &d->timer) == 0;
	return d;
}

void mp_demangler_free(struct mp_demangler *d)
{
	if (!d)
		return;
	if (d->has_timer)
		timer_delete(d->timer);
	free(d);
}

static void set_timer(struct mp_demangler *d, long ns)
{
	struct itimerspec when = { .it_value.tv_nsec = ns };

	timer_settime(d->timer, 0, &when, NULL);
}

static void append(struct mp_demangler *d, const char *text, size_t len)
{
	size_t left = sizeof(d->text) - d->len, n = MP_MIN(len, left);

	if (n) /* otherwise the text may be NULL */
		memcpy(d->text + d->len, text, n);
	d->len += n;
	d->is_full |= len > left;
}

/*
 * The demangler allocates memory for the part of a Rust name with characters beyond ASCII, and
 * frees it after this call: so it is the next call that leaves.
 */
static void add(const char *text, size_t len, void *arg)
{
	struct mp_demangler *d = arg;
	size_t i;

	append(d, text, len);
	if (!d->is_full)
		return;
	for (i = 0; i < len; i++)
		if (text[i] & 0x80)
			return;
	siglongjmp(d->stop, 1);
}

/*
 * Whether a Rust name may have characters beyond ASCII, for which memory is allocated: "u" and a
 * length.
 */
static bool may_allocate(const char *name)
{
	for (; *name; name++)
		if (name[0] == 'u' && isdigit((unsigned char)name[1]))
			return true;
	return false;
}

/*
 * Whether a Rust name may have a type with many lifetimes: "G", a number and "_". They are counted
 * one by one, even if they are not printed.
 */
static bool may_have_lifetimes(const char *name)
{
	size_t digits;

	while ((name = strchr(name, 'G'))) {
		name++;
		for (digits = 0; isalnum((unsigned char)name[digits]);)
			digits++;
		if (digits > LIFETIMES_DIGITS && name[digits] == '_')
			return true;
	}
	return false;
}

static bool demangle(struct mp_demangler *d, const char *name, bool rust)
{
	return rust ? rust_demangle_callback(name, DMGL_AUTO, add, d)
		    : cplus_demangle_v3_callback(name, DMGL_AUTO, add, d);
}

/* Demangles under the limits; with `timed` false, only under that of the length. */
static bool try(struct mp_demangler *d, const char *name, bool rust, bool timed)
{
	volatile bool done = false;

	d->len = 0;
	d->is_full = false;
	if (timed)
		set_timer(d, TIME_NS);
	switch (sigsetjmp(d->stop, 0)) {
	case 0:
		d->running = timed;
		done = demangle(d, name, rust);
		break;
	case 1:
		done = true;
		break;
	}
	d->running = 0;
	if (timed)
		set_timer(d, 0);
	return done;
}

/*
 * Symbols of Rust begin with "_R"; older ones begin with "_ZN", like those of C++, and end with a
 * hash.
 */
static bool demangle_rust(struct mp_demangler *d, const char *name)
{
	if (name[1] == 'Z')
		return try(d, name, true, false);
	if (may_allocate(name))
		return !may_have_lifetimes(name) && try(d, name, true, false);
	return try(d, name, true, true);
}

/*
 * Names of D: "_D3std4math3absFdZd" to "std.math.abs". libiberty's function for them has no limit,
 * and takes exponential time for some, so this stops at the first template or type.
 */
static bool demangle_d(struct mp_demangler *d, const char *name)
{
	unsigned long len;
	char *rest;

	d->len = 0;
	d->is_full = false;
	for (name += 2; isdigit((unsigned char)*name); name = rest + len) {
		len = strtoul(name, &rest, 10);
		if (!len || len > strlen(rest))
			return false;
		if (strncmp(rest, "__T", 3) == 0 || strncmp(rest, "__U", 3) == 0)
			return false;
		append(d, ".", d->len != 0);
		append(d, rest, len);
	}
	return d->len && *name && *name != '_';
}

struct mp_str mp_demangle(struct mp_demangler *d, const char *name)
{
	bool done;

	if (name[0] != '_' || !name[1] || !strchr("ZRD", name[1]) ||
	    strnlen(name, MANGLED_MAX + 1) > MANGLED_MAX)
		return MP_STR("");
	if (name[1] == 'D')
		done = demangle_d(d, name);
	else
		done = d->has_timer &&
		       (demangle_rust(d, name) || (name[1] == 'Z' && try(d, name, false, true)));
	return done ? (struct mp_str){ d->text, d->len } : MP_STR("");
}
