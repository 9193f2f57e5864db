// SPDX-License-Identifier: GPL-2.0-only
#include "lib/fold/nest.h"

#include <stdlib.h>

#include "lib/stream/unit.h"

/* A span. Those inside it precede it in the array of its thread. */
struct span {
	uint64_t begin_ns, end_ns, self_ns;
	const struct mp_map_entry *name, *values;
	size_t size; /* number of spans inside it, and itself */
};

struct thread {
	struct span *v;
	size_t n, cap;
	uint64_t folded_ns; /* the end of the last span that could no longer be held; 0: none */
};

void mp_nest_init(struct mp_nest *n, struct mp_fold *fold, const struct mp_field *name)
{
	*n = (struct mp_nest){ .fold = fold, .name = *name };
	mp_map_init(&n->threads, sizeof(struct thread));
	mp_map_init(&n->texts, 0);
}

void mp_nest_release(struct mp_nest *n)
{
	struct mp_map_entry *e;

	mp_map_each (&n->threads, e)
		free(((struct thread *)mp_map_value(e))->v);
	mp_map_release(&n->threads);
	mp_map_release(&n->texts);
	mp_buf_release(&n->scratch);
	mp_buf_release(&n->path);
}

/* --- finding out what is inside what ---------------------------------------------------------- */

/*
 * Makes the latest span enclose those that began after it. Of the spans that nothing encloses, each
 * begins and ends later than the one before it, or it would enclose that one.
 */
static void enclose(struct mp_nest *n, struct thread *t)
{
	struct span *s = &t->v[t->n - 1], *inner = NULL;
	uint64_t limit_ns = s->end_ns;

	while (s->size < t->n && (inner = s - s->size)->begin_ns >= s->begin_ns) {
		if (limit_ns > inner->begin_ns)
			s->self_ns -= MP_MIN(inner->end_ns, limit_ns) - inner->begin_ns;
		limit_ns = MP_MIN(limit_ns, inner->begin_ns);
		s->size += inner->size;
	}
	if (s->size < t->n && inner->end_ns > s->begin_ns) {
		n->overlaps++;
		n->overlap_ns += inner->end_ns - s->begin_ns;
	}
	n->torn += s->begin_ns < t->folded_ns;
}

/* --- folding ---------------------------------------------------------------------------------- */

/* The spans around the current one, and where their names end in the path. */
struct around {
	size_t first[MP_NEST_DEPTH]; /* index of the first span inside it */
	size_t end[MP_NEST_DEPTH];
	size_t n;
};

/* Adds the name of a span to the path; false if it is too deep. */
static bool descend(struct mp_nest *n, struct around *a, struct mp_str name, size_t first)
{
	size_t start = a->n ? a->end[a->n - 1] : 0;

	n->path.len = start;
	if (a->n == MP_NEST_DEPTH || (start && start + name.len >= MP_NEST_BYTES))
		return false;
	if (start)
		mp_buf_byte(&n->path, ';');
	mp_buf_str(&n->path, name);
	a->first[a->n] = first;
	a->end[a->n++] = n->path.len;
	return true;
}

/* Folds a span that nothing encloses, and all that are inside it, from the last to the first. */
static void fold_tree(struct mp_nest *n, const struct thread *t, size_t outermost)
{
	const struct span *v = t->v;
	size_t first = outermost + 1 - v[outermost].size, i;
	struct around a;

	a.n = 0;
	for (i = outermost + 1; i-- > first;) {
		while (a.n && i < a.first[a.n - 1])
			a.n--;
		n->deep += !descend(n, &a, v[i].name->key, i + 1 - v[i].size);
		mp_fold_add_values(n->fold, v[outermost].values->key, mp_buf_view(&n->path),
				   (int64_t)v[i].self_ns);
	}
}

/* Folds the oldest spans of a thread, which nothing encloses, and keeps at most `keep` others. */
static void fold_oldest(struct mp_nest *n, struct thread *t, size_t keep)
{
	size_t from = t->n, end;

	while (from && t->n - from + t->v[from - 1].size <= keep)
		from -= t->v[from - 1].size;
	for (end = from; end; end -= t->v[end - 1].size)
		fold_tree(n, t, end - 1);
	if (from)
		t->folded_ns = t->v[from - 1].end_ns;
	t->n -= from;
	n->held -= from;
	memmove(t->v, t->v + from, t->n * sizeof(*t->v));
	t->cap = MP_MAX(t->n, (size_t)1);
	t->v = mp_realloc(t->v, t->cap * sizeof(*t->v));
}

/* Folds the older half of all spans. */
static void make_room(struct mp_nest *n)
{
	struct mp_map_entry *e;

	mp_map_each (&n->threads, e) {
		struct thread *t = mp_map_value(e);

		fold_oldest(n, t, t->n / 2);
	}
}

void mp_nest_end(struct mp_nest *n)
{
	struct mp_map_entry *e;

	mp_map_each (&n->threads, e) {
		struct thread *t = mp_map_value(e);

		fold_oldest(n, t, 0);
		free(t->v);
	}
	mp_map_clear(&n->threads);
	mp_map_clear(&n->texts);
}

/* --- adding ----------------------------------------------------------------------------------- */

/* The thread of a span, or NULL if it has none. The idle tasks of all CPUs have the tid 0. */
static struct thread *thread_of(struct mp_nest *n, const struct mp_rec *rec)
{
	static const struct mp_field host = MP_FIELD_OF(KEY, "host"), tid = MP_FIELD_OF(KEY, "tid"),
				     cpu = MP_FIELD_OF(KEY, "cpu");
	struct mp_str parts[3];

	if (!mp_rec_get(rec, &tid, &parts[1]))
		return NULL;
	if (!mp_rec_get(rec, &host, &parts[0]))
		parts[0] = MP_STR("");
	if (!mp_str_eq(parts[1], MP_STR("0")) || !mp_rec_get(rec, &cpu, &parts[2]))
		parts[2] = MP_STR("");
	return mp_map_value(mp_map_put(&n->threads, parts, 3, NULL));
}

/* The name of a span as a frame; NULL with `*why` if it has none. */
static const struct mp_map_entry *name_of(struct mp_nest *n, const struct mp_rec *rec,
					  const char **why)
{
	struct mp_buf raw = { NULL, 0, 0 };
	struct mp_str name;

	*why = mp_field_why(&n->name, "span without the field of its name");
	if (!mp_rec_name(rec, &n->name, &name) || !name.len)
		return NULL;
	*why = "bad escape or control byte";
	if (mp_esc_check(name) < 0)
		return NULL;
	n->scratch.len = 0;
	mp_esc_add(&n->scratch, mp_esc_decode(&raw, name), MP_ESC_FRAME);
	mp_buf_release(&raw);
	name = mp_buf_view(&n->scratch);
	return mp_map_put(&n->texts, &name, 1, NULL);
}

static const struct mp_map_entry *values_of(struct mp_nest *n, const struct mp_rec *rec,
					    const char **why)
{
	struct mp_str values;

	n->scratch.len = 0;
	if (mp_fold_values(n->fold, rec, &n->scratch, why) < 0)
		return NULL;
	values = mp_buf_view(&n->scratch);
	return mp_map_put(&n->texts, &values, 1, NULL);
}

int mp_nest_add(struct mp_nest *n, const struct mp_rec *rec, uint64_t dur_ns, const char **why)
{
	struct span s = { .begin_ns = rec->time_ns - dur_ns,
			  .end_ns = rec->time_ns,
			  .self_ns = dur_ns,
			  .size = 1 };
	struct thread *t;

	*why = "dur is longer than the time before the end of the span";
	if (dur_ns > rec->time_ns)
		return -1;
	if (!(s.name = name_of(n, rec, why)) || !(s.values = values_of(n, rec, why)))
		return -1;
	*why = "span without tid";
	t = thread_of(n, rec);
	if (!t)
		return -1;
	if (n->held == MP_NEST_HELD)
		make_room(n);
	t->v = mp_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n++] = s;
	n->held++;
	enclose(n, t);
	return 0;
}

enum mp_status mp_nest_report(const struct mp_nest *n)
{
	char time[MP_UNIT_MAX];

	mp_unit_put(time, "ns", (double)n->overlap_ns);
	if (n->overlaps == 1)
		mp_say("1 span overlaps another one without being inside it: %s count twice", time);
	else if (n->overlaps)
		mp_say("%llu spans overlap others without being inside them: %s count twice",
		       (unsigned long long)n->overlaps, time);
	mp_say_count(n->deep, "span is too deep: its time is that of the span around it",
		     "spans are too deep: their time is that of the spans around them");
	mp_say_count(n->torn,
		     "span may enclose some that were folded before for lack of room: "
		     "their time counts twice",
		     "spans may enclose some that were folded before for lack of room: "
		     "their time counts twice");
	return n->torn ? MP_LOSSY : MP_OK;
}
