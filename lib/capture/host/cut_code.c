// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/cut_code.h"

#include <stdlib.h>

enum { TIMES_MAX = 2 }; /* an element takes at most this many times the bytes that describe it */

/* The next bytes; NULL if there are fewer. */
static const char *next(struct mp_cut_code *c, size_t len)
{
	const char *p = c->from.p;

	if (c->failed || len > c->from.len) {
		c->failed = true;
		return NULL;
	}
	c->from = mp_str_skip(c->from, len);
	return p;
}

void mp_cut_code_u64(struct mp_cut_code *c, uint64_t *v)
{
	const char *p;

	if (c->to) {
		mp_buf_add(c->to, v, sizeof(*v));
		return;
	}
	p = next(c, sizeof(*v));
	*v = 0;
	if (p)
		memcpy(v, p, sizeof(*v));
}

void mp_cut_code_text(struct mp_cut_code *c, char **text)
{
	uint64_t len = c->to && *text ? strlen(*text) + 1 : 0;
	const char *p;

	mp_cut_code_u64(c, &len);
	if (c->to) {
		mp_buf_add(c->to, *text, len);
		return;
	}
	*text = NULL;
	if (!len)
		return;
	p = next(c, len);
	if (!p)
		return;
	c->failed |= memchr(p, '\0', len) != p + len - 1;
	*text = mp_strndup(p, len - 1);
}

void mp_cut_code_bytes(struct mp_cut_code *c, void **v, size_t *n, size_t size)
{
	uint64_t count = *n;
	const char *p;

	mp_cut_code_u64(c, &count);
	if (c->to) {
		mp_buf_add(c->to, *v, count * size);
		return;
	}
	*v = NULL;
	*n = 0;
	p = count <= c->from.len / size ? next(c, count * size) : NULL;
	if (!p) {
		c->failed = true;
		return;
	}
	*v = mp_memdup(p, count * size);
	*n = count;
}

void mp_cut_code_list(struct mp_cut_code *c, void **v, size_t *n, size_t size)
{
	uint64_t count = *n;

	mp_cut_code_u64(c, &count);
	if (c->to)
		return;
	*v = NULL;
	*n = 0;
	if (c->failed || count > c->from.len * TIMES_MAX / size) {
		c->failed = true;
		return;
	}
	*v = mp_zalloc(count * size);
	*n = count;
}
