// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/libraries.h"

#include <stdlib.h>

/* In place of the number of a file: the name is in several. */
static const uint32_t MANY = UINT32_MAX;

void mp_flame_libraries_init(struct mp_flame_libraries *l)
{
	*l = (struct mp_flame_libraries){ .n = 0 };
	mp_map_init(&l->files, sizeof(uint32_t));
}

void mp_flame_libraries_release(struct mp_flame_libraries *l)
{
	free(l->names);
	free(l->slots);
	free(l->of);
	free(l->by_number);
	free(l->placed);
	mp_map_release(&l->files);
	mp_buf_release(&l->hold);
	*l = (struct mp_flame_libraries){ .n = 0 };
}

static uint32_t number_of(struct mp_flame_libraries *l, struct mp_str file)
{
	struct mp_map_entry *e;
	uint32_t *number;
	bool fresh;

	e = mp_map_put(&l->files, &file, 1, &fresh);
	number = mp_map_value(e);
	if (fresh) {
		*number = l->files.n;
		l->by_number = mp_grow(l->by_number, &l->by_number_cap, l->files.n,
				       sizeof(struct mp_map_entry *));
		l->by_number[*number - 1] = e;
	}
	return *number;
}

/* Notes that the name of a node is in a file. */
static void note(struct mp_flame_libraries *l, const struct mp_tree *t, uint32_t node,
		 uint32_t file)
{
	uint32_t name = t->nodes[node].name;
	size_t had = l->placed_cap;

	if (name >= had) {
		l->placed = mp_grow(l->placed, &l->placed_cap, name + 1, sizeof(*l->placed));
		memset(l->placed + had, 0, (l->placed_cap - had) * sizeof(*l->placed));
	}
	if (!l->placed[name].file)
		l->placed[name] = (struct mp_flame_placed){ node, file };
	else if (l->placed[name].file != file)
		l->placed[name].file = MANY;
}

void mp_flame_libraries_add(struct mp_flame_libraries *l, const struct mp_tree *t, uint32_t node,
			    const struct mp_frame *frames, size_t n)
{
	for (; n > 0 && node; node = t->nodes[node].parent)
		if (frames[--n].place.len)
			note(l, t, node, number_of(l, mp_esc_decode(&l->hold, frames[n].place)));
}

static int by_name(const void *a, const void *b)
{
	const struct mp_map_entry *x = *(const struct mp_map_entry *const *)a;
	const struct mp_map_entry *y = *(const struct mp_map_entry *const *)b;

	return mp_str_cmp(x->key, y->key);
}

/* The number of what stands for a file that is not known, or 0. */
static uint32_t otherwise(struct mp_flame_libraries *l, const struct mp_tree *t, size_t name)
{
	switch (mp_tree_name(t, name).mark) {
	case MP_MARK_KERNEL:
		return number_of(l, MP_STR("kernel"));
	case MP_MARK_JIT:
		return number_of(l, MP_STR("JIT"));
	default:
		return 0;
	}
}

/* Sorts the files; the value of an entry becomes the number of the library. */
static void sort_files(struct mp_flame_libraries *l)
{
	static const struct mp_str fixed[MP_FLAME_FIRST_LIBRARY] = {
		[MP_FLAME_NO_LIBRARY] = { "unknown library", 15 },
		[MP_FLAME_SEVERAL_LIBRARIES] = { "several libraries", 17 },
	};
	struct mp_map_entry **sorted;
	size_t i;

	l->n = MP_FLAME_FIRST_LIBRARY + l->files.n;
	l->names = mp_alloc(l->n * sizeof(*l->names));
	l->slots = mp_alloc(l->n * sizeof(*l->slots));
	for (i = 0; i < MP_FLAME_FIRST_LIBRARY; i++) {
		l->names[i] = fixed[i];
		l->slots[i] = MP_FLAME_NO_SLOT;
	}
	sorted = mp_memdup(l->by_number, l->files.n * sizeof(struct mp_map_entry *));
	if (l->files.n)
		qsort(sorted, l->files.n, sizeof(struct mp_map_entry *), by_name);
	for (i = 0; i < l->files.n; i++) {
		l->names[MP_FLAME_FIRST_LIBRARY + i] = sorted[i]->key;
		*(uint32_t *)mp_map_value(sorted[i]) = MP_FLAME_FIRST_LIBRARY + i;
	}
	mp_palette_assign(l->names + MP_FLAME_FIRST_LIBRARY, l->files.n,
			  l->slots + MP_FLAME_FIRST_LIBRARY);
	free(sorted);
}

void mp_flame_libraries_finish(struct mp_flame_libraries *l, const struct mp_tree *t)
{
	size_t n = mp_tree_names(t), i;

	l->of = mp_zalloc((n + 1) * sizeof(*l->of));
	for (i = 0; i < l->placed_cap; i++)
		if (l->placed[i].file)
			l->of[t->nodes[l->placed[i].node].name] = l->placed[i].file;
	for (i = 0; i < n; i++)
		if (!l->of[i])
			l->of[i] = otherwise(l, t, i);
	sort_files(l);
	for (i = 0; i < n; i++) {
		if (l->of[i] == MANY)
			l->of[i] = MP_FLAME_SEVERAL_LIBRARIES;
		else if (l->of[i])
			l->of[i] = *(uint32_t *)mp_map_value(l->by_number[l->of[i] - 1]);
		else
			l->of[i] = MP_FLAME_NO_LIBRARY;
	}
}

struct mp_rgb mp_flame_library_colour(unsigned slot, enum mp_paper paper)
{
	return slot < MP_SLOTS ? mp_palette_area(slot, paper) : mp_palette_other(paper);
}
