// SPDX-License-Identifier: GPL-2.0-only
/* Histograms as text: mp_loghist_write() and mp_loghist_read(). */
#include "lib/stats/loghist.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/stats/internal.h"

static void put_hex(struct mp_buf *to, const struct mp_u256 *v)
{
	int i = 3;

	while (i > 0 && v->v[i] == 0)
		i--;
	mp_buf_printf(to, "%llx", (unsigned long long)v->v[i]);
	while (i-- > 0)
		mp_buf_printf(to, "%016llx", (unsigned long long)v->v[i]);
}

static void put_head(struct mp_buf *to, const struct mp_loghist *h)
{
	char min[MP_LOGHIST_SUM_MAX], max[MP_LOGHIST_SUM_MAX];

	mp_loghist_put_number(min, h->min);
	mp_loghist_put_number(max, h->max);
	mp_buf_printf(to, "%s:%s:%c:", min, max, h->fraction ? 'f' : 'w');
}

static void put_part(struct mp_buf *to, const struct mp_loghist *h, int exponent, bool negative)
{
	struct mp_loghist_sums sums;
	struct mp_u256 sum;
	uint64_t counts[BUCKETS];
	const char *before = "";
	unsigned i;

	mp_loghist_sums(h, exponent, negative, &sums);
	mp_loghist_counts(h, exponent, negative, counts);
	sum = mp_u256_of(sums.sum);
	mp_buf_printf(to, "%c%d:%d:", negative ? 'n' : 'p', exponent, __builtin_ctzll(sums.bits));
	put_hex(to, &sum);
	mp_buf_byte(to, ':');
	put_hex(to, &sums.squares);
	mp_buf_byte(to, ':');
	for (i = 0; i < BUCKETS; i++) {
		if (counts[i] == 0)
			continue;
		mp_buf_printf(to, "%s%u*%llu", before, i, (unsigned long long)counts[i]);
		before = ",";
	}
}

/* The cursor runs over negative parts from the greatest exponent, zeros, positive parts. */
bool mp_loghist_write(const struct mp_loghist *h, int *cursor, struct mp_buf *to)
{
	int first, last, low, high, below, above;

	below = mp_loghist_span(h, true, &first, &last) ? last - first + 1 : 0;
	above = mp_loghist_span(h, false, &low, &high) ? high - low + 1 : 0;
	while (*cursor < below + 1 + above) {
		int i = (*cursor)++;
		bool negative = i < below;
		int exponent = negative ? last - i : low + i - below - 1;

		if (i == below && mp_loghist_zeros(h)) {
			put_head(to, h);
			mp_buf_printf(to, "z:%llu", (unsigned long long)mp_loghist_zeros(h));
			return true;
		}
		if (i != below && mp_loghist_log2(h, exponent, negative)) {
			put_head(to, h);
			put_part(to, h, exponent, negative);
			return true;
		}
	}
	return false;
}

/* Splits the text before a byte off `*rest`; false if the byte does not occur. */
static bool next_piece(struct mp_str *rest, char at, struct mp_str *piece)
{
	const char *p = memchr(rest->p, at, rest->len);

	if (!p)
		return false;
	*piece = (struct mp_str){ rest->p, p - rest->p };
	rest->len -= piece->len + 1;
	rest->p = p + 1;
	return true;
}

static int get_hex(struct mp_str text, struct mp_u256 *v)
{
	size_t i;

	*v = mp_u256_of(0);
	if (text.len == 0 || text.len > 64)
		return -1;
	for (i = 0; i < text.len; i++) {
		unsigned char c = text.p[i];
		unsigned digit = (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
		unsigned place = 4 * (text.len - 1 - i);

		if (digit > 15 || (digit > 9 && c < 'a'))
			return -1;
		v->v[place / 64] |= (uint64_t)digit << place % 64;
	}
	return 0;
}

/* A text that was read, but not yet added to the histogram. */
struct reading {
	double min, max;
	bool fraction;
	char sign; /* z p n */
	int exponent;
	uint64_t zeros; /* number of low bits that are 0 in all M */
	u128 sum;
	struct mp_u256 squares;
	uint64_t n;
	uint64_t counts[BUCKETS];
	int first, last; /* the first and the last bucket in use */
};

static int read_counts(struct reading *r, struct mp_str rest)
{
	struct mp_str bucket, count;
	uint64_t b, n;

	r->first = -1;
	for (r->last = -1; rest.p; r->last = (int)b) {
		if (!next_piece(&rest, ',', &count)) {
			count = rest;
			rest.p = NULL;
		}
		if (!next_piece(&count, '*', &bucket) || mp_num_u64(bucket, &b) < 0 ||
		    b >= BUCKETS || mp_num_u64(count, &n) < 0 || n == 0 || (int64_t)b <= r->last ||
		    __builtin_add_overflow(r->n, n, &r->n))
			return -1;
		r->counts[b] = n;
		r->first = r->first < 0 ? (int)b : r->first;
	}
	return 0;
}

/* Whether the sums are between those of the lower and of the upper edges of the buckets. */
static bool sums_fit(const struct reading *r)
{
	struct mp_u256 low = mp_u256_of(0), high = low, low_squares = low, high_squares = low;
	struct mp_u256 sum = mp_u256_of(r->sum);
	int i;

	for (i = r->first; i <= r->last; i++) {
		u128 edges[2] = { MANTISSA_ONE + ((uint64_t)i << SUB_SHIFT),
				  MANTISSA_ONE + ((uint64_t)(i + 1) << SUB_SHIFT) - 1 };
		struct mp_u256 v[4] = { mp_u256_of(edges[0]), mp_u256_of(edges[1]),
					mp_u256_square(edges[0]), mp_u256_square(edges[1]) };
		struct mp_u256 *to[4] = { &low, &high, &low_squares, &high_squares };
		int j;

		for (j = 0; j < 4; j++) {
			v[j] = mp_u256_times(&v[j], r->counts[i]);
			mp_u256_add(to[j], &v[j]);
		}
	}
	return !mp_u256_less(&sum, &low) && !mp_u256_less(&high, &sum) &&
	       !mp_u256_less(&r->squares, &low_squares) &&
	       !mp_u256_less(&high_squares, &r->squares);
}

/* Whether the least and the greatest number are possible. */
static bool range_fits(const struct reading *r)
{
	double first_end = ldexp(1 + (double)(r->first + 1) / BUCKETS, r->exponent);
	double last = ldexp(1 + (double)r->last / BUCKETS, r->exponent);

	if (r->sign == 'p')
		return r->min <= first_end && r->max >= last;
	return r->max >= -first_end && r->min <= -last;
}

static int read_part(struct reading *r, struct mp_str rest)
{
	struct mp_str exponent, zeros, sum, squares;
	struct mp_u256 wide;
	int64_t e;

	if (!next_piece(&rest, ':', &exponent) || !next_piece(&rest, ':', &zeros) ||
	    !next_piece(&rest, ':', &sum) || !next_piece(&rest, ':', &squares))
		return -1;
	if (mp_num_i64(exponent, &e) < 0 || e < EXPONENT_MIN || e > EXPONENT_MAX)
		return -1;
	r->exponent = (int)e;
	if (mp_num_u64(zeros, &r->zeros) < 0 || r->zeros > MANTISSA_BITS)
		return -1;
	if (get_hex(sum, &wide) < 0 || wide.v[2] || wide.v[3] || get_hex(squares, &r->squares) < 0)
		return -1;
	r->sum = (u128)wide.v[1] << 64 | wide.v[0];
	if (r->sum & ((1ull << r->zeros) - 1) || read_counts(r, rest) < 0 || !sums_fit(r) ||
	    !range_fits(r))
		return -1;
	return 0;
}

static int read_text(struct reading *r, struct mp_str rest)
{
	struct mp_str min, max, whole;

	if (!next_piece(&rest, ':', &min) || !next_piece(&rest, ':', &max) ||
	    !next_piece(&rest, ':', &whole))
		return -1;
	if (mp_num_decimal(min, &r->min) < 0 || mp_num_decimal(max, &r->max) < 0 || r->min > r->max)
		return -1;
	if (whole.len != 1 || (*whole.p != 'w' && *whole.p != 'f') || rest.len < 2)
		return -1;
	r->fraction = *whole.p == 'f';
	r->sign = *rest.p++;
	rest.len--;
	if (r->sign == 'p' || r->sign == 'n')
		return read_part(r, rest);
	if (r->sign != 'z' || *rest.p != ':' || r->min > 0 || r->max < 0)
		return -1;
	if (mp_num_u64((struct mp_str){ rest.p + 1, rest.len - 1 }, &r->n) < 0 || r->n == 0)
		return -1;
	return 0;
}

/*
 * Whether all numbers of a part are equal, and which M they have: then the sum of squared
 * deviations, squares - sum * sum / n, is 0.
 */
static bool all_equal(const struct reading *r, uint64_t *mantissa)
{
	struct mp_u256 all = mp_u256_times(&r->squares, r->n), square = mp_u256_square(r->sum);

	*mantissa = (uint64_t)(r->sum / r->n);
	return r->first == r->last && r->sum % r->n == 0 && !mp_u256_less(&all, &square) &&
	       !mp_u256_less(&square, &all);
}

/* Adds a part of which only the counts and the sums are known. */
static void merge_part(struct mp_loghist *h, const struct reading *r)
{
	struct mp_loghist_part part = { .sums = { r->n, r->sum, r->squares, 1ull << r->zeros } },
			       *one = &part;
	struct mp_loghist_parts parts = { .zero = 0 };
	struct mp_loghist from = { .n = r->n,
				   .min = r->min,
				   .max = r->max,
				   .parts = &parts,
				   .full = true,
				   .fraction = r->fraction };
	uint64_t counts[BUCKETS];
	int i;

	memcpy(counts, r->counts, sizeof(counts));
	for (i = 0; i < CHUNKS; i++)
		part.chunks[i] = counts + i * CHUNK;
	parts.side[r->sign == 'n'] = (struct mp_loghist_side){ &one, r->exponent, 1 };
	mp_loghist_merge(h, &from);
}

int mp_loghist_read(struct mp_loghist *h, struct mp_str text)
{
	struct reading r = { .n = 0 };
	uint64_t mantissa = 0;
	double value;

	if (read_text(&r, text) < 0)
		return -1;
	if (r.sign != 'z' && !all_equal(&r, &mantissa)) {
		merge_part(h, &r);
		return 0;
	}
	value = ldexp((double)mantissa, r.exponent - MANTISSA_BITS);
	mp_loghist_put(h, r.sign == 'n' ? -value : value, r.n, r.min, r.max, r.fraction);
	return 0;
}
