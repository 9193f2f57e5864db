// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/sides.h"

#include <math.h>
#include <stdlib.h>

#include "lib/stats/compare.h"

void mp_flame_sides_release(struct mp_flame_sides *s)
{
	size_t i;

	for (i = 0; i < MP_FLAME_SIDES; i++) {
		free(s->side[i].self);
		free(s->side[i].total);
	}
	*s = (struct mp_flame_sides){ .level = 0 };
}

/* Makes room for the nodes of a tree, with weights of 0. */
static void reserve(struct mp_flame_side *side, size_t n)
{
	size_t had = side->cap;

	side->self = mp_grow(side->self, &side->cap, n, sizeof(*side->self));
	memset(side->self + had, 0, (side->cap - had) * sizeof(*side->self));
}

uint32_t mp_flame_sides_add(struct mp_flame_sides *s, struct mp_tree *t, unsigned side,
			    const struct mp_frame *frames, size_t n, int64_t weight)
{
	uint32_t node = mp_tree_add(t, frames, n, 0);
	int64_t *self;

	if (node >= s->side[side].cap)
		reserve(&s->side[side], t->n);
	self = &s->side[side].self[node];
	if (__builtin_add_overflow(*self, weight, self)) {
		*self = weight < 0 ? INT64_MIN : INT64_MAX;
		s->overflow = true;
	}
	return node;
}

/* --- totals ----------------------------------------------------------------------------------- */

/* A child has a greater number than its parent. The sum of all is at most INT64_MAX. */
static void compute_totals(struct mp_flame_sides *s, struct mp_flame_side *side,
			   const struct mp_tree *t)
{
	int64_t left = INT64_MAX;
	size_t i;

	reserve(side, t->n);
	for (i = 0; i < t->n; i++) {
		s->negative += side->self[i] < 0;
		s->overflow |= side->self[i] > left;
		side->self[i] = MP_MIN(MP_MAX(side->self[i], 0), left);
		left -= side->self[i];
	}
	side->total = mp_memdup(side->self, t->n * sizeof(*side->total));
	for (i = t->n - 1; i > 0; i--)
		side->total[t->nodes[i].parent] += side->total[i];
}

static int set_exposure(struct mp_flame_sides *s, unsigned *bad)
{
	bool some = s->side[MP_FLAME_BEFORE].total[0] || s->side[MP_FLAME_AFTER].total[0];
	unsigned i;

	for (i = 0; i < MP_FLAME_SIDES; i++) {
		struct mp_flame_side *side = &s->side[i];

		side->exposure = s->measure == MP_FLAME_WORK ? side->work : 1;
		if (s->measure != MP_FLAME_SHARE || !some)
			continue;
		side->exposure = (double)side->total[0];
		if (side->total[0])
			continue;
		*bad = i;
		return -1;
	}
	return 0;
}

static double value_of(const struct mp_flame_sides *s, const int64_t *before, const int64_t *after)
{
	return mp_flame_sides_value(s, MP_FLAME_BEFORE, *before) +
	       mp_flame_sides_value(s, MP_FLAME_AFTER, *after);
}

/* Divides WHOLE units of width among the stacks; each gets at least one. */
static void set_widths(const struct mp_flame_sides *s, struct mp_tree *t)
{
	const double WHOLE = 1LL << 50;
	const int64_t *before = s->side[MP_FLAME_BEFORE].self,
		      *after = s->side[MP_FLAME_AFTER].self;
	double all = value_of(s, s->side[MP_FLAME_BEFORE].total, s->side[MP_FLAME_AFTER].total);
	size_t i;

	for (i = 0; i < t->n; i++)
		if (before[i] || after[i])
			t->nodes[i].self =
				llrint(ceil(value_of(s, &before[i], &after[i]) / all * WHOLE));
}

/* --- significance ----------------------------------------------------------------------------- */

/*
 * Finds the level of significance by the number of differences that are tested for each sum of both
 * counts. A node with the counts of its parent is the same test.
 */
static void set_level(struct mp_flame_sides *s, const struct mp_tree *t)
{
	enum { SUMS = 64 };
	const struct mp_flame_side *a = &s->side[MP_FLAME_BEFORE], *b = &s->side[MP_FLAME_AFTER];
	size_t at_least[SUMS] = { 0 }, i;

	for (i = 0; i < t->n; i++) {
		uint32_t parent = t->nodes[i].parent;
		double sum = (double)a->total[i] + (double)b->total[i];

		if (i && a->total[i] == a->total[parent] && b->total[i] == b->total[parent])
			continue;
		at_least[(size_t)MP_MIN(sum, SUMS - 1)]++;
	}
	for (i = SUMS - 1; i > 0; i--)
		at_least[i - 1] += at_least[i];
	s->level =
		mp_compare_poisson_level(at_least, SUMS, a->exposure, b->exposure, MP_FLAME_ALPHA);
}

bool mp_flame_sides_equal(const struct mp_flame_sides *s, int64_t before, int64_t after)
{
	double a = mp_flame_sides_value(s, MP_FLAME_BEFORE, before);
	double b = mp_flame_sides_value(s, MP_FLAME_AFTER, after);

	return fabs(a - b) <= 1e-12 * MP_MAX(a, b);
}

int mp_flame_sides_step(const struct mp_flame_sides *s, int64_t before, int64_t after)
{
	static const double factors[] = { 1.1, 1.5, 3 };
	double a = mp_flame_sides_value(s, MP_FLAME_BEFORE, before);
	double b = mp_flame_sides_value(s, MP_FLAME_AFTER, after);
	double small = MP_MIN(a, b), great = MP_MAX(a, b);
	int step = 1;
	size_t i;

	if (mp_flame_sides_equal(s, before, after))
		return 0;
	if (s->counts &&
	    mp_compare_poisson_p((double)before, s->side[MP_FLAME_BEFORE].exposure, (double)after,
				 s->side[MP_FLAME_AFTER].exposure) > s->level)
		return 0;
	for (i = 0; i < MP_ARRAY_SIZE(factors); i++)
		step += great * (1 + 1e-12) >= factors[i] * small;
	return b > a ? step : -step;
}

int mp_flame_sides_step_of(const struct mp_flame_sides *s, uint32_t node)
{
	const struct mp_flame_side *a = &s->side[MP_FLAME_BEFORE], *b = &s->side[MP_FLAME_AFTER];

	if (s->own)
		return mp_flame_sides_step(s, a->self[node], b->self[node]);
	return mp_flame_sides_step(s, a->total[node], b->total[node]);
}

int mp_flame_sides_finish(struct mp_flame_sides *s, struct mp_tree *t, unsigned *bad)
{
	unsigned i;

	for (i = 0; i < MP_FLAME_SIDES; i++)
		compute_totals(s, &s->side[i], t);
	if (set_exposure(s, bad) < 0)
		return -1;
	if (s->side[MP_FLAME_BEFORE].total[0] || s->side[MP_FLAME_AFTER].total[0])
		set_widths(s, t);
	if (s->counts)
		set_level(s, t);
	mp_tree_finish(t);
	return 0;
}
