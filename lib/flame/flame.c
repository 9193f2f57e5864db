// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/flame.h"

#include <stdio.h>

enum mp_flame_kind mp_flame_kind_of(enum mp_mark mark)
{
	switch (mark) {
	case MP_MARK_KERNEL:
		return MP_FLAME_KERNEL;
	case MP_MARK_JIT:
		return MP_FLAME_JIT;
	case MP_MARK_INLINED:
		return MP_FLAME_INLINED;
	default:
		return MP_FLAME_USER;
	}
}

const char *mp_flame_kind_name(enum mp_flame_kind kind)
{
	static const char *const names[] = {
		[MP_FLAME_USER] = "user or other",
		[MP_FLAME_KERNEL] = "kernel",
		[MP_FLAME_JIT] = "JIT",
		[MP_FLAME_INLINED] = "inlined",
	};

	return names[kind];
}

unsigned mp_flame_name_colour(struct mp_str name)
{
	return mp_hash(name.p, name.len, 0) % MP_FLAME_COLOURS;
}

unsigned mp_flame_colour(const struct mp_flame *f, const struct mp_frame *frame)
{
	unsigned colour = mp_flame_name_colour(frame->name);

	if (f->by_name)
		return colour;
	return mp_flame_kind_of(frame->mark) * MP_SHADES + colour % MP_SHADES;
}

unsigned mp_flame_kinds(const struct mp_tree *t)
{
	unsigned kinds = 0;
	size_t i;

	for (i = 0; i < mp_tree_names(t); i++)
		kinds |= 1u << mp_flame_kind_of(mp_tree_name(t, i).mark);
	return kinds;
}

struct mp_str mp_flame_shown(struct mp_str name)
{
	return name.len ? name : MP_STR("(empty)");
}

void mp_flame_put_weight(char to[MP_UNIT_MAX], const struct mp_flame *f, int64_t weight)
{
	if (*f->unit)
		mp_unit_put(to, f->unit, (double)weight);
	else
		snprintf(to, MP_UNIT_MAX, "%lld", (long long)weight);
}

double mp_flame_percent(const struct mp_flame *f, int64_t weight)
{
	int64_t total = f->tree->nodes[0].total;

	return total ? 100 * (double)weight / (double)total : 0;
}
