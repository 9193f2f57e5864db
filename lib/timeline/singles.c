// SPDX-License-Identifier: GPL-2.0-only
#include "lib/timeline/singles.h"

#include <stdlib.h>
#include <string.h>

void mp_singles_init(struct mp_singles *s, size_t limit)
{
	memset(s, 0, sizeof(*s));
	s->limit = limit;
}

void mp_singles_release(struct mp_singles *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		free(s->v[i].fields);
	for (i = 0; i < s->n_marked; i++)
		free(s->marked[i].fields);
	free(s->v);
	free(s->marked);
}

static bool is_less(const struct mp_single *a, const struct mp_single *b)
{
	return a->dur_ns != b->dur_ns ? a->dur_ns < b->dur_ns : a->chance < b->chance;
}

bool mp_singles_wants(struct mp_singles *s, struct mp_single *one)
{
	one->chance = ++s->seen * 0x9e3779b97f4a7c15u >> 32;
	return one->marked || s->n < s->limit || is_less(&s->v[0], one);
}

/* Moves the element at `i` down to where it belongs. */
static void sink(struct mp_singles *s, size_t i)
{
	struct mp_single moved = s->v[i];
	size_t child;

	while ((child = 2 * i + 1) < s->n) {
		if (child + 1 < s->n && is_less(&s->v[child + 1], &s->v[child]))
			child++;
		if (!is_less(&s->v[child], &moved))
			break;
		s->v[i] = s->v[child];
		i = child;
	}
	s->v[i] = moved;
}

bool mp_singles_add(struct mp_singles *s, const struct mp_single *one, struct mp_single *out)
{
	size_t i;

	if (one->marked) {
		s->marked = mp_grow(s->marked, &s->marked_cap, s->n_marked + 1, sizeof(*one));
		s->marked[s->n_marked++] = *one;
		return false;
	}
	if (s->n == s->limit) {
		*out = s->v[0];
		free(out->fields);
		out->fields = NULL;
		s->v[0] = *one;
		sink(s, 0);
		return true;
	}
	s->v = mp_grow(s->v, &s->cap, s->n + 1, sizeof(*one));
	s->v[s->n++] = *one;
	for (i = s->n / 2; s->n == s->limit && i > 0; i--)
		sink(s, i - 1);
	return false;
}

static int compare(const void *a, const void *b)
{
	const struct mp_single *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	if (x->dur_ns != y->dur_ns)
		return x->dur_ns > y->dur_ns ? -1 : 1;
	return x->chance < y->chance ? -1 : x->chance > y->chance;
}

void mp_singles_finish(struct mp_singles *s)
{
	if (s->n_marked) {
		s->v = mp_realloc(s->v, (s->n + s->n_marked) * sizeof(*s->v));
		memcpy(s->v + s->n, s->marked, s->n_marked * sizeof(*s->v));
		s->n += s->n_marked;
		s->n_marked = 0;
	}
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), compare);
}
