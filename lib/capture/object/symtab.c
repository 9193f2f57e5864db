// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/symtab.h"

#include <stdlib.h>
#include <string.h>

void mp_symtab_add_same(struct mp_symtab *t, uint64_t start, uint64_t size, const char *name,
			enum mp_symbol_rank rank)
{
	struct mp_symbol s = { .start = start, .end = start + size, .name = name };

	if (s.end < start)
		s.end = UINT64_MAX;
	s.order = (uint32_t)t->n;
	s.len = (uint16_t)strlen(name);
	s.underscores = (uint8_t)MP_MIN(strspn(name, "_"), (size_t)UINT8_MAX);
	s.rank = (uint8_t)rank;
	t->v = mp_grow(t->v, &t->cap, t->n + 1, sizeof(s));
	t->v[t->n++] = s;
}

void mp_symtab_add(struct mp_symtab *t, uint64_t start, uint64_t size, struct mp_str name,
		   enum mp_symbol_rank rank)
{
	name.len = MP_MIN(name.len, (size_t)MP_SYMBOL_NAME_MAX);
	mp_symtab_add_same(t, start, size, mp_arena_str(&t->names, name).p, rank);
}

/* Compares names: negative if `a` is preferred to `b`. */
static int compare_names(const struct mp_symbol *a, const struct mp_symbol *b)
{
	bool a_empty = a->start == a->end, b_empty = b->start == b->end;

	if (a_empty != b_empty)
		return a_empty ? 1 : -1;
	if ((a->rank == MP_SYM_WEAK) != (b->rank == MP_SYM_WEAK))
		return a->rank == MP_SYM_WEAK ? 1 : -1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	if (a->underscores != b->underscores)
		return a->underscores < b->underscores ? -1 : 1;
	if (a->len != b->len)
		return a->len > b->len ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static int by_start(const void *a, const void *b)
{
	const struct mp_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return compare_names(x, y);
}

static int by_start_newest(const void *a, const void *b)
{
	const struct mp_symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order > y->order ? -1 : 1;
}

void mp_symtab_sort(struct mp_symtab *t, bool newest)
{
	size_t i, kept = 0;

	if (t->n == 0)
		return;
	qsort(t->v, t->n, sizeof(*t->v), newest ? by_start_newest : by_start);
	for (i = 0; i < t->n; i++)
		if (kept == 0 || t->v[i].start != t->v[kept - 1].start)
			t->v[kept++] = t->v[i];
	t->n = kept;
	for (i = 0; i < t->n; i++) {
		t->v[i].order = (uint32_t)i; /* before those that are added later */
		if (t->v[i].end == t->v[i].start)
			t->v[i].end = i + 1 < t->n ? t->v[i + 1].start : UINT64_MAX;
	}
}

void mp_symtab_trim(struct mp_symtab *t)
{
	t->v = mp_realloc(t->v, MP_MAX(t->n, (size_t)1) * sizeof(*t->v));
	t->cap = MP_MAX(t->n, (size_t)1);
}

const struct mp_symbol *mp_symtab_find(const struct mp_symtab *t, uint64_t addr)
{
	size_t n = MP_COUNT_FIRST(t->n, i, t->v[i].start <= addr), at;

	/* a large symbol may contain others that begin later: tries a few preceding ones */
	for (at = n; at > 0 && n - at < 4; at--)
		if (addr < t->v[at - 1].end)
			return &t->v[at - 1];
	return NULL;
}

void mp_symtab_release(struct mp_symtab *t)
{
	free(t->v);
	mp_arena_release(&t->names);
	*t = (struct mp_symtab){ .v = NULL };
}
