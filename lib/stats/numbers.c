// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stats/numbers.h"

#include <math.h>
#include <stdlib.h>

#include "lib/stats/internal.h"

enum { LIST_MAX = 128 };

/* Splits |value| into E and M; value is not 0. */
static void split(double value, int *exponent, uint64_t *mantissa)
{
	uint64_t bits, m;
	int e, shift;

	memcpy(&bits, &value, sizeof(bits));
	m = bits & (MANTISSA_ONE - 1);
	e = (int)(bits >> MANTISSA_BITS & 0x7ff);
	if (e) {
		*exponent = e - 1023;
		*mantissa = m | MANTISSA_ONE;
		return;
	}
	shift = __builtin_clzll(m) - (63 - MANTISSA_BITS);
	*exponent = -1022 - shift;
	*mantissa = m << shift;
}

int mp_loghist_exponent(double value)
{
	uint64_t mantissa;
	int exponent;

	split(value, &exponent, &mantissa);
	return exponent;
}

static unsigned bucket_of(uint64_t mantissa)
{
	return mantissa >> SUB_SHIFT & (BUCKETS - 1);
}

/* Adds in place; the usual weight, 1, needs no multiplication of 256 bits. */
static inline void add_square(struct mp_u256 *to, uint64_t mantissa, uint64_t weight)
{
	u128 square = (u128)mantissa * mantissa;
	struct mp_u256 product;
	bool carry;

	if (weight != 1) {
		product = mp_u256_of(square);
		product = mp_u256_times(&product, weight);
		mp_u256_add(to, &product);
		return;
	}
	carry = __builtin_add_overflow(to->v[0], (uint64_t)square, &to->v[0]);
	/* the upper half is below 2^42, so that adding the carry does not overflow */
	square = (square >> 64) + carry;
	carry = __builtin_add_overflow(to->v[1], (uint64_t)square, &to->v[1]);
	to->v[2] += carry; /* stays below 2^42, since the sum of squares is below 2^170 */
}

static inline void add_sums(struct mp_loghist_sums *to, uint64_t mantissa, uint64_t weight)
{
	to->n += weight;
	to->bits |= mantissa;
	to->sum += (u128)mantissa * weight;
	add_square(&to->squares, mantissa, weight);
}

/* --- parts ------------------------------------------------------------------------------------ */

static const struct mp_loghist_part *part_at(const struct mp_loghist *h, int exponent,
					     bool negative)
{
	const struct mp_loghist_side *s = &h->parts->side[negative];
	int i = exponent - s->first;

	return i >= 0 && i < s->n ? s->parts[i] : NULL;
}

/* The part that holds numbers with an exponent, allocated if necessary. */
static struct mp_loghist_part *part_make(struct mp_loghist_side *s, int exponent)
{
	int first = s->n ? MP_MIN(s->first, exponent) : exponent;
	int last = s->n ? MP_MAX(s->first + s->n - 1, exponent) : exponent;
	struct mp_loghist_part **parts;

	if (last - first + 1 != s->n) {
		parts = mp_zalloc((last - first + 1) * sizeof(struct mp_loghist_part *));
		if (s->n)
			memcpy(parts + (s->first - first), s->parts, s->n * sizeof(*parts));
		free(s->parts);
		*s = (struct mp_loghist_side){ parts, first, last - first + 1 };
	}
	if (!s->parts[exponent - first])
		s->parts[exponent - first] = mp_zalloc(sizeof(struct mp_loghist_part));
	return s->parts[exponent - first];
}

static void add_to_bucket(struct mp_loghist_part *part, unsigned bucket, uint64_t weight)
{
	uint64_t **chunk = &part->chunks[bucket / CHUNK];

	if (!*chunk)
		*chunk = mp_zalloc(CHUNK * sizeof(uint64_t));
	(*chunk)[bucket % CHUNK] += weight;
}

static void add_to_parts(struct mp_loghist_parts *p, double value, uint64_t weight)
{
	struct mp_loghist_side *side = &p->side[value < 0];
	struct mp_loghist_part *part;
	uint64_t mantissa;
	int exponent, i;

	if (value == 0) {
		p->zero += weight;
		return;
	}
	split(value, &exponent, &mantissa);
	i = exponent - side->first;
	part = i >= 0 && i < side->n ? side->parts[i] : NULL;
	if (!part)
		part = part_make(side, exponent);
	add_to_bucket(part, bucket_of(mantissa), weight);
	add_sums(&part->sums, mantissa, weight);
}

static void merge_part(struct mp_loghist_part *to, const struct mp_loghist_part *from)
{
	unsigned i, j;

	to->sums.n += from->sums.n;
	to->sums.bits |= from->sums.bits;
	to->sums.sum += from->sums.sum;
	mp_u256_add(&to->sums.squares, &from->sums.squares);
	for (i = 0; i < CHUNKS; i++)
		for (j = 0; from->chunks[i] && j < CHUNK; j++)
			if (from->chunks[i][j])
				add_to_bucket(to, i * CHUNK + j, from->chunks[i][j]);
}

static void release_parts(struct mp_loghist_parts *p)
{
	size_t k, j;
	int i;

	for (k = 0; k < MP_ARRAY_SIZE(p->side); k++) {
		for (i = 0; i < p->side[k].n; i++) {
			for (j = 0; p->side[k].parts[i] && j < CHUNKS; j++)
				free(p->side[k].parts[i]->chunks[j]);
			free(p->side[k].parts[i]);
		}
		free(p->side[k].parts);
	}
	free(p);
}

/* --- a list ----------------------------------------------------------------------------------- */

static uint32_t *list_counts(const struct mp_loghist *h)
{
	return (uint32_t *)(h->list + h->room);
}

/* A list, or the only number as a list. */
struct few {
	const double *v;
	size_t n;
	const uint32_t *counts; /* NULL: that of the only number is h->n */
};

static struct few few_of(const struct mp_loghist *h)
{
	if (h->listed)
		return (struct few){ h->list, h->listed, list_counts(h) };
	return (struct few){ &h->min, h->n > 0, NULL };
}

static uint64_t count_of(const struct mp_loghist *h, const struct few *f, size_t i)
{
	return f->counts ? f->counts[i] : h->n;
}

/* The index of the first number that is not below `v`. */
static size_t lower_bound(const struct few *f, double v)
{
	size_t low = 0, high = f->n, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (f->v[middle] < v)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void grow_list(struct mp_loghist *h)
{
	struct mp_loghist from = *h;

	h->room = h->room ? h->room * 2 : 2;
	h->list = mp_alloc(h->room * (sizeof(double) + sizeof(uint32_t)));
	if (from.listed) {
		memcpy(h->list, from.list, from.listed * sizeof(double));
		memcpy(list_counts(h), list_counts(&from), from.listed * sizeof(uint32_t));
	}
	free(from.list);
}

/* Returns false if the list has no room for the number or for its count. */
static bool add_to_list(struct mp_loghist *h, double value, uint64_t weight)
{
	struct few f = { h->list, h->listed, NULL };
	size_t i = lower_bound(&f, value), after = h->listed - i;
	uint32_t *counts = h->listed ? list_counts(h) : NULL;

	if (after && h->list[i] == value) {
		if (weight > UINT32_MAX - counts[i])
			return false;
		counts[i] += (uint32_t)weight;
		return true;
	}
	if (weight > UINT32_MAX || h->listed == LIST_MAX)
		return false;
	if (h->listed == h->room)
		grow_list(h);
	counts = list_counts(h);
	memmove(h->list + i + 1, h->list + i, after * sizeof(*h->list));
	memmove(counts + i + 1, counts + i, after * sizeof(*counts));
	h->list[i] = value;
	counts[i] = (uint32_t)weight;
	h->listed++;
	return true;
}

/* The only number becomes a list of one. */
static bool begin_list(struct mp_loghist *h)
{
	return h->listed || h->n == 0 || add_to_list(h, h->min, h->n);
}

/* Moves the numbers to buckets. */
static void expand(struct mp_loghist *h)
{
	struct mp_loghist_parts *parts = mp_zalloc(sizeof(*parts));
	struct few f = few_of(h);
	size_t i;

	for (i = 0; i < f.n; i++)
		add_to_parts(parts, f.v[i], count_of(h, &f, i));
	if (h->room)
		free(h->list);
	h->listed = h->room = 0;
	h->parts = parts;
	h->full = true;
}

/* --- both ------------------------------------------------------------------------------------- */

void mp_loghist_release(struct mp_loghist *h)
{
	if (h->full)
		release_parts(h->parts);
	else
		free(h->list);
	*h = (struct mp_loghist){ .n = 0 };
}

/* Returns false if the count would exceed 64 bits. */
static bool has_room(struct mp_loghist *h, uint64_t n)
{
	h->overflow |= h->n + n < n;
	return h->n + n >= n;
}

static void extend(struct mp_loghist *h, uint64_t n, double min, double max, bool fraction)
{
	h->min = h->n ? MP_MIN(h->min, min) : min;
	h->max = h->n ? MP_MAX(h->max, max) : max;
	h->n += n;
	h->fraction |= fraction;
}

/* Returns false if a list cannot hold the number. */
static bool put_few(struct mp_loghist *h, double value, uint64_t weight, bool alone)
{
	if (alone && !h->listed && (h->n == 0 || h->min == value))
		return true;
	return begin_list(h) && add_to_list(h, value, weight);
}

void mp_loghist_put(struct mp_loghist *h, double value, uint64_t weight, double min, double max,
		    bool fraction)
{
	if (!has_room(h, weight))
		return;
	if (!h->full && !put_few(h, value, weight, min == max))
		expand(h);
	if (h->full)
		add_to_parts(h->parts, value, weight);
	extend(h, weight, min, max, fraction);
}

static bool is_integer(int exponent, uint64_t mantissa)
{
	return exponent >= MANTISSA_BITS ||
	       (exponent >= 0 && !(mantissa << exponent & (MANTISSA_ONE - 1)));
}

void mp_loghist_add(struct mp_loghist *h, double value, uint64_t weight)
{
	uint64_t mantissa;
	int exponent = 0;

	value += 0; /* -0 becomes 0 */
	if (weight == 0)
		return;
	if (value != 0)
		split(value, &exponent, &mantissa);
	mp_loghist_put(h, value, weight, value, value,
		       value != 0 && !is_integer(exponent, mantissa));
}

static void put_list(struct mp_loghist *h, const struct mp_loghist *from)
{
	struct few f = few_of(from);
	size_t i = 0;

	if (!h->full && begin_list(h))
		while (i < f.n && add_to_list(h, f.v[i], count_of(from, &f, i)))
			i++;
	if (i < f.n && !h->full)
		expand(h);
	for (; i < f.n; i++)
		add_to_parts(h->parts, f.v[i], count_of(from, &f, i));
}

static void put_parts(struct mp_loghist *h, const struct mp_loghist_parts *from)
{
	size_t k;
	int i;

	if (!h->full)
		expand(h);
	h->parts->zero += from->zero;
	for (k = 0; k < MP_ARRAY_SIZE(from->side); k++) {
		const struct mp_loghist_side *s = &from->side[k];

		for (i = 0; i < s->n; i++)
			if (s->parts[i])
				merge_part(part_make(&h->parts->side[k], s->first + i),
					   s->parts[i]);
	}
}

void mp_loghist_merge(struct mp_loghist *to, const struct mp_loghist *from)
{
	to->overflow |= from->overflow;
	if (from->n == 0)
		return;
	if (!from->full && !from->listed) {
		mp_loghist_put(to, from->min, from->n, from->min, from->max, from->fraction);
		return;
	}
	if (!has_room(to, from->n))
		return;
	if (from->full)
		put_parts(to, from->parts);
	else
		put_list(to, from);
	extend(to, from->n, from->min, from->max, from->fraction);
}

/* The index of the first listed number with this sign and exponent, or of a later number. */
static size_t first_of(const struct few *f, int exponent, bool negative)
{
	size_t i = lower_bound(f, negative ? -ldexp(1, exponent + 1) : ldexp(1, exponent));

	return negative && i < f->n && f->v[i] == -ldexp(1, exponent + 1) ? i + 1 : i;
}

/* Whether a listed number that is not before the first one has this sign and exponent. */
static bool is_of(const struct few *f, size_t i, int exponent, bool negative, uint64_t *mantissa)
{
	int e;

	if (i >= f->n || f->v[i] == 0 || (f->v[i] < 0) != negative)
		return false;
	split(f->v[i], &e, mantissa);
	return e == exponent;
}

bool mp_loghist_next(const struct mp_loghist *h, bool negative, int from, int *exponent)
{
	const struct mp_loghist_side *s = h->full ? &h->parts->side[negative] : NULL;
	struct few f;
	size_t i;
	int e;

	if (s) {
		for (e = MP_MAX(from, s->first); e < s->first + s->n && !s->parts[e - s->first];)
			e++;
		*exponent = e;
		return e < s->first + s->n;
	}
	if (from > EXPONENT_MAX)
		return false;
	from = MP_MAX(from, EXPONENT_MIN);
	f = few_of(h);
	i = lower_bound(&f, negative ? -ldexp(1, from) : ldexp(1, from));
	/* of negative numbers, it is the last one that is not above the bound */
	if (negative && !(i < f.n && f.v[i] == -ldexp(1, from)) && i-- == 0)
		return false;
	if (i >= f.n)
		return false;
	*exponent = mp_loghist_exponent(f.v[i]);
	return true;
}

void mp_loghist_sums(const struct mp_loghist *h, int exponent, bool negative,
		     struct mp_loghist_sums *sums)
{
	const struct mp_loghist_part *part = h->full ? part_at(h, exponent, negative) : NULL;
	struct few f;
	uint64_t m;
	size_t i;

	*sums = part ? part->sums : (struct mp_loghist_sums){ .n = 0 };
	if (h->full)
		return;
	f = few_of(h);
	for (i = first_of(&f, exponent, negative); is_of(&f, i, exponent, negative, &m); i++)
		add_sums(sums, m, count_of(h, &f, i));
}

uint64_t mp_loghist_log2(const struct mp_loghist *h, int exponent, bool negative)
{
	struct mp_loghist_sums sums;

	mp_loghist_sums(h, exponent, negative, &sums);
	return sums.n;
}

void mp_loghist_counts(const struct mp_loghist *h, int exponent, bool negative, uint64_t *counts)
{
	const struct mp_loghist_part *part = h->full ? part_at(h, exponent, negative) : NULL;
	struct few f;
	uint64_t m;
	size_t i;

	memset(counts, 0, BUCKETS * sizeof(*counts));
	for (i = 0; part && i < CHUNKS; i++)
		if (part->chunks[i])
			memcpy(counts + i * CHUNK, part->chunks[i], CHUNK * sizeof(*counts));
	if (h->full)
		return;
	f = few_of(h);
	for (i = first_of(&f, exponent, negative); is_of(&f, i, exponent, negative, &m); i++)
		counts[bucket_of(m)] += count_of(h, &f, i);
}

bool mp_loghist_span(const struct mp_loghist *h, bool negative, int *low, int *high)
{
	const struct mp_loghist_side *s = h->full ? &h->parts->side[negative] : NULL;
	struct few f;
	size_t i;

	if (s) {
		*low = s->first;
		*high = s->first + s->n - 1;
		return s->n > 0;
	}
	f = few_of(h);
	i = lower_bound(&f, 0);
	if (!negative && i < f.n && f.v[i] == 0)
		i++;
	if (negative ? i == 0 : i == f.n)
		return false;
	*low = mp_loghist_exponent(f.v[negative ? i - 1 : i]);
	*high = mp_loghist_exponent(f.v[negative ? 0 : f.n - 1]);
	return true;
}

uint64_t mp_loghist_zeros(const struct mp_loghist *h)
{
	struct few f;
	size_t i;

	if (h->full)
		return h->parts->zero;
	f = few_of(h);
	i = lower_bound(&f, 0);
	return i < f.n && f.v[i] == 0 ? count_of(h, &f, i) : 0;
}
