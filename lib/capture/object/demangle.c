// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "lib/core/str.h"

enum {
	MANGLED_MAX = 8192,
	DEMANGLED_MAX = 64 << 10,
	D_REFERENCES_MAX = 16,
};

/*
 * Mangled names refer back to parts of themselves: each level of references can double the output, so
 * that 200 bytes become gigabytes. At the limit, longjmp() leaves the demangler; it allocates
 * memory for characters beyond ASCII only.
 */
struct output {
	struct mp_buf text;
	jmp_buf full;
};

static void add(const char *text, size_t len, void *arg)
{
	struct output *out = arg;

	if (out->text.len + len > DEMANGLED_MAX)
		longjmp(out->full, 1);
	mp_buf_add(&out->text, text, len);
}

static bool demangle(struct output *out, const char *name)
{
	if (setjmp(out->full))
		return false;
	if (rust_demangle_callback(name, DMGL_AUTO, add, out))
		return true;
	out->text.len = 0;
	return cplus_demangle_v3_callback(name, DMGL_AUTO, add, out);
}

/*
 * There is no such function with a limit for names of D: names with many references stay mangled.
 */
static char *demangle_d(const char *name)
{
	size_t references = 0;
	const char *p;

	for (p = name; *p; p++)
		references += *p == 'Q';
	return references > D_REFERENCES_MAX ? NULL : dlang_demangle(name, DMGL_AUTO);
}

char *mp_demangle(const char *name)
{
	struct output out = { .text = { NULL, 0, 0 } };

	if (name[0] != '_' || !name[1] || !strchr("ZRD", name[1]) || strlen(name) > MANGLED_MAX)
		return NULL;
	if (name[1] == 'D')
		return demangle_d(name);
	if (demangle(&out, name)) {
		mp_buf_byte(&out.text, '\0');
		return out.text.p;
	}
	mp_buf_release(&out.text);
	return NULL;
}
