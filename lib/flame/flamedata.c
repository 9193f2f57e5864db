// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/flamedata.h"

#include <stdlib.h>

#include "lib/core/intmap.h"
#include "lib/draw/svg.h"

enum { NAMES, LOOKS, UP, DOWN, WEIGHTS, CALLS, CALLEES, AFTER, LIBRARY };

/* The numbers of the names of a stack in the data, from the root on. */
struct path {
	uint32_t *v;
	size_t n, cap;
};

struct writer {
	struct mp_flamedata *d;
	const struct mp_tree *t;
	const struct mp_flame_sides *sides;	    /* or NULL */
	const struct mp_flame_libraries *libraries; /* or NULL */
	bool is_chart;
	uint32_t gap;	 /* of a chart: number of the name of a gap in the data */
	uint32_t *place; /* by number of a name in the tree: its number in the data, from 1 */
	uint32_t *calls; /* by number of a name in the data, 0: the root: how many it has */
	struct path *before, *now; /* of a chart: the stack before, and the one to write */
	struct mp_intmap seen;	   /* caller and callee, in the data -> number of the call */
};

static void put_number(struct mp_buf *to, uint64_t v)
{
	for (; v >= 128; v >>= 7)
		mp_buf_byte(to, (char)(v | 128));
	mp_buf_byte(to, (char)v);
}

/* Writes the names of the nodes that are drawn, and gives these names numbers. */
static void put_names(struct writer *w)
{
	const struct mp_tree *t = w->t;
	struct mp_buf *names = &w->d->parts[NAMES];
	size_t n = mp_tree_names(t), i;
	uint32_t last = 0;

	for (i = 1; i < t->n; i++)
		w->place[t->nodes[i].name] |= t->nodes[i].total > 0;
	mp_buf_byte(names, '[');
	for (i = 0; i < n; i++) {
		struct mp_frame frame = mp_tree_name(t, i);

		if (!w->place[i])
			continue;
		if (last)
			mp_buf_byte(names, ',');
		mp_svg_json(names, mp_flame_shown(frame.name));
		mp_buf_byte(&w->d->parts[LOOKS],
			    (char)(mp_flame_kind_of(frame.mark) * MP_FLAME_COLOURS +
				   mp_flame_name_colour(frame.name)));
		if (w->libraries)
			put_number(&w->d->parts[LIBRARY], w->libraries->of[i]);
		w->place[i] = ++last;
	}
	if (w->is_chart) {
		mp_buf_printf(names, "%s\"(no stack)\"", last ? "," : "");
		mp_buf_byte(&w->d->parts[LOOKS], 0);
		if (w->libraries)
			put_number(&w->d->parts[LIBRARY], MP_FLAME_NO_LIBRARY);
		w->gap = last + 1;
	}
	mp_buf_byte(names, ']');
}

static void put_call(struct writer *w, uint32_t caller, uint32_t callee)
{
	uint64_t key = (uint64_t)caller << 32 | callee, call = mp_intmap_get(&w->seen, key);

	put_number(&w->d->parts[CALLS], call);
	if (call)
		return;
	put_number(&w->d->parts[CALLEES], callee - 1);
	mp_intmap_add(&w->seen, key, ++w->calls[caller]);
}

static void put_weights(struct writer *w, uint32_t node)
{
	const struct mp_flame_side *side = w->sides ? w->sides->side : NULL;

	put_number(&w->d->parts[WEIGHTS], side ? (uint64_t)side[MP_FLAME_BEFORE].self[node]
					       : (uint64_t)w->t->nodes[node].self);
	if (side)
		put_number(&w->d->parts[AFTER], (uint64_t)side[MP_FLAME_AFTER].self[node]);
}

static void put_stacks(struct writer *w)
{
	const struct mp_tree_node *nodes = w->t->nodes, *node;
	struct mp_tree_walk at = { .node = 0 };
	size_t before = 0, shared = 0; /* frames of the stack before, and those that it shares */
	bool begins = true;

	w->d->nodes = 1;
	while (mp_tree_step(w->t, &at, true)) {
		node = &nodes[at.node];
		if (begins) {
			shared = at.depth - 1;
			put_number(&w->d->parts[UP], before - shared);
		}
		put_call(w, node->parent ? w->place[nodes[node->parent].name] : 0,
			 w->place[node->name]);
		begins = node->self > 0;
		if (begins) {
			before = at.depth;
			put_number(&w->d->parts[DOWN], before - shared);
			put_weights(w, at.node);
			w->d->stacks++;
		}
		w->d->nodes++;
	}
}

/* --- a chart ---------------------------------------------------------------------------------- */

static void set_path(struct writer *w, struct path *path, uint32_t node)
{
	const struct mp_tree_node *nodes = w->t->nodes;
	size_t n = 0, i;
	uint32_t at;

	for (at = node; at; at = nodes[at].parent)
		n++;
	path->n = n;
	path->v = mp_grow(path->v, &path->cap, n + 1, sizeof(*path->v));
	for (i = n, at = node; at; at = nodes[at].parent)
		path->v[--i] = w->place[nodes[at].name];
}

/*
 * Writes a piece of a chart. One that adds no frame to those of the stack before, or that the next
 * one continues, ends with a gap, which has its place among the children of its last frame.
 */
static void put_piece(struct writer *w, const struct mp_flame_piece *piece, bool continued)
{
	struct path *now = w->now, *before = w->before;
	size_t shared = 0, i;

	set_path(w, now, piece->node);
	while (shared < now->n && shared < before->n && now->v[shared] == before->v[shared])
		shared++;
	if (shared == now->n || continued)
		now->v[now->n++] = w->gap;
	put_number(&w->d->parts[UP], before->n - shared);
	put_number(&w->d->parts[DOWN], now->n - shared);
	put_number(&w->d->parts[WEIGHTS], piece->end_ns - piece->begin_ns);
	for (i = shared; i < now->n; i++)
		put_call(w, i ? now->v[i - 1] : 0, now->v[i]);
	w->d->nodes += now->n - shared;
	w->d->stacks++;
	w->now = before;
	w->before = now;
}

/* Whether a node is an ancestor of another one. */
static bool is_above(const struct mp_tree *t, uint32_t node, uint32_t other)
{
	do
		other = t->nodes[other].parent;
	while (other > node);
	return other == node;
}

static void put_chart(struct writer *w, const struct mp_flame_chart *c)
{
	struct path paths[2] = { { .n = 0 } };
	size_t i;

	w->before = &paths[0];
	w->now = &paths[1];
	w->d->nodes = 1;
	for (i = 0; i < c->n; i++) {
		const struct mp_flame_piece *p = &c->pieces[i];

		put_piece(w, p,
			  i + 1 < c->n && p->node != p[1].node &&
				  is_above(w->t, p->node, p[1].node));
	}
	free(paths[0].v);
	free(paths[1].v);
}

void mp_flamedata_make(struct mp_flamedata *d, const struct mp_flame *f)
{
	const struct mp_tree *t = f->tree;
	struct writer w = {
		.d = d,
		.t = t,
		.sides = f->sides ? f->sides : f->weights.sides,
		.libraries = f->libraries,
		.is_chart = f->chart,
	};

	*d = (struct mp_flamedata){ .nodes = 0 };
	w.place = mp_zalloc((mp_tree_names(t) + 1) * sizeof(*w.place));
	w.calls = mp_zalloc((mp_tree_names(t) + 2) * sizeof(*w.calls));
	mp_intmap_init(&w.seen);
	put_names(&w);
	if (f->chart)
		put_chart(&w, f->chart);
	else
		put_stacks(&w);
	mp_intmap_release(&w.seen);
	free(w.calls);
	free(w.place);
}

void mp_flamedata_release(struct mp_flamedata *d)
{
	size_t i;

	for (i = 0; i < MP_FLAMEDATA_PARTS; i++)
		mp_buf_release(&d->parts[i]);
}
