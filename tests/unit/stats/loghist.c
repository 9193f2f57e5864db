// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stats/loghist.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/tap.h"

enum { N = 5000 };

static uint64_t state = 1;

/* splitmix64, https://prng.di.unimi.it/splitmix64.c */
static uint64_t next(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static double uniform(void)
{
	return (double)(next() >> 11) * 0x1p-53;
}

static double small_whole(void)
{
	return (double)(next() % 300);
}

static double latency(void)
{
	return floor(1000 * exp(12 * uniform()));
}

static double any_whole(void)
{
	return (double)((int64_t)next() >> (11 + next() % 50));
}

static double fraction(void)
{
	return uniform() - 0.5;
}

static double any_real(void)
{
	return (uniform() - 0.5) * pow(10, (double)(next() % 600) - 300);
}

static double constant(void)
{
	return 1000003;
}

static double narrow(void)
{
	return 1e9 + (double)(next() % 3);
}

static double subnormal(void)
{
	return (double)(next() % 1000) * 0x1p-1074;
}

static const struct {
	const char *name;
	double (*make)(void);
} kinds[] = {
	{ "whole numbers below 300", small_whole },
	{ "latencies", latency },
	{ "whole numbers of any size and sign", any_whole },
	{ "fractions around 0", fraction },
	{ "numbers of any size and sign", any_real },
	{ "a constant", constant },
	{ "a narrow range", narrow },
	{ "subnormal numbers", subnormal },
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static bool near(double got, double wanted, double relative)
{
	return fabs(got - wanted) <= relative * fabs(wanted);
}

static bool percentiles_are_near(const struct mp_loghist *h, const double *sorted)
{
	static const double shares[] = {
		0, 0.001, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 1
	};
	bool right = true;
	size_t i, rank;

	for (i = 0; i < MP_ARRAY_SIZE(shares); i++) {
		rank = (size_t)llround(ceil(shares[i] * N - 1e-6));
		right &= near(mp_loghist_percentile(h, shares[i]), sorted[rank ? rank - 1 : 0],
			      0.004);
	}
	return right;
}

static bool moments_are_near(const struct mp_loghist *h, const double *v)
{
	long double sum = 0, size = 0, squares = 0;
	double stddev;
	int i;

	for (i = 0; i < N; i++) {
		sum += v[i];
		size += fabs(v[i]);
	}
	for (i = 0; i < N; i++)
		squares += (v[i] - sum / N) * (v[i] - sum / N);
	stddev = (double)sqrtl(squares / N);
	return fabs(mp_loghist_sum(h) - (double)sum) <= 1e-12 * (double)size &&
	       fabs(mp_loghist_mean(h) - (double)sum / N) <= 1e-12 * (double)size / N &&
	       near(mp_loghist_stddev(h), stddev, 1e-9);
}

static bool same(const struct mp_loghist *a, const struct mp_loghist *b)
{
	bool equal = a->n == b->n && a->min == b->min && a->max == b->max &&
		     mp_loghist_zeros(a) == mp_loghist_zeros(b) && a->fraction == b->fraction;
	char x[MP_LOGHIST_SUM_MAX], y[MP_LOGHIST_SUM_MAX];
	int i;

	mp_loghist_put_sum(x, a);
	mp_loghist_put_sum(y, b);
	equal &= strcmp(x, y) == 0 && mp_loghist_sum(a) == mp_loghist_sum(b) &&
		 mp_loghist_mean(a) == mp_loghist_mean(b) &&
		 mp_loghist_stddev(a) == mp_loghist_stddev(b);
	for (i = 0; i <= 1000; i++)
		equal &= mp_loghist_percentile(a, i / 1e3) == mp_loghist_percentile(b, i / 1e3);
	for (i = -1074; i < 1024; i++)
		equal &= mp_loghist_log2(a, i, false) == mp_loghist_log2(b, i, false) &&
			 mp_loghist_log2(a, i, true) == mp_loghist_log2(b, i, true);
	return equal;
}

/* Whether histograms of parts, merged in either order, equal that of one pass to the last bit. */
static bool merge_is_exact(const struct mp_loghist *all, const double *v)
{
	struct mp_loghist a = { .n = 0 }, b = { .n = 0 }, back = { .n = 0 }, empty = { .n = 0 };
	size_t cut = next() % N, i;
	bool right;

	for (i = 0; i < N; i++) {
		mp_loghist_add(i < cut ? &a : &b, v[i], 1);
		mp_loghist_add(&back, v[N - 1 - i], 1);
	}
	mp_loghist_merge(&b, &empty);
	mp_loghist_merge(&empty, &b);
	mp_loghist_merge(&empty, &a);
	mp_loghist_merge(&a, &b);
	right = same(&a, all) && same(&empty, all) && same(&back, all);
	mp_loghist_release(&a);
	mp_loghist_release(&b);
	mp_loghist_release(&back);
	mp_loghist_release(&empty);
	return right;
}

/*
 * Whether the text of a histogram, read from the last part to the first, gives the same histogram.
 */
static bool text_reads_back(const struct mp_loghist *h)
{
	struct mp_loghist back = { .n = 0 };
	struct mp_buf text = { NULL, 0, 0 };
	size_t at[4400], n = 0;
	bool right = true;
	int cursor = 0;

	do
		at[n++] = text.len;
	while (mp_loghist_write(h, &cursor, &text));
	while (--n)
		right &= mp_loghist_read(&back, (struct mp_str){ text.p + at[n - 1],
								 at[n] - at[n - 1] }) == 0;
	right &= same(&back, h);
	mp_loghist_release(&back);
	mp_buf_release(&text);
	return right;
}

static bool weight_is_repetition(const double *v)
{
	struct mp_loghist weighted = { .n = 0 }, repeated = { .n = 0 };
	uint64_t weight;
	bool right;
	size_t i;

	for (i = 0; i < N / 10; i++) {
		weight = next() % 5;
		mp_loghist_add(&weighted, v[i], weight);
		while (weight--)
			mp_loghist_add(&repeated, v[i], 1);
	}
	right = same(&weighted, &repeated);
	mp_loghist_release(&weighted);
	mp_loghist_release(&repeated);
	return right;
}

static bool log2_is_exact(const struct mp_loghist *h, const double *v)
{
	uint64_t total = mp_loghist_zeros(h);
	bool right = true;
	int e, i;

	for (e = -1074; e < 1024; e++) {
		uint64_t plus = 0, minus = 0;

		for (i = 0; i < N && (e + 1074) % 16 == 0; i++)
			if (fabs(v[i]) >= ldexp(1, e) && fabs(v[i]) / 2 < ldexp(1, e))
				++*(v[i] < 0 ? &minus : &plus);
		if ((e + 1074) % 16 == 0)
			right &= mp_loghist_log2(h, e, false) == plus &&
				 mp_loghist_log2(h, e, true) == minus;
		total += mp_loghist_log2(h, e, false) + mp_loghist_log2(h, e, true);
	}
	return right && total == N;
}

static void test_kind(const char *name, double (*make)(void))
{
	double v[N], sorted[N];
	struct mp_loghist h = { .n = 0 };
	int i;

	for (i = 0; i < N; i++) {
		v[i] = sorted[i] = make();
		mp_loghist_add(&h, v[i], 1);
	}
	qsort(sorted, N, sizeof(*sorted), by_value);
	ok(h.n == N && h.min == sorted[0] && h.max == sorted[N - 1], "%s: n, min, max exact", name);
	ok(percentiles_are_near(&h, sorted), "%s: percentiles within 0.4 %% of sorting", name);
	ok(moments_are_near(&h, v), "%s: sum, mean, standard deviation", name);
	ok(log2_is_exact(&h, v), "%s: powers of two exact, and complete", name);
	ok(merge_is_exact(&h, v), "%s: merged equals one pass, to the bit", name);
	ok(text_reads_back(&h), "%s: written and read, to the bit", name);
	ok(weight_is_repetition(v), "%s: a weight is a repetition", name);
	mp_loghist_release(&h);
}

/*
 * A few numbers are held as they are, and those of its text in buckets, unless all are equal: both
 * ways lead to the same results. So do merges, in which one side may be in buckets.
 */
static void test_few(const char *name, double (*make)(void))
{
	static const size_t sizes[] = { 1, 2, 3, 10, 127, 128, 129, 300 };
	bool reads_back = true, merges = true;
	size_t k, i;

	for (k = 0; k < MP_ARRAY_SIZE(sizes); k++) {
		struct mp_loghist h = { .n = 0 }, a = { .n = 0 }, b = { .n = 0 };
		size_t cut = next() % (sizes[k] + 1);

		for (i = 0; i < sizes[k]; i++) {
			double v = make();
			uint64_t weight = 1;

			if (next() % 8 == 0)
				weight += (next() >> 30) % (1ull << i % 35);

			mp_loghist_add(&h, v, weight);
			mp_loghist_add(i < cut ? &a : &b, v, weight);
		}
		reads_back &= text_reads_back(&h);
		mp_loghist_merge(&a, &b);
		merges &= same(&a, &h);
		mp_loghist_release(&h);
		mp_loghist_release(&a);
		mp_loghist_release(&b);
	}
	ok(reads_back, "%s: a few, written and read, to the bit", name);
	ok(merges, "%s: a few, merged", name);
}

static void test_whole_numbers(void)
{
	struct mp_loghist h = { .n = 0 };
	char text[MP_LOGHIST_SUM_MAX];
	bool right = true;
	int i;

	for (i = -256; i <= 256; i++)
		mp_loghist_add(&h, i, 1);
	for (i = 0; i < 513; i++)
		right &= mp_loghist_percentile(&h, (i + 1) / 513.0) == i - 256;
	ok(right, "whole numbers up to 256 are exact");
	mp_loghist_put_sum(text, &h);
	ok(strcmp(text, "0") == 0 && mp_loghist_mean(&h) == 0, "they cancel");
	mp_loghist_release(&h);
	mp_loghist_add(&h, 0x1p62, 1ull << 63);
	mp_loghist_add(&h, 1, 1);
	mp_loghist_put_sum(text, &h);
	ok(strcmp(text, "42535295865117307932921825928971026433") == 0, "a sum of 126 bits");
	mp_loghist_release(&h);
	mp_loghist_add(&h, 3, UINT32_MAX);
	mp_loghist_add(&h, 5, 1);
	mp_loghist_add(&h, 3, 2);
	mp_loghist_put_sum(text, &h);
	ok(strcmp(text, "12884901896") == 0 && mp_loghist_log2(&h, 1, false) == (1ull << 32) + 1,
	   "the count of one of a few exceeds 32 bits");
	mp_loghist_release(&h);
	mp_loghist_add(&h, -5, 3);
	mp_loghist_put_sum(text, &h);
	ok(strcmp(text, "-15") == 0 && mp_loghist_mean(&h) == -5 && mp_loghist_stddev(&h) == 0,
	   "a negative constant");
	mp_loghist_release(&h);
	mp_loghist_add(&h, 0.1, 10);
	mp_loghist_put_sum(text, &h);
	ok(strcmp(text, "1") == 0, "ten times 0.1 is 1");
	mp_loghist_release(&h);
}

static void test_edges(void)
{
	struct mp_loghist h = { .n = 0 };

	ok(mp_loghist_percentile(&h, 0.5) == 0 && mp_loghist_mean(&h) == 0 &&
		   mp_loghist_stddev(&h) == 0 && mp_loghist_sum(&h) == 0,
	   "an empty one");
	mp_loghist_add(&h, 1, 0);
	ok(h.n == 0, "weight 0 is nothing");
	mp_loghist_add(&h, -0.0, 1);
	ok(h.n == 1 && mp_loghist_zeros(&h) == 1 && !signbit(h.min) && !signbit(h.max), "-0 is 0");
	mp_loghist_add(&h, 1.7976931348623157e308, 1);
	mp_loghist_add(&h, -1.7976931348623157e308, 1);
	ok(mp_loghist_sum(&h) == 0 && mp_loghist_percentile(&h, 1) == 1.7976931348623157e308 &&
		   mp_loghist_percentile(&h, 0) == -1.7976931348623157e308,
	   "the greatest numbers cancel");
	mp_loghist_add(&h, 7, UINT64_MAX);
	ok(h.overflow && h.n == 3 && mp_loghist_log2(&h, 2, false) == 0,
	   "a weight that does not fit is reported");
	mp_loghist_release(&h);
	mp_loghist_add(&h, 7, UINT64_MAX);
	ok(!h.overflow && mp_loghist_mean(&h) == 7 && mp_loghist_percentile(&h, 0.999) == 7,
	   "the greatest weight");
	mp_loghist_release(&h);
	ok(mp_loghist_exponent(1) == 0 && mp_loghist_exponent(-3.9) == 1 &&
		   mp_loghist_exponent(0x1p-1074) == -1074 && mp_loghist_exponent(1e308) == 1023,
	   "exponents");
}

/* Tests the rounding of ranks: 0.07 of 100 numbers is the 7th, 0.999 of 1000 the 999th. */
static void test_ranks(void)
{
	struct mp_loghist h = { .n = 0 };
	bool right = true;
	int i;

	for (i = 1; i <= 100; i++)
		mp_loghist_add(&h, i, 1);
	for (i = 1; i <= 100; i++)
		right &= mp_loghist_percentile(&h, i / 100.0) == i;
	ok(right, "each percentile of 1 to 100");
	ok(mp_loghist_percentile(&h, 0.001) == 1, "nearest rank");
	mp_loghist_release(&h);
}

/* Tests that sizes in pages stay multiples of a page, however large. */
static void test_multiples(void)
{
	struct mp_loghist h = { .n = 0 };
	bool right = true;
	int i;

	for (i = 1; i <= 128; i++)
		mp_loghist_add(&h, 4096.0 * i, 1);
	for (i = 1; i <= 128; i++)
		right &= mp_loghist_percentile(&h, i / 128.0) == 4096.0 * i;
	ok(right, "multiples of 4096 are exact up to 256 of them");
	mp_loghist_release(&h);
}

static void test_bad_texts(void)
{
	static const char *const bad[] = {
		"",
		"1:2:w:",
		"1:2:x:z:3",
		"0:2:w:z:0",
		"1:2:w:z:3", /* 0 is not between 1 and 2 */
		"2:1:w:p0:52:10000000000000:100000000000000000000000000:0*1",
		"1:1:w:p0:52:10000000000000:100000000000000000000000000:",
		"1:1:w:p0:52:10000000000000:100000000000000000000000000:128*1",
		"1:1:w:p0:52:10000000000000:100000000000000000000000000:0*0",
		"1:1:w:p0:52:10000000000000:100000000000000000000000000:0*1,0*1",
		"1:1:w:p1024:52:10000000000000:100000000000000000000000000:0*1",
		"1:1:w:p0:52:20000000000000:100000000000000000000000000:0*1", /* the sum is wrong */
		/* the sum of squares is wrong */
		"1:1:w:p0:52:10000000000000:200000000000000000000000000:0*1",
		"1:1:w:p0:52:1000000000000G:100000000000000000000000000:0*1",
		/* MIN and MAX are 2, but the bucket is that of 1 */
		"2:2:w:p0:52:10000000000000:100000000000000000000000000:0*1",
		"1:1:w:n0:52:10000000000000:100000000000000000000000000:0*1",
		"1:1:w:p0:53:10000000000000:100000000000000000000000000:0*1",
		"1:1:w:p0:x:10000000000000:100000000000000000000000000:0*1",
		/* the sums are not divisible as stated */
		"1:1:w:p0:52:10000000000001:100000000000020000000000001:0*1",
		"1:inf:w:p0:52:10000000000000:100000000000000000000000000:0*1",
	};
	struct mp_loghist h = { .n = 0 };
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(bad); i++)
		ok(mp_loghist_read(&h, mp_str(bad[i])) < 0 && h.n == 0, "'%s' is refused", bad[i]);
	ok(mp_loghist_read(
		   &h, MP_STR("1:1:w:p0:52:10000000000000:100000000000000000000000000:0*1")) == 0 &&
		   h.n == 1 && mp_loghist_sum(&h) == 1,
	   "the good one is 1");
	mp_loghist_release(&h);
}

int main(void)
{
	size_t i;

	mp_init("unit-hist");
	for (i = 0; i < MP_ARRAY_SIZE(kinds); i++) {
		test_kind(kinds[i].name, kinds[i].make);
		test_few(kinds[i].name, kinds[i].make);
	}
	test_whole_numbers();
	test_edges();
	test_ranks();
	test_multiples();
	test_bad_texts();
	return tap_done();
}
