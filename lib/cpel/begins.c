// SPDX-License-Identifier: GPL-2.0-only
#include "lib/cpel/begins.h"

#include <stdlib.h>

enum {
	RUN = 1 << 16, /* events of a run, 2 MiB */
	AT_ONCE = 512, /* events that are read of a run at once */
	SPILL_KEPT = 4 << 20,
};

/* A run while it is merged. */
struct mp_cpel_run {
	struct mp_cpel_begin *some; /* events that were read; owned, but for the latest run */
	size_t i, n;		    /* the current one of them, and their number */
	uint64_t at, end;	    /* bytes of the temporary file that remain */
	bool owned;
};

void mp_cpel_begins_init(struct mp_cpel_begins *b)
{
	*b = (struct mp_cpel_begins){ .n = 0 };
	mp_spill_init(&b->runs, SPILL_KEPT, "set TMPDIR");
}

void mp_cpel_begins_release(struct mp_cpel_begins *b)
{
	size_t i;

	for (i = 0; i < b->n_merged; i++)
		if (b->merged[i].owned)
			free(b->merged[i].some);
	free(b->merged);
	free(b->latest);
	mp_spill_release(&b->runs);
}

static bool is_before(const struct mp_cpel_begin *a, const struct mp_cpel_begin *b)
{
	return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->before < b->before;
}

static int compare(const void *va, const void *vb)
{
	return is_before(va, vb) ? -1 : is_before(vb, va);
}

static void sort_latest(struct mp_cpel_begins *b)
{
	if (b->n)
		qsort(b->latest, b->n, sizeof(*b->latest), compare);
}

void mp_cpel_begins_add(struct mp_cpel_begins *b, const struct mp_cpel_begin *begin)
{
	if (b->n == RUN) {
		sort_latest(b);
		mp_spill_add(&b->runs, b->latest, b->n * sizeof(*b->latest));
		b->n = 0;
	}
	b->latest = mp_grow(b->latest, &b->cap, b->n + 1, sizeof(*b->latest));
	b->latest[b->n++] = *begin;
	b->total++;
}

/* --- merging ---------------------------------------------------------------------------------- */

/* Reads more of a run; false at its end. */
static bool fill(struct mp_cpel_begins *b, struct mp_cpel_run *r)
{
	size_t len = MP_MIN(r->end - r->at, AT_ONCE * sizeof(*r->some));

	if (!len)
		return false;
	mp_spill_read_at(&b->runs, r->at, (char *)r->some, len);
	r->at += len;
	r->i = 0;
	r->n = len / sizeof(*r->some);
	return true;
}

static bool run_is_before(const struct mp_cpel_run *a, const struct mp_cpel_run *b)
{
	return is_before(&a->some[a->i], &b->some[b->i]);
}

/* Moves the run at `i` down the heap to its place. */
static void sift(struct mp_cpel_begins *b, size_t i)
{
	struct mp_cpel_run *v = b->merged, moved;
	size_t child;

	for (; (child = 2 * i + 1) < b->n_merged; i = child) {
		if (child + 1 < b->n_merged && run_is_before(&v[child + 1], &v[child]))
			child++;
		if (!run_is_before(&v[child], &v[i]))
			return;
		moved = v[i];
		v[i] = v[child];
		v[child] = moved;
	}
}

void mp_cpel_begins_sort(struct mp_cpel_begins *b)
{
	const size_t size = RUN * sizeof(*b->latest);
	size_t n = b->runs.bytes / size, i;

	sort_latest(b);
	b->merged = mp_zalloc((n + 1) * sizeof(*b->merged));
	for (i = 0; i < n; i++) {
		struct mp_cpel_run *r = &b->merged[i];

		r->some = mp_alloc(AT_ONCE * sizeof(*r->some));
		r->owned = true;
		r->at = i * size;
		r->end = r->at + size;
		fill(b, r);
	}
	if (b->n)
		b->merged[n++] = (struct mp_cpel_run){ .some = b->latest, .n = b->n };
	b->n_merged = n;
	for (i = n / 2; i-- > 0;)
		sift(b, i);
}

const struct mp_cpel_begin *mp_cpel_begins_peek(const struct mp_cpel_begins *b)
{
	return b->n_merged ? &b->merged[0].some[b->merged[0].i] : NULL;
}

void mp_cpel_begins_next(struct mp_cpel_begins *b)
{
	struct mp_cpel_run *r = &b->merged[0];

	if (++r->i == r->n && !fill(b, r)) {
		if (r->owned)
			free(r->some);
		*r = b->merged[--b->n_merged];
	}
	sift(b, 0);
}
