// SPDX-License-Identifier: GPL-2.0-only
#include "lib/fold/lines.h"

#include <stdlib.h>

#include "tests/unit/random.h"
#include "tests/unit/tap.h"

enum { NAMES = 3000, LINES = 60000 };

/* Names that share long beginnings, and are the beginnings of others; each with its sum. */
static struct name {
	struct mp_buf text;
	int64_t sum;
} names[NAMES];

static size_t random_below(size_t n)
{
	return (size_t)(random_number() * (double)n);
}

static void make_names(void)
{
	size_t i, k;

	for (i = 0; i < NAMES; i++) {
		struct mp_buf *old = &names[i ? random_below(i) : 0].text;

		mp_buf_add(&names[i].text, old->p, old->len ? random_below(old->len) + 1 : 0);
		for (k = random_below(30); k; k--)
			mp_buf_byte(&names[i].text, (char)(1 + random_below(i % 2 ? 255 : 2)));
	}
}

static int by_text(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return mp_str_cmp(mp_buf_view(&x->text), mp_buf_view(&y->text));
}

/* Sorts the names and makes those with the same text one. Returns how many are left. */
static size_t merge_names(size_t n)
{
	size_t i, kept = 0;

	qsort(names, n, sizeof(*names), by_text);
	for (i = 1; i < n; i++) {
		if (by_text(&names[kept], &names[i]) == 0)
			mp_buf_release(&names[i].text);
		else
			names[++kept] = names[i];
	}
	return kept + 1;
}

struct expected {
	size_t n, at;
	bool right;
	struct mp_str last;
};

static void compare(void *arg, struct mp_str line, size_t kept, int64_t weight)
{
	struct expected *e = arg;
	const struct name *want = &names[e->at++ % e->n];

	e->right &= mp_str_eq(line, mp_buf_view(&want->text)) && weight == want->sum;
	e->right &= kept <= e->last.len && memcmp(e->last.p, line.p, kept) == 0 &&
		    (kept == e->last.len || kept == line.len || e->last.p[kept] != line.p[kept]);
	e->last = mp_buf_view(&want->text);
}

/* Adds lines in batches of random length; with a small limit they go to files. */
static void test_lines(size_t n, size_t limit, size_t batch)
{
	struct expected e = { .n = n, .right = true, .last = { "", 0 } };
	struct mp_fold_lines l;
	size_t i, k;

	mp_fold_lines_init(&l, limit);
	for (i = 0; i < n; i++)
		names[i].sum = 0;
	for (i = 0; i < LINES; i++) {
		int64_t weight = (int64_t)random_below(1000) - 100;

		k = random_below(n);
		names[k].sum += weight;
		if (i % 2)
			mp_fold_lines_add(&l, mp_buf_view(&names[k].text), weight);
		else
			mp_fold_lines_copy(&l, mp_buf_view(&names[k].text), weight);
		if (batch && random_below(batch) == 0)
			mp_fold_lines_seal(&l);
	}
	qsort(names, n, sizeof(*names), by_text);
	ok(batch || (!l.n_runs && !l.n_files), "runs only of batches");
	ok(limit > 1 << 20 || l.n_files, "a small limit leads to files");
	mp_fold_lines_each(&l, compare, &e);
	ok(e.right && e.at == n, "limit %zu, batches of %zu", limit, batch);
	mp_fold_lines_release(&l);
	mp_fold_lines_release(&l);
}

static void count(void *arg, struct mp_str line, size_t kept, int64_t weight)
{
	struct expected *e = arg;

	(void)line;
	(void)kept;
	e->right &= weight == INT64_MAX;
	e->n++;
}

static void test_overflow(void)
{
	struct expected e = { .right = true };
	struct mp_fold_lines l;
	int i;

	mp_fold_lines_init(&l, 1 << 30);
	for (i = 0; i < 4; i++) {
		mp_fold_lines_add(&l, MP_STR("f;g"), INT64_MAX / 2);
		if (i == 1)
			mp_fold_lines_seal(&l);
	}
	mp_fold_lines_each(&l, count, &e);
	ok(e.n == 1 && e.right && l.overflow, "a sum stays at the limit of 64 bits");
	mp_fold_lines_release(&l);
}

int main(void)
{
	size_t n, i;

	random_state = 7;
	make_names();
	for (i = 0; i < NAMES; i++)
		if (!names[i].text.len)
			mp_buf_byte(&names[i].text, 'x');
	n = merge_names(NAMES);
	test_lines(n, 1 << 30, 0);
	/* one run besides the last one, a few, more than are a power of two, and many */
	for (i = LINES; i > 20; i /= 3)
		test_lines(n, 1 << 30, i);
	/* more files than are merged at once */
	test_lines(n, 1 << 14, 200);
	test_overflow();
	for (i = 0; i < n; i++)
		mp_buf_release(&names[i].text);
	return tap_done();
}
