/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flame graph: the tree of stacks with what all its forms say about it. Includes chart,
 * libraries, palette, sides, unit.
 */
#ifndef MP_FLAME_FLAME_H
#define MP_FLAME_FLAME_H

#include "lib/draw/palette.h"
#include "lib/flame/chart.h"
#include "lib/flame/libraries.h"
#include "lib/flame/sides.h"
#include "lib/stream/unit.h"

/* What the colour of a frame depends on. */
enum mp_flame_colours {
	MP_FLAME_BY_KIND, /* the kind of code */
	MP_FLAME_BY_NAME,
	MP_FLAME_BY_LIBRARY, /* the file that has the code */
	MP_FLAME_BY_CHANGE,  /* the difference between sides */
};

struct mp_flame {
	const struct mp_tree *tree; /* finished; a total of 0: there is nothing to draw */
	/* both sides of this tree, finished; NULL: the flame graph does not show differences */
	const struct mp_flame_sides *sides;
	const struct mp_flame_chart *chart; /* finished, of this tree; NULL: it is not a chart */
	/* finished, of this tree; NULL: they were not asked for */
	const struct mp_flame_libraries *libraries;
	/* two weights of its stacks, of which the reader chooses one; sides of NULL: there is one */
	struct {
		const struct mp_flame_sides *sides; /* finished, a side for each weight */
		struct mp_str names[MP_FLAME_SIDES];
		const char *units[MP_FLAME_SIDES];
	} weights;
	/* not escaped; `nothing`: why there is nothing to draw, "no event matches -e 'a:*'" */
	struct mp_str title, subtitle, nothing;
	const char *unit; /* unit of the weights, see unit.h */
	bool icicle;	  /* the root is at the top */
	enum mp_flame_colours colours;
};

/* The kinds of code that frames are coloured by. */
enum mp_flame_kind {
	MP_FLAME_USER,
	MP_FLAME_KERNEL,
	MP_FLAME_JIT,
	MP_FLAME_INLINED,
	MP_FLAME_KINDS,
};

enum mp_flame_kind mp_flame_kind_of(enum mp_mark mark);

/* "user or other", "kernel", "JIT", "inlined" */
const char *mp_flame_kind_name(enum mp_flame_kind kind);

/* "kind", "name", "library", "change" */
const char *mp_flame_colours_name(enum mp_flame_colours colours);

/* There is a colour for each tint and shade of palette.h: MP_SHADES * tint + shade. */
enum { MP_FLAME_COLOURS = MP_TINTS * MP_SHADES };

/* The colour of a name, if colours are chosen by names: it depends on its bytes alone. */
unsigned mp_flame_name_colour(struct mp_str name);

/*
 * The colour of a frame by f->colours, which must be MP_FLAME_BY_KIND or MP_FLAME_BY_NAME. By
 * kind, the kind chooses the tint and the name the shade.
 */
unsigned mp_flame_colour(const struct mp_flame *f, const struct mp_frame *frame);

/*
 * What the colour of a step of mp_palette_change() means: "x 1.5", "/ 3, gone". `counts` as in
 * struct mp_flame_sides.
 */
const char *mp_flame_step_name(int step, bool counts);

/* The kinds of the frames of a tree, as a set of bits 1 << kind. */
unsigned mp_flame_kinds(const struct mp_tree *t);

/* The name of a frame as pictures show it: "(empty)" for one without a name. */
struct mp_str mp_flame_shown(struct mp_str name);

/*
 * Writes a weight with its unit; one without a unit is a count, of which all digits are written.
 */
void mp_flame_put_weight(char to[MP_UNIT_MAX], const struct mp_flame *f, int64_t weight);

/* Writes a weight of a side in the unit of the comparison: "12.00 %", "3 ms". */
void mp_flame_put_value(struct mp_buf *to, const struct mp_flame *f, unsigned side, int64_t weight);

/* Writes the ratio of two weights: "x 1.25", "new", "gone", "=". */
void mp_flame_put_ratio(struct mp_buf *to, const struct mp_flame *f, int64_t before, int64_t after);

/* Writes the values of both sides, and their ratio, as pictures show them. */
void mp_flame_put_sides(struct mp_buf *to, const struct mp_flame *f, int64_t before, int64_t after);

/* A share of the total in percent, 0 if there is no total. */
double mp_flame_percent(const struct mp_flame *f, int64_t weight);

#endif
