// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stats/linear.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/tap.h"

enum { N = 3000 };

static uint64_t state = 7;

static uint64_t next(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static bool same(const struct mp_linear *a, const struct mp_linear *b)
{
	struct mp_buf x = { NULL, 0, 0 }, y = { NULL, 0, 0 };
	size_t i = 0, j = 0;
	bool equal;

	while (mp_linear_write(a, &i, &x))
		;
	while (mp_linear_write(b, &j, &y))
		;
	equal = mp_str_eq(mp_buf_view(&x), mp_buf_view(&y)) && a->total == b->total;
	mp_buf_release(&x);
	mp_buf_release(&y);
	return equal;
}

/* Compares each row with a loop over the numbers. */
static bool rows_are_exact(const struct mp_linear *l, const double *v, bool whole)
{
	struct mp_linear_rows rows;
	bool right = true;
	uint64_t n;
	size_t i, j;

	mp_linear_rows(l, 20, whole, &rows);
	right &= l->width != 0 || rows.n <= 20;
	for (i = 0; i < rows.n; i++) {
		double low = (double)(rows.first + (int64_t)i) * rows.width;
		double high = (double)(rows.first + (int64_t)i + 1) * rows.width;

		for (n = 0, j = 0; j < N; j++)
			n += v[j] >= low && v[j] < high;
		right &= n == rows.counts[i];
	}
	free(rows.counts);
	return right;
}

static bool merge_is_exact(const struct mp_linear *all, const double *v)
{
	struct mp_linear a, b, back, text;
	struct mp_buf buf = { NULL, 0, 0 };
	size_t i, cut = next() % N, cursor = 0;
	bool right = true;

	mp_linear_init(&a, all->width, all->binary);
	mp_linear_init(&b, all->width, all->binary);
	mp_linear_init(&back, all->width, all->binary);
	mp_linear_init(&text, all->width, all->binary);
	for (i = 0; i < N; i++) {
		mp_linear_add(i < cut ? &a : &b, v[i], 1);
		mp_linear_add(&back, v[N - 1 - i], 1);
	}
	for (i = 0; mp_linear_write(all, &cursor, &buf); i = buf.len)
		right &= mp_linear_read(&text, (struct mp_str){ buf.p + i, buf.len - i }) == 0;
	right &= mp_linear_merge(&b, &a) == 0;
	right &= same(&b, all) && same(&back, all) && same(&text, all);
	mp_linear_release(&a);
	mp_linear_release(&b);
	mp_linear_release(&back);
	mp_linear_release(&text);
	mp_buf_release(&buf);
	return right;
}

static double whole_number(int range)
{
	return (double)(int64_t)(next() % (1ull << range)) - (double)(1ull << (range - 1));
}

static double quarter(int range)
{
	return whole_number(range) / 4;
}

static void test_random(const char *name, double (*make)(int), int range, double width, bool binary)
{
	struct mp_linear l;
	bool whole = true;
	double v[N];
	int i;

	mp_linear_init(&l, width, binary);
	for (i = 0; i < N; i++) {
		v[i] = make(range);
		whole &= v[i] == floor(v[i]);
		mp_linear_add(&l, v[i], 1);
	}
	ok(l.total == N && !l.too_wide, "%s of %d bits, width %g: all counted", name, range, width);
	ok(rows_are_exact(&l, v, whole), "%s of %d bits, width %g: rows exact", name, range, width);
	ok(merge_is_exact(&l, v), "%s of %d bits, width %g: merged, reversed, read equal one pass",
	   name, range, width);
	mp_linear_release(&l);
}

static void test_edges(void)
{
	static const char *const bad[] = { "",	       "0:",	  "0:0:",     "0:0:1",
					   "0:0:1*0",  "0:0:1*",  "0:99:1*1", "1:0:1*1",
					   "0:0:1*1,", "0:x:1*1", "0:b0:1*1" };
	struct mp_linear_rows rows;
	struct mp_linear l;
	size_t i;

	mp_linear_init(&l, 0.1, false);
	for (i = 0; i < 10; i++)
		mp_linear_add(&l, (double)i / 10, 1);
	mp_linear_rows(&l, 20, false, &rows);
	ok(rows.n == 10 && rows.counts[3] == 1 && rows.counts[2] == 1, "0.3 is in the row of 0.3");
	free(rows.counts);
	mp_linear_release(&l);
	mp_linear_init(&l, 0, false);
	mp_linear_add(&l, 0.3, 5);
	mp_linear_rows(&l, 20, false, &rows);
	ok(rows.n == 1 && rows.counts[0] == 5, "a constant is one row");
	free(rows.counts);
	mp_linear_add(&l, 9e18, 1);
	mp_linear_add(&l, -9e18, 1);
	ok(!l.too_wide && l.total == 7, "the whole range of 64 bits");
	mp_linear_add(&l, 1e19, 1);
	ok(l.too_wide, "beyond 2^63 is reported");
	mp_linear_release(&l);
	mp_linear_init(&l, 1, false);
	mp_linear_add(&l, 0, 1);
	mp_linear_add(&l, MP_LINEAR_ROWS_MAX - 1, 1);
	ok(!l.too_wide, "65,536 rows");
	mp_linear_add(&l, MP_LINEAR_ROWS_MAX, 1);
	ok(l.too_wide, "65,537 rows are reported");
	mp_linear_release(&l);
	mp_linear_init(&l, 0, false);
	for (i = 0; i < MP_ARRAY_SIZE(bad); i++)
		ok(mp_linear_read(&l, mp_str(bad[i])) < 0 && l.total == 0, "'%s' is refused",
		   bad[i]);
	mp_linear_release(&l);
}

int main(void)
{
	int range;

	mp_init("unit-linear");
	for (range = 4; range <= 52; range += 6) {
		test_random("whole numbers", whole_number, range, 0, false);
		test_random("quarters", quarter, range, 0, false);
		test_random("quarters", quarter, range, 0, true);
		test_random("whole numbers", whole_number, range, 0, true);
	}
	test_random("whole numbers", whole_number, 8, 7, false);
	test_random("quarters", quarter, 12, 0.25, false);
	test_edges();
	return tap_done();
}
