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

const char *mp_flame_colours_name(enum mp_flame_colours colours)
{
	static const char *const names[] = {
		[MP_FLAME_BY_KIND] = "kind",
		[MP_FLAME_BY_NAME] = "name",
		[MP_FLAME_BY_LIBRARY] = "library",
		[MP_FLAME_BY_CHANGE] = "change",
	};

	return names[colours];
}

const char *mp_flame_step_name(int step, bool counts)
{
	static const char *const names[] = {
		"/ 3, gone", "/ 1.5", "/ 1.1", "less", "", "more", "x 1.1", "x 1.5", "x 3, new",
	};

	if (step == 0)
		return counts ? "no significant difference" : "no difference";
	return names[MP_CHANGES + step];
}

unsigned mp_flame_name_colour(struct mp_str name)
{
	return mp_hash(name.p, name.len, 0) % MP_FLAME_COLOURS;
}

unsigned mp_flame_colour(const struct mp_flame *f, const struct mp_frame *frame)
{
	unsigned colour = mp_flame_name_colour(frame->name);

	if (f->colours == MP_FLAME_BY_NAME)
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

void mp_flame_put_value(struct mp_buf *to, const struct mp_flame *f, unsigned side, int64_t weight)
{
	double v = mp_flame_sides_value(f->sides, side, weight);
	char text[MP_UNIT_MAX];

	if (f->sides->measure == MP_FLAME_SHARE) {
		mp_buf_printf(to, "%.2f %%", 100 * v);
		return;
	}
	if (f->sides->measure == MP_FLAME_ABSOLUTE)
		mp_flame_put_weight(text, f, weight);
	else if (*f->unit)
		mp_unit_put(text, f->unit, v);
	else
		snprintf(text, sizeof(text), "%.4g", v);
	mp_buf_str(to, mp_str(text));
}

void mp_flame_put_ratio(struct mp_buf *to, const struct mp_flame *f, int64_t before, int64_t after)
{
	double a = mp_flame_sides_value(f->sides, MP_FLAME_BEFORE, before);
	double b = mp_flame_sides_value(f->sides, MP_FLAME_AFTER, after);

	if (mp_flame_sides_equal(f->sides, before, after))
		mp_buf_printf(to, "=");
	else if (before == 0 || after == 0)
		mp_buf_printf(to, before ? "gone" : "new");
	else
		mp_buf_printf(to, b / a < 100 ? "x %.3g" : "x %.0f", b / a);
}

void mp_flame_put_sides(struct mp_buf *to, const struct mp_flame *f, int64_t before, int64_t after)
{
	const int64_t weights[MP_FLAME_SIDES] = { before, after };
	char text[MP_UNIT_MAX];
	unsigned i;

	for (i = 0; i < MP_FLAME_SIDES; i++) {
		mp_buf_printf(to, i ? ", after " : "before ");
		mp_flame_put_value(to, f, i, weights[i]);
		if (f->sides->measure == MP_FLAME_WORK)
			mp_buf_printf(to, " per unit of work");
		if (f->sides->measure == MP_FLAME_ABSOLUTE)
			continue;
		mp_flame_put_weight(text, f, weights[i]);
		mp_buf_printf(to, " (%s)", text);
	}
	mp_buf_printf(to, ": ");
	mp_flame_put_ratio(to, f, before, after);
	if (!mp_flame_sides_equal(f->sides, before, after) &&
	    mp_flame_sides_step(f->sides, before, after) == 0)
		mp_buf_printf(to, ", not significant");
}
