// SPDX-License-Identifier: GPL-2.0-only
#include "lib/heatmap/grid.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/core/map.h"
#include "tests/unit/tap.h"

/*
 * Tests that each value is in a line that begins at or below it and ends above it, at every level.
 */
static void test_lines(enum mp_lines_kind kind, int least, int most, const char *name)
{
	static const double values[] = { 0,   1,       -1,   2,	   3.5,	  -3.5, 255,
					 256, 1e9 + 1, -1e9, 1e-3, -1e-3, 1e15, -1e15 };
	struct mp_grid g;
	bool good = true;
	size_t i;
	int level;

	mp_grid_init(&g, kind, MP_NAMES);
	for (level = least; level <= most; level++) {
		g.x.level = level;
		for (i = 0; i < MP_ARRAY_SIZE(values); i++) {
			struct mp_grid_coord p = { .real = values[i] };
			int64_t line = mp_grid_line_of(&g.x, &p, level);

			good &= mp_grid_line_begin(&g.x, line) <= values[i] &&
				values[i] < mp_grid_line_begin(&g.x, line + 1) &&
				(level == least ||
				 line == mp_grid_line_of(&g.x, &p, level - 1) >> 1);
		}
	}
	ok(good, "%s: lines hold their values, and two of them make one of the next level", name);
	g.x.level = 0;
	mp_grid_release(&g);
}

static uint64_t total(const struct mp_grid *g)
{
	uint64_t sum = 0;
	size_t x, y;

	for (x = 0; x <= g->x.max; x++)
		for (y = 0; y <= g->y.max; y++)
			sum += *mp_grid_cell(g, x, y);
	return sum;
}

static uint32_t next(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 8;
}

/* A value's cell, after any merges of lines. */
static uint64_t at(const struct mp_grid *g, int64_t x, double y)
{
	int64_t column = x >> g->x.level,
		row = mp_grid_line_of(&g->y, &(struct mp_grid_coord){ .real = y }, g->y.level);
	size_t i, k;

	for (i = 0; i < g->x.top && !(g->x.used[i] && g->x.line[i] == column); i++)
		;
	for (k = 0; k < g->y.top && !(g->y.used[k] && g->y.line[k] == row); k++)
		;
	return i < g->x.top && k < g->y.top ? *mp_grid_cell(g, i, k) : 0;
}

static void test_growth(void)
{
	uint32_t state = 1;
	struct mp_grid g;
	bool found = true;
	int i;

	mp_grid_init(&g, MP_WHOLE, MP_VALUE);
	for (i = 0; i < 200000; i++) {
		struct mp_grid_coord x = { .whole = next(&state) },
				     y = { .real = exp(next(&state) % 40) };

		mp_grid_add(&g, &x, &y, 1 + i % 3);
		if (i % 1000 == 0)
			found &= at(&g, x.whole, y.real) > 0;
	}
	ok(total(&g) == 200000 / 3 * 6 + 1 + 2 && g.records == 200000, "no weight is lost");
	ok(found, "what was added is found where it belongs");
	ok(g.x.n <= MP_GRID_COLUMNS && g.x.n > MP_GRID_COLUMNS / 2, "columns: %zu, level %d", g.x.n,
	   g.x.level);
	ok(g.y.n == 40 && g.y.level == 0, "few values keep all their digits");
	mp_grid_release(&g);
}

static void test_far_off(void)
{
	struct mp_grid g;
	int i;

	mp_grid_init(&g, MP_DECIMAL, MP_VALUE);
	for (i = 0; i < 1000; i++)
		mp_grid_add_point(&g, i / 4.0, i);
	mp_grid_add_point(&g, 1e12, DBL_MAX);
	mp_grid_add_point(&g, -1e12, -DBL_MAX);
	ok(g.x.n == 1002 && g.y.n == 1002, "a few values far off cost a few lines");
	mp_grid_add_point(&g, 1e300, 0);
	ok(g.x.n <= 3 && total(&g) == 1003,
	   "one that is beyond all digits takes them, not the sum");
	mp_grid_release(&g);
}

static void test_spread(void)
{
	struct mp_grid_coord y = { .name = MP_STR("a") };
	uint32_t state = 3;
	uint64_t sum = 0;
	struct mp_grid g;
	int i;

	mp_grid_init(&g, MP_WHOLE, MP_NAMES);
	mp_grid_spread(&g, 100, 100, &y);
	mp_grid_spread(&g, -50, 50, &y);
	ok(total(&g) == 100 && g.x.n == 101, "a span of nothing has a column, and no weight");
	mp_grid_spread(&g, 0, 1ll << 40, &y);
	sum = 100 + (1ll << 40);
	ok(total(&g) == (uint64_t)sum, "a long one raises the level");
	for (i = 0; i < 1000; i++) {
		int64_t from = next(&state), dur = next(&state) % 100000;

		mp_grid_spread(&g, from, from + dur, &y);
		sum += dur;
	}
	ok(total(&g) == sum && g.records == 1003, "the sum is that of their times");
	mp_grid_spread(&g, 0, INT64_MAX, &y);
	ok(!g.overflow && total(&g) == sum + INT64_MAX, "the longest there is");
	mp_grid_release(&g);
}

static void test_limits(void)
{
	struct mp_grid_coord x = { .whole = INT64_MAX }, y = { .real = 1 };
	struct mp_grid g;

	mp_grid_init(&g, MP_WHOLE, MP_VALUE);
	mp_grid_add(&g, &x, &y, INT64_MAX);
	ok(!g.overflow, "the greatest sum");
	mp_grid_add(&g, &x, &y, 1);
	ok(g.overflow && total(&g) == INT64_MAX, "is held");
	mp_grid_lost(&g, 5, true, 7, 9);
	mp_grid_lost(&g, 2, false, 0, 0);
	ok(g.x.n == 2 && g.lost_elsewhere == 2, "a loss has a column of its own");
	ok(mp_grid_set_level(&g, &g.x, 63) < 0 && mp_grid_set_level(&g, &g.x, -1) < 0 &&
		   mp_grid_set_level(&g, &g.x, 62) == 0 && g.x.n == 2,
	   "levels");
	mp_grid_release(&g);
}

static void test_names(void)
{
	struct mp_grid a, b;
	char text[300];
	bool same = true;
	size_t i;

	mp_grid_init(&a, MP_NAMES, MP_NAMES);
	mp_grid_init(&b, MP_NAMES, MP_NAMES);
	for (i = 0; i < 10000; i++) {
		struct mp_grid_coord p = { .name = { text,
						     snprintf(text, sizeof(text), "n%zu", i) } };

		mp_grid_add(&a, &p, &p, 1);
		p.name.len = snprintf(text, sizeof(text), "n%zu", 9999 - i);
		mp_grid_add(&b, &p, &p, 1);
	}
	ok(a.x.n == MP_GRID_COLUMNS && a.y.n == MP_GRID_ROWS && total(&a) == 10000 &&
		   total(&b) == 10000,
	   "names beyond those that are kept are counted");
	for (i = 0; i < a.y.top; i++) {
		struct mp_str name = a.y.name[i];
		unsigned slot = a.y.used[i] ? mp_grid_name_slot(&b, &b.y, &name) : 0;

		same &= !a.y.used[i] || slot != b.y.max;
	}
	ok(same && *mp_grid_cell(&a, MP_GRID_COLUMNS, MP_GRID_ROWS) ==
			   *mp_grid_cell(&b, MP_GRID_COLUMNS, MP_GRID_ROWS),
	   "the same are kept in any order");
	memset(text, 'x', sizeof(text));
	ok(mp_grid_name_slot(&a, &a.x, &(struct mp_str){ text, 300 }) ==
		   mp_grid_name_slot(&a, &a.x, &(struct mp_str){ text, 255 }),
	   "long names count by their beginning");
	mp_grid_release(&a);
	mp_grid_release(&b);
}

/* The 8 bytes that XXH3 without a seed hashes to `h`: undoes each of its steps. */
static uint64_t bytes_of_hash(uint64_t h)
{
	static const uint64_t flip = 0x1cad21f72c81017c ^ 0xdb979083e96dd4de;
	static const uint64_t prime = 0x9fb21c651e98df25;
	uint64_t inverse = prime;
	int i;

	for (i = 0; i < 6; i++)
		inverse *= 2 - prime * inverse;
	h ^= h >> 28 ^ h >> 56;
	h *= inverse;
	h ^= (h >> 35) + 8;
	h *= inverse;
	for (i = 0; i < 63; i++)
		h ^= (h << 49 | h >> 15) ^ (h << 24 | h >> 40);
	h ^= flip;
	return h << 32 | h >> 32;
}

static void test_equal_hashes(void)
{
	uint64_t bytes = bytes_of_hash(mp_hash("a name", 6, 0));
	struct mp_str names[2] = { MP_STR("a name"), { (const char *)&bytes, sizeof(bytes) } };
	struct mp_grid_coord x = { .whole = 0 }, y;
	struct mp_grid a;
	size_t i;

	ok(mp_hash(names[0].p, 6, 0) == mp_hash(names[1].p, 8, 0), "two names of the same hash");
	mp_grid_init(&a, MP_WHOLE, MP_NAMES);
	for (i = 0; i < 30; i++) {
		y.name = names[i % 3 == 0];
		mp_grid_add(&a, &x, &y, 1);
	}
	ok(a.y.n == 2 && *mp_grid_cell(&a, 0, mp_grid_name_slot(&a, &a.y, &names[0])) == 20,
	   "have a line each");
	mp_grid_release(&a);
}

/* What is added to a plane stays there while lines are merged and names are dropped. */
static void test_planes(bool few)
{
	uint64_t sums[3] = { 0 };
	uint32_t state = 1;
	struct mp_grid g;
	char name[16];
	int i;

	mp_grid_init(&g, MP_WHOLE, MP_NAMES);
	if (few)
		mp_grid_few_lines(&g);
	for (i = 0; i < 20000; i++) {
		struct mp_grid_coord x = { .whole = next(&state) }, y = { .name = { name, 0 } };

		if (i == 8000 || i == 15000)
			mp_grid_select_plane(&g, 1 + (i > 8000));
		y.name.len = snprintf(name, sizeof(name), "n%u", next(&state) % 3000);
		mp_grid_add(&g, &x, &y, 3);
	}
	ok(g.x.level > 0 && g.y.n == (few ? MP_GRID_FEW_ROWS : MP_GRID_ROWS),
	   "lines were merged, and names dropped");
	for (i = 0; i < 3; i++) {
		mp_grid_select_plane(&g, i);
		sums[i] = total(&g);
	}
	ok(sums[0] == 3 * 8000 && sums[1] == 3 * 7000 && sums[2] == 3 * 5000,
	   "all planes keep their sums");
	mp_grid_merge_plane(&g, 2);
	for (i = 0; i < 3; i++) {
		mp_grid_select_plane(&g, i);
		sums[i] = total(&g);
	}
	ok(sums[0] == 3 * 13000 && sums[1] == 3 * 7000 && sums[2] == 0,
	   "a merged plane is empty, and in the first one");
	mp_grid_release(&g);
}

int main(void)
{
	test_lines(MP_DECIMAL, -2, 60, "decimal");
	test_lines(MP_VALUE, 0, 52, "value");
	test_growth();
	test_far_off();
	test_spread();
	test_limits();
	test_equal_hashes();
	test_names();
	test_planes(false);
	test_planes(true);
	return tap_done();
}
