// SPDX-License-Identifier: GPL-2.0-only
#include "lib/order/order.h"

#include <stdlib.h>

/* Memory of a waiting line besides its text: arrays grow by doubling, and sorting needs a copy. */
enum { LINE_COST = 3 * sizeof(struct mp_pending) };

enum { AHEAD = 8 }; /* how many lines ahead of the current one are prefetched */

void mp_order_init(struct mp_order *o, size_t n_sources, size_t limit, mp_order_emit_fn *emit,
		   void *arg)
{
	*o = (struct mp_order){ .n_sources = n_sources,
				.cap_sources = n_sources,
				.limit = limit,
				.emit = emit,
				.arg = arg };
	o->sources = mp_zalloc(n_sources * sizeof(*o->sources));
	mp_store_init(&o->store);
}

void mp_order_release(struct mp_order *o)
{
	size_t i;

	for (i = 0; i < o->n_sources; i++)
		free(o->sources[i].lines);
	for (i = 0; i < o->n_runs; i++)
		mp_run_free(o->runs[i]);
	free(o->sources);
	free(o->scratch);
	mp_store_release(&o->store);
}

size_t mp_order_more(struct mp_order *o)
{
	o->sources = mp_grow(o->sources, &o->cap_sources, o->n_sources + 1, sizeof(*o->sources));
	o->sources[o->n_sources] = (struct mp_order_source){ .lines = NULL };
	return o->n_sources++;
}

size_t mp_order_bytes(const struct mp_order *o)
{
	return o->store.bytes + o->waiting * LINE_COST;
}

bool mp_order_add(struct mp_order *o, size_t source, uint64_t time_ns, uint32_t block,
		  size_t offset, size_t len)
{
	struct mp_order_source *s = &o->sources[source];
	struct mp_str text = { mp_store_data(&o->store, block) + offset, len };

	if (time_ns < o->released_ns) {
		o->emit(o->arg, source, time_ns, text);
		return false;
	}
	s->lines = mp_grow(s->lines, &s->cap, s->n + 1, sizeof(*s->lines));
	if (s->n > s->first && time_ns < s->lines[s->n - 1].time_ns)
		s->unsorted = true;
	s->lines[s->n++] =
		(struct mp_pending){ time_ns,
				     o->packing ? mp_store_pack(&o->store, text)
						: mp_store_hold(&o->store, block, offset, len) };
	o->waiting++;
	return true;
}

/* For a few lines: insertion sort, which is stable. */
static void sort_few(struct mp_pending *v, size_t n)
{
	size_t i, j;

	for (i = 1; i < n; i++) {
		struct mp_pending line = v[i];

		for (j = i; j > 0 && v[j - 1].time_ns > line.time_ns; j--)
			v[j] = v[j - 1];
		v[j] = line;
	}
}

enum { DIGIT = 11, DIGITS = 1 << DIGIT };

/*
 * One pass of a stable radix sort, least significant digit first; false if all have the same digit.
 */
static bool sort_pass(const struct mp_pending *from, struct mp_pending *to, size_t n, uint64_t base,
		      int shift)
{
	size_t count[DIGITS] = { 0 }, sum = 0, i;

	for (i = 0; i < n; i++)
		count[(from[i].time_ns - base) >> shift & (DIGITS - 1)]++;
	if (count[(from[0].time_ns - base) >> shift & (DIGITS - 1)] == n)
		return false;
	for (i = 0; i < DIGITS; i++) {
		size_t here = count[i];

		count[i] = sum;
		sum += here;
	}
	for (i = 0; i < n; i++)
		to[count[(from[i].time_ns - base) >> shift & (DIGITS - 1)]++] = from[i];
	return true;
}

static void sort_lines(struct mp_order *o, struct mp_order_source *s)
{
	struct mp_pending *v = s->lines + s->first, *other, *at = v;
	size_t n = s->n - s->first, i;
	uint64_t low = UINT64_MAX, high = 0;
	int shift;

	s->unsorted = false;
	if (n < 64) {
		sort_few(v, n);
		return;
	}
	for (i = 0; i < n; i++) {
		low = MP_MIN(low, v[i].time_ns);
		high = MP_MAX(high, v[i].time_ns);
	}
	o->scratch = mp_grow(o->scratch, &o->cap_scratch, n, sizeof(*o->scratch));
	other = o->scratch;
	for (shift = 0; shift < 64 && (high - low) >> shift; shift += DIGIT) {
		if (!sort_pass(at, other, n, low, shift))
			continue;
		at = other;
		other = at == v ? o->scratch : v;
	}
	if (at != v)
		memcpy(v, at, n * sizeof(*v));
}

/* A sorted input of the merge: the lines of a source in memory, or a run. */
struct head {
	uint64_t time_ns;
	size_t source;
	/* order at equal times: runs, which are older, precede lines in memory */
	size_t rank;
	struct mp_run *run; /* the run; NULL: the lines of the source in memory */
};

static bool before(const struct head *a, const struct head *b)
{
	if (a->time_ns != b->time_ns)
		return a->time_ns < b->time_ns;
	if (a->source != b->source)
		return a->source < b->source;
	return a->rank < b->rank;
}

static void sift_down(struct head *heap, size_t n, size_t i)
{
	struct head moved = heap[i];

	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= n)
			break;
		if (child + 1 < n && before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &moved))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = moved;
}

/* Where the merged lines go: to the output, or to a run. */
struct target {
	struct mp_order *order;
	struct mp_run *run;
};

static void put(const struct target *t, size_t source, uint64_t time_ns, struct mp_str line)
{
	if (t->run)
		mp_run_add(t->run, time_ns, source, line);
	else
		t->order->emit(t->order->arg, source, time_ns, line);
}

/*
 * Writes the lines in memory that are before `bound_ns` and not later than `next`; adjacent lines
 * of a block are written together.
 */
static void put_lines(const struct target *t, struct head *h, uint64_t bound_ns,
		      const struct head *next)
{
	struct mp_order *o = t->order;
	struct mp_order_source *s = &o->sources[h->source];

	while (s->first < s->n) {
		const struct mp_pending *l = &s->lines[s->first];

		h->time_ns = l->time_ns;
		if (l->time_ns >= bound_ns || (next && before(next, h)))
			return;
		if (s->first + AHEAD < s->n)
			mp_store_prefetch(&o->store, l[AHEAD].line);
		put(t, h->source, l->time_ns, mp_store_text(&o->store, l->line));
		mp_store_drop(&o->store, l->line);
		o->waiting--;
		s->first++;
	}
	h->time_ns = UINT64_MAX;
}

static void put_run(const struct target *t, struct head *h, uint64_t bound_ns,
		    const struct head *next)
{
	struct mp_str line;

	while (mp_run_head(h->run, &h->time_ns, &h->source, &line)) {
		if (h->time_ns >= bound_ns || (next && before(next, h)))
			return;
		put(t, h->source, h->time_ns, line);
		mp_run_next(h->run);
	}
	h->time_ns = UINT64_MAX;
}

static size_t gather_heads(struct mp_order *o, struct head *heap, uint64_t bound_ns, size_t n_runs)
{
	struct mp_str line;
	size_t n = 0, i;

	for (i = 0; i < n_runs; i++) {
		struct head h = { 0, 0, i, o->runs[i] };

		if (mp_run_head(h.run, &h.time_ns, &h.source, &line) && h.time_ns < bound_ns)
			heap[n++] = h;
	}
	for (i = 0; i < o->n_sources; i++) {
		struct mp_order_source *s = &o->sources[i];

		if (s->first == s->n)
			continue;
		if (s->unsorted)
			sort_lines(o, s);
		if (s->lines[s->first].time_ns < bound_ns)
			heap[n++] = (struct head){ s->lines[s->first].time_ns, i, SIZE_MAX, NULL };
	}
	return n;
}

static const struct head *second(const struct head *heap, size_t n)
{
	if (n < 2)
		return NULL;
	return n > 2 && before(&heap[2], &heap[1]) ? &heap[2] : &heap[1];
}

/* Merges all lines before `bound_ns` in memory and in the first `n_runs` runs. */
static void merge(const struct target *t, uint64_t bound_ns, size_t n_runs)
{
	struct mp_order *o = t->order;
	struct head *heap = mp_alloc((o->n_sources + n_runs) * sizeof(*heap));
	size_t n = gather_heads(o, heap, bound_ns, n_runs), i;

	for (i = n / 2; i-- > 0;)
		sift_down(heap, n, i);
	while (n) {
		if (heap->run)
			put_run(t, heap, bound_ns, second(heap, n));
		else
			put_lines(t, heap, bound_ns, second(heap, n));
		if (heap->time_ns >= bound_ns)
			heap[0] = heap[--n];
		if (n)
			sift_down(heap, n, 0);
	}
	free(heap);
}

/* Moves the waiting lines to the beginning of their array if that is cheap. */
static void compact(struct mp_order *o)
{
	size_t i;

	for (i = 0; i < o->n_sources; i++) {
		struct mp_order_source *s = &o->sources[i];

		if (s->first == 0 || s->first < s->n - s->first)
			continue;
		memmove(s->lines, s->lines + s->first, (s->n - s->first) * sizeof(*s->lines));
		s->n -= s->first;
		s->first = 0;
	}
}

void mp_order_flush(struct mp_order *o, uint64_t bound_ns)
{
	struct target out = { o, NULL };

	if (bound_ns <= o->released_ns)
		return;
	merge(&out, bound_ns, o->n_runs);
	o->released_ns = bound_ns;
	compact(o);
}

static void add_run(struct mp_order *o, struct mp_run *run)
{
	o->spilled += mp_run_bytes(run);
	mp_run_rewind(run);
	o->runs[o->n_runs++] = run;
}

/* Merges all runs into one, when there are too many to be merged at once. */
static void merge_runs(struct mp_order *o)
{
	struct mp_order only_runs = { .n_sources = 0 };
	struct target to = { &only_runs, mp_run_new() };
	size_t i;

	memcpy(only_runs.runs, o->runs, sizeof(o->runs));
	merge(&to, UINT64_MAX, o->n_runs);
	for (i = 0; i < o->n_runs; i++)
		mp_run_free(o->runs[i]);
	o->n_runs = 0;
	add_run(o, to.run);
}

void mp_order_spill(struct mp_order *o)
{
	struct target to = { o, mp_run_new() };

	merge(&to, UINT64_MAX, 0);
	compact(o);
	add_run(o, to.run);
	if (o->n_runs == MP_ORDER_FAN)
		merge_runs(o);
}
