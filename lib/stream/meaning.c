// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/meaning.h"

#include <signal.h>
#include <string.h>

#include "lib/core/syscalls.h"

/* Errors of the kernel that programs never see, but tracepoints do. */
static const struct {
	int number;
	const char *name;
} kernel_errors[] = {
	{ 512, "ERESTARTSYS" }, { 513, "ERESTARTNOINTR" },	  { 514, "ERESTARTNOHAND" },
	{ 515, "ENOIOCTLCMD" }, { 516, "ERESTART_RESTARTBLOCK" }, { 517, "EPROBE_DEFER" },
	{ 524, "ENOTSUPP" },	{ 529, "EIOCBQUEUED" },
};

enum mp_meaning mp_meaning_of(struct mp_str type, struct mp_str field)
{
	static const char *const results[] = { "ret", "retval", "error", "errno", "err", "rc" };
	size_t i;

	if (mp_str_eq(field, MP_STR("id")) && mp_str_starts(type, MP_STR("raw_syscalls:")))
		return MP_MEANING_SYSCALL;
	if (mp_str_eq(field, MP_STR("sig")) && mp_str_starts(type, MP_STR("signal:")))
		return MP_MEANING_SIGNAL;
	for (i = 0; i < MP_ARRAY_SIZE(results); i++)
		if (mp_str_eq(field, mp_str(results[i])))
			return MP_MEANING_ERROR;
	return MP_MEANING_NONE;
}

static const char *error_name(uint64_t number)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(kernel_errors); i++)
		if (number == (uint64_t)-kernel_errors[i].number)
			return kernel_errors[i].name;
	return -number < MP_MEANING_ERRORS && number ? strerrorname_np((int)-number) : NULL;
}

bool mp_meaning_add(struct mp_buf *to, enum mp_meaning meaning, uint64_t number)
{
	const char *name = NULL;

	if (meaning == MP_MEANING_SYSCALL)
		name = mp_syscall_name(number);
	else if (meaning == MP_MEANING_SIGNAL && number < INT32_MAX)
		name = sigabbrev_np((int)number);
	else if (meaning == MP_MEANING_ERROR)
		name = error_name(number);
	if (!name)
		return false;
	if (meaning == MP_MEANING_SIGNAL)
		mp_buf_add(to, "SIG", 3);
	mp_buf_add(to, name, strlen(name));
	return true;
}
