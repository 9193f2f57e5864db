// SPDX-License-Identifier: GPL-2.0-only
#include "lib/fold/lines.h"

#include <endian.h>
#include <stdlib.h>

#include "lib/fold/merge.h"

enum {
	BATCH_MIN = 4 << 20, /* bytes; sorted within the caches of a CPU */
	BATCH_SHARE = 16,    /* a batch is at most this part of the lines held */
	FILES_MAX = 64,	     /* files merged at once */
	WORTH_MIN = 2 * BATCH_MIN,
	FEW = 16,  /* lines sorted by insertion */
	AHEAD = 8, /* how many lines ahead of the current one are prefetched */
};

struct mp_fold_line {
	uint64_t word; /* the eight bytes that are being compared */
	const char *p;
	size_t len;
	int64_t weight;
};

void mp_fold_lines_init(struct mp_fold_lines *l, size_t limit)
{
	*l = (struct mp_fold_lines){ .limit = limit,
				     .worth = WORTH_MIN,
				     .seed = mp_hash_seed() | 1 };
}

static void release_runs(struct mp_fold_run **runs, size_t *n)
{
	while (*n)
		mp_fold_run_free(runs[--*n]);
}

void mp_fold_lines_release(struct mp_fold_lines *l)
{
	release_runs(l->runs, &l->n_runs);
	release_runs(l->files, &l->n_files);
	free(l->runs);
	free(l->files);
	free(l->batch);
	mp_arena_release(&l->text);
	mp_fold_lines_init(l, l->limit);
}

/* Eight bytes of a line as a number that compares like them; NULs follow its end. */
static uint64_t word_at(const struct mp_fold_line *line, size_t at)
{
	size_t left = line->len - at;
	uint64_t word = 0;

	memcpy(&word, line->p + at, MP_MIN(left, sizeof(word)));
	return be64toh(word);
}

void mp_fold_lines_add(struct mp_fold_lines *l, struct mp_str line, int64_t weight)
{
	struct mp_fold_line *new;

	l->batch = mp_grow(l->batch, &l->cap, l->n + 1, sizeof(*l->batch));
	new = &l->batch[l->n++];
	*new = (struct mp_fold_line){ 0, line.p, line.len, weight };
	new->word = word_at(new, 0);
	l->total += (double)weight;
}

void mp_fold_lines_copy(struct mp_fold_lines *l, struct mp_str line, int64_t weight)
{
	mp_fold_lines_add(l, mp_arena_str(&l->text, line), weight);
}

bool mp_fold_lines_is_full(const struct mp_fold_lines *l, size_t more)
{
	size_t size = MP_MAX(l->held / BATCH_SHARE, (size_t)BATCH_MIN);

	return l->text.total + l->n * sizeof(*l->batch) + more > MP_MIN(size, l->limit / 4);
}

static struct mp_str text_of(const struct mp_fold_line *line)
{
	return (struct mp_str){ line->p, line->len };
}

static void load_words(struct mp_fold_line *v, size_t n, size_t at)
{
	size_t i;

	for (i = 0; i < n; i++)
		v[i].word = word_at(&v[i], at);
}

static void swap(struct mp_fold_line *a, struct mp_fold_line *b)
{
	struct mp_fold_line old = *a;

	*a = *b;
	*b = old;
}

static bool comes_before(const struct mp_fold_line *a, const struct mp_fold_line *b, size_t at)
{
	if (a->word != b->word)
		return a->word < b->word;
	return mp_str_cmp(mp_str_skip(text_of(a), at), mp_str_skip(text_of(b), at)) < 0;
}

static void sort_few(struct mp_fold_line *v, size_t n, size_t at)
{
	size_t i, j;

	for (i = 1; i < n; i++) {
		struct mp_fold_line line = v[i];

		for (j = i; j > 0 && comes_before(&line, &v[j - 1], at); j--)
			v[j] = v[j - 1];
		v[j] = line;
	}
}

/* The median of three words; nobody can foresee which. */
static uint64_t choose_pivot(struct mp_fold_lines *l, const struct mp_fold_line *v, size_t n)
{
	uint64_t w[3];
	size_t i;

	for (i = 0; i < 3; i++) {
		l->seed = l->seed * 6364136223846793005 + 1442695040888963407;
		w[i] = v[(l->seed >> 32) % n].word;
	}
	return MP_MAX(MP_MIN(w[0], w[1]), MP_MIN(MP_MAX(w[0], w[1]), w[2]));
}

/*
 * Sorts lines that have the same first `at` bytes, and whose next ones are loaded: a quicksort of
 * words, then of the next words of those that are equal.
 */
static void sort_lines(struct mp_fold_lines *l, struct mp_fold_line *v, size_t n, size_t at)
{
	while (n >= FEW) {
		uint64_t pivot = choose_pivot(l, v, n);
		size_t low = 0, i = 0, high = n;

		while (i < high) {
			if (v[i].word < pivot)
				swap(&v[low++], &v[i++]);
			else if (v[i].word > pivot)
				swap(&v[i], &v[--high]);
			else
				i++;
		}
		sort_lines(l, v, low, at);
		sort_lines(l, v + high, n - high, at);
		if ((pivot & 0xff) == 0)
			return; /* the lines end here: they are equal */
		v += low;
		n = high - low;
		at += sizeof(pivot);
		load_words(v, n, at);
	}
	sort_few(v, n, at);
}

static void prefetch(const struct mp_fold_lines *l, size_t i)
{
	size_t at;

	for (at = 0; i < l->n && at < MP_MIN(l->batch[i].len, (size_t)512); at += 64)
		__builtin_prefetch(l->batch[i].p + at);
}

static void put_batch(struct mp_fold_lines *l, mp_fold_line_fn *put, void *arg)
{
	struct mp_str last = { "", 0 }, line;
	int64_t weight;
	size_t kept, i;

	sort_lines(l, l->batch, l->n, 0);
	for (i = 0; i < l->n; last = line) {
		prefetch(l, i + AHEAD);
		line = text_of(&l->batch[i]);
		weight = l->batch[i++].weight;
		kept = mp_fold_shared(last, line);
		while (i < l->n && mp_str_eq(line, text_of(&l->batch[i])))
			mp_fold_sum(&weight, l->batch[i++].weight, &l->overflow);
		put(arg, line, kept, weight);
	}
	l->n = 0;
	mp_arena_release(&l->text);
}

/* The line of a merge that waits for equal ones of other runs. */
struct waiting {
	struct mp_buf line;
	size_t kept;
	int64_t weight;
	bool any;
};

/* Merges runs and frees them. */
static void merge(struct mp_fold_lines *l, struct mp_fold_run **runs, size_t *n_runs,
		  mp_fold_line_fn *put, void *arg)
{
	struct waiting w = { .any = false };
	struct mp_fold_merge m;
	struct mp_fold_run *run;
	size_t kept;

	mp_fold_merge_init(&m, runs, *n_runs);
	for (; (run = mp_fold_merge_line(&m, &kept)); mp_fold_merge_next(&m)) {
		if (w.any && kept == run->line.len && kept == w.line.len) {
			mp_fold_sum(&w.weight, run->weight, &l->overflow);
			continue;
		}
		if (w.any)
			put(arg, mp_buf_view(&w.line), w.kept, w.weight);
		w.line.len = w.kept = kept;
		mp_buf_str(&w.line, mp_str_skip(mp_buf_view(&run->line), kept));
		w.weight = run->weight;
		w.any = true;
	}
	mp_fold_merge_release(&m);
	if (w.any)
		put(arg, mp_buf_view(&w.line), w.kept, w.weight);
	mp_buf_release(&w.line);
	*n_runs = 0;
}

static void put_in_run(void *arg, struct mp_str line, size_t kept, int64_t weight)
{
	mp_fold_run_add(arg, line, kept, weight);
}

static void hold_run(struct mp_fold_lines *l, struct mp_fold_run *run)
{
	mp_fold_run_rewind(run);
	if (run->filed) {
		l->files = mp_grow(l->files, &l->cap_files, l->n_files + 1, sizeof(*l->files));
		l->files[l->n_files++] = run;
		return;
	}
	l->runs = mp_grow(l->runs, &l->cap_runs, l->n_runs + 1, sizeof(*l->runs));
	l->runs[l->n_runs++] = run;
	l->held += run->bytes;
}

/*
 * Merges the runs in memory into one, which has each line once, and shares more of each with the
 * line before. The next time will be soon only if this has saved memory.
 */
static void merge_held(struct mp_fold_lines *l)
{
	struct mp_fold_run *run = mp_fold_run_new(false);
	size_t former = l->held;

	merge(l, l->runs, &l->n_runs, put_in_run, run);
	l->held = 0;
	hold_run(l, run);
	l->worth = l->held < former / 10 * 8 ? l->held / 2 * 3 : 3 * l->held;
	l->worth = MP_MAX(l->worth, (size_t)WORTH_MIN);
}

/* Moves the runs in memory to a file, which are at most FILES_MAX. */
static void spill(struct mp_fold_lines *l)
{
	struct mp_fold_run *run = mp_fold_run_new(true);

	merge(l, l->runs, &l->n_runs, put_in_run, run);
	l->held = 0;
	hold_run(l, run);
	if (l->n_files < FILES_MAX)
		return;
	run = mp_fold_run_new(true);
	merge(l, l->files, &l->n_files, put_in_run, run);
	hold_run(l, run);
}

static void end_batch(struct mp_fold_lines *l)
{
	struct mp_fold_run *run = mp_fold_run_new(false);

	put_batch(l, put_in_run, run);
	hold_run(l, run);
}

void mp_fold_lines_seal(struct mp_fold_lines *l)
{
	end_batch(l);
	if (l->n_runs > 1 && l->held > MP_MIN(l->worth, l->limit / 2))
		merge_held(l);
	if (l->held > l->limit / 2)
		spill(l);
}

void mp_fold_lines_each(struct mp_fold_lines *l, mp_fold_line_fn *put, void *arg)
{
	if (l->n_runs + l->n_files == 0) {
		put_batch(l, put, arg);
	} else {
		end_batch(l);
		l->runs = mp_grow(l->runs, &l->cap_runs, l->n_runs + l->n_files, sizeof(*l->runs));
		if (l->n_files)
			memcpy(l->runs + l->n_runs, l->files, l->n_files * sizeof(*l->files));
		l->n_runs += l->n_files;
		l->n_files = 0;
		merge(l, l->runs, &l->n_runs, put, arg);
	}
	l->held = 0;
	l->total = 0;
	l->worth = WORTH_MIN;
}
