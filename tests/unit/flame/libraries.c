// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/libraries.h"

#include <stdio.h>

#include "tests/unit/tap.h"

/* Adds a stack of two frames, with the names of their files. */
static void add(struct mp_flame_libraries *l, struct mp_tree *t, const char *a, const char *file_a,
		const char *b, const char *file_b, enum mp_mark mark)
{
	const struct mp_frame frames[] = {
		{ .name = mp_str(a), .place = mp_str(file_a) },
		{ .name = mp_str(b), .place = mp_str(file_b), .mark = mark },
	};

	mp_flame_libraries_add(l, t, mp_tree_add(t, frames, 2, 1), frames, 2);
}

static struct mp_str library_of(const struct mp_flame_libraries *l, const struct mp_tree *t,
				const char *name)
{
	size_t i;

	for (i = 0; i < mp_tree_names(t); i++)
		if (mp_str_eq(mp_tree_name(t, i).name, mp_str(name)))
			return l->names[l->of[i]];
	return MP_STR("");
}

static void is(const struct mp_flame_libraries *l, const struct mp_tree *t, const char *name,
	       const char *wanted)
{
	struct mp_str got = library_of(l, t, name);

	ok(mp_str_eq(got, mp_str(wanted)), "%s is in %.*s", name, MP_STR_ARGS(got));
}

int main(void)
{
	struct mp_flame_libraries l, other;
	struct mp_tree t, u;
	unsigned slot;

	mp_tree_init(&t);
	mp_flame_libraries_init(&l);
	mp_flame_libraries_finish(&l, &t);
	ok(l.n == MP_FLAME_FIRST_LIBRARY, "no names, no libraries but those that are always there");
	mp_flame_libraries_release(&l);

	mp_flame_libraries_init(&l);
	add(&l, &t, "z", "libz", "a", "a\\x41.so", MP_MARK_NONE);
	add(&l, &t, "z", "libz", "k", "", MP_MARK_KERNEL);
	add(&l, &t, "m", "", "j", "", MP_MARK_JIT);
	add(&l, &t, "m", "libz", "init", "libz", MP_MARK_NONE);
	add(&l, &t, "n", "", "init", "liba", MP_MARK_NONE);
	add(&l, &t, "n", "", "init", "libz", MP_MARK_NONE);
	mp_tree_finish(&t);
	mp_flame_libraries_finish(&l, &t);
	is(&l, &t, "z", "libz");
	is(&l, &t, "a", "aA.so");
	is(&l, &t, "k", "kernel");
	is(&l, &t, "j", "JIT");
	is(&l, &t, "m", "libz");
	is(&l, &t, "n", "unknown library");
	is(&l, &t, "init", "several libraries");
	slot = l.slots[MP_FLAME_FIRST_LIBRARY + 4];
	ok(mp_str_eq(l.names[MP_FLAME_FIRST_LIBRARY + 4], MP_STR("libz")) && slot < MP_SLOTS,
	   "libraries are sorted, and have colours");
	ok(l.slots[MP_FLAME_NO_LIBRARY] == MP_FLAME_NO_SLOT &&
		   l.slots[MP_FLAME_SEVERAL_LIBRARIES] == MP_FLAME_NO_SLOT,
	   "what is not a library is grey");

	mp_tree_init(&u);
	mp_flame_libraries_init(&other);
	add(&other, &u, "f", "libz", "g", "libz", MP_MARK_NONE);
	mp_tree_finish(&u);
	mp_flame_libraries_finish(&other, &u);
	ok(other.slots[MP_FLAME_FIRST_LIBRARY] == slot, "a library has its colour in any picture");
	mp_flame_libraries_release(&other);
	mp_flame_libraries_release(&l);
	mp_tree_release(&u);
	mp_tree_release(&t);
	return tap_done();
}
