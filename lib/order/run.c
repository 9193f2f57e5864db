// SPDX-License-Identifier: GPL-2.0-only
#include "lib/order/run.h"

#include <stdlib.h>

#include "lib/core/spill.h"

enum { BUFFER = 256 << 10 };

struct head {
	uint64_t time_ns;
	uint32_t source;
	uint32_t len;
};

struct mp_run {
	struct mp_spill spill;
	char *buf; /* when reading: a buffer, whose bytes from start to end are next */
	size_t start, end, cap;
	bool at_end;
};

struct mp_run *mp_run_new(void)
{
	struct mp_run *r = mp_zalloc(sizeof(*r));

	mp_spill_init(&r->spill, BUFFER, "set TMPDIR, or give more --memory");
	return r;
}

void mp_run_free(struct mp_run *r)
{
	if (!r)
		return;
	mp_spill_release(&r->spill);
	free(r->buf);
	free(r);
}

void mp_run_add(struct mp_run *r, uint64_t time_ns, size_t source, struct mp_str line)
{
	struct head h = { time_ns, (uint32_t)source, (uint32_t)line.len };

	mp_spill_add(&r->spill, &h, sizeof(h));
	mp_spill_add(&r->spill, line.p, line.len);
}

/* Reads until the buffer has at least `want` bytes, or the run ends. */
static void fill(struct mp_run *r, size_t want)
{
	memmove(r->buf, r->buf + r->start, r->end - r->start);
	r->end -= r->start;
	r->start = 0;
	if (want > r->cap) {
		r->cap = want;
		r->buf = mp_realloc(r->buf, r->cap);
	}
	r->end += mp_spill_read(&r->spill, r->buf + r->end, r->cap - r->end);
}

static struct head head_of(const struct mp_run *r)
{
	struct head h;

	memcpy(&h, r->buf + r->start, sizeof(h));
	return h;
}

/* Reads until the buffer has the head of a line and the line itself. */
static void load_head(struct mp_run *r)
{
	size_t have = r->end - r->start, want = sizeof(struct head);

	if (have >= want)
		want += head_of(r).len;
	if (have >= want)
		return;
	fill(r, want);
	if (r->end - r->start < sizeof(struct head)) {
		r->at_end = true;
		return;
	}
	want = sizeof(struct head) + head_of(r).len;
	if (r->end - r->start < want)
		fill(r, want);
}

void mp_run_rewind(struct mp_run *r)
{
	mp_spill_rewind(&r->spill);
	r->cap = BUFFER;
	r->buf = mp_alloc(r->cap);
	load_head(r);
}

bool mp_run_head(const struct mp_run *r, uint64_t *time_ns, size_t *source, struct mp_str *line)
{
	struct head h;

	if (r->at_end)
		return false;
	h = head_of(r);
	*time_ns = h.time_ns;
	*source = h.source;
	*line = (struct mp_str){ r->buf + r->start + sizeof(h), h.len };
	return true;
}

void mp_run_next(struct mp_run *r)
{
	r->start += sizeof(struct head) + head_of(r).len;
	load_head(r);
}

uint64_t mp_run_bytes(const struct mp_run *r)
{
	return r->spill.bytes;
}
