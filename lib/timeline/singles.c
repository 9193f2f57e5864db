// SPDX-License-Identifier: GPL-2.0-only
#include "lib/timeline/singles.h"

#include <stdlib.h>
#include <string.h>

void mp_singles_init(struct mp_singles *s, size_t limit, mp_single_drop_fn *drop, void *arg)
{
	memset(s, 0, sizeof(*s));
	s->limit = limit;
	s->drop = drop;
	s->arg = arg;
	s->random = mp_hash_seed();
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
	free(s->ranks);
}

static struct mp_single_rank rank_of(const struct mp_single *one)
{
	return (struct mp_single_rank){ one->dur_ns, one->chance };
}

static bool is_less(struct mp_single_rank a, struct mp_single_rank b)
{
	return a.dur_ns != b.dur_ns ? a.dur_ns < b.dur_ns : a.chance < b.chance;
}

bool mp_singles_wants(struct mp_singles *s, struct mp_single *one)
{
	one->chance = ++s->seen * 0x9e3779b97f4a7c15u >> 32;
	return one->marked || !s->full || is_less(s->least, rank_of(one));
}

/*
 * The rank that has number k in order, from 0. What is at random is the time that this takes, so
 * that nobody can choose durations for which it is quadratic.
 */
static struct mp_single_rank select_rank(struct mp_singles *s, size_t k)
{
	struct mp_single_rank *v = s->ranks, pivot, swap;
	size_t low = 0, high = s->n, less, i, more;

	for (;;) {
		s->random = s->random * 6364136223846793005u + 1442695040888963407u;
		pivot = v[low + (s->random >> 33) % (high - low)];
		/* those that are less, those that are equal, those that are more */
		for (less = i = low, more = high; i < more;) {
			swap = v[i];
			if (is_less(swap, pivot)) {
				v[i++] = v[less];
				v[less++] = swap;
			} else if (is_less(pivot, swap)) {
				v[i] = v[--more];
				v[more] = swap;
			} else {
				i++;
			}
		}
		if (k >= less && k < more)
			return pivot;
		if (k < less)
			high = less;
		else
			low = more;
	}
}

void mp_singles_trim(struct mp_singles *s)
{
	size_t spare = s->n - MP_MIN(s->limit, s->n), i, n = 0;

	if (!spare)
		return;
	s->ranks = mp_realloc(s->ranks, s->n * sizeof(*s->ranks));
	for (i = 0; i < s->n; i++)
		s->ranks[i] = rank_of(&s->v[i]);
	s->least = select_rank(s, spare);
	s->full = true;
	for (i = 0; i < s->n; i++)
		spare -= is_less(rank_of(&s->v[i]), s->least);
	/* now `spare` is how many of those that are equal to the least are dropped */
	for (i = 0; i < s->n; i++) {
		struct mp_single *one = &s->v[i];
		bool less = is_less(rank_of(one), s->least);

		if (!less && (!spare || is_less(s->least, rank_of(one)))) {
			s->v[n++] = *one;
			continue;
		}
		spare -= !less;
		s->drop(s->arg, one);
		free(one->fields);
	}
	s->n = n;
}

void mp_singles_add(struct mp_singles *s, const struct mp_single *one)
{
	if (one->marked) {
		s->marked = mp_grow(s->marked, &s->marked_cap, s->n_marked + 1, sizeof(*one));
		s->marked[s->n_marked++] = *one;
		return;
	}
	s->v = mp_grow(s->v, &s->cap, s->n + 1, sizeof(*one));
	s->v[s->n++] = *one;
	if (s->n == s->limit + s->limit / 2 + 1)
		mp_singles_trim(s);
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
	mp_singles_trim(s);
	if (s->n_marked) {
		s->v = mp_realloc(s->v, (s->n + s->n_marked) * sizeof(*s->v));
		memcpy(s->v + s->n, s->marked, s->n_marked * sizeof(*s->v));
		s->n += s->n_marked;
		s->n_marked = 0;
	}
	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), compare);
}
