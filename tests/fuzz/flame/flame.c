// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any lines as a flame graph, or each other line as the other side of one of differences: the tree has the sum of their weights, each node is within its
 * parent, the data of a page have as many numbers as its stacks need, and no name becomes an element
 * of a page or a picture, or a control byte for a terminal. In a flame chart each task has pieces for
 * all of the time.
 */
#include <stdlib.h>

#include "lib/flame/flamedata.h"
#include "lib/flame/flamehtml.h"
#include "lib/flame/flamesvg.h"
#include "lib/flame/flametext.h"
#include "lib/fold/fold.h"
#include "lib/tree/tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Where stacks go. */
struct target {
	struct mp_tree *tree;
	struct mp_flame_sides *sides; /* NULL: there is one side only */
	unsigned side;		      /* of the next stack */
};

static void add_stack(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	struct target *to = arg;

	if (!to->sides) {
		mp_tree_add(to->tree, frames, n, weight);
		return;
	}
	mp_flame_sides_add(to->sides, to->tree, to->side, frames, n, weight);
	to->side ^= 1;
}

/* Returns false if a side has no weight that shares can refer to. */
static bool finish(struct target *to)
{
	unsigned bad;

	if (to->sides)
		return mp_flame_sides_finish(to->sides, to->tree, &bad) == 0;
	mp_tree_finish(to->tree);
	return true;
}

static bool add_lines(struct mp_fold *f, const struct mp_fold_style *style, struct target *to,
		      const char *p, const char *end)
{
	const char *lf, *why;
	struct mp_rec rec;

	for (; p < end && (lf = memchr(p, '\n', end - p)); p = lf + 1) {
		if (mp_rec_parse(&rec, p, lf - p, &why) < 0)
			continue;
		if (rec.kind == MP_EVENT)
			mp_fold_add(f, &rec, 1, &why);
		else if (rec.kind == MP_STACK || rec.kind == MP_FOLDED)
			mp_fold_pass(f, style, &rec, add_stack, to, &why);
	}
	mp_fold_each(f, style, add_stack, to);
	return finish(to);
}

static void check_tree(const struct mp_tree *t)
{
	struct mp_tree_walk w = { .node = 0 };
	int64_t sum = t->nodes[0].self;

	while (mp_tree_step(t, &w, true)) {
		const struct mp_tree_node *node = &t->nodes[w.node];
		int64_t right;

		if (node->self < 0 || node->total <= 0 ||
		    __builtin_add_overflow(w.at, node->total, &right) || right > t->nodes[0].total)
			abort();
		sum += node->self;
	}
	if (sum != t->nodes[0].total || w.at != sum)
		abort();
}

/* Adds up the numbers of a part; sets how many there are, and how many are 0. */
static uint64_t add_up(struct mp_str part, size_t *n, size_t *zeros)
{
	uint64_t sum = 0, v = 0;
	unsigned shift = 0;
	size_t i;

	*n = *zeros = 0;
	for (i = 0; i < part.len; i++) {
		v |= (uint64_t)(part.p[i] & 127) << shift;
		shift += 7;
		if (part.p[i] & 128)
			continue;
		sum += v;
		*zeros += v == 0;
		++*n;
		v = shift = 0;
	}
	return sum;
}

static void check_data(const struct mp_flame *f)
{
	enum { UP = 2, DOWN, WEIGHTS, CALLS, CALLEES, AFTER };
	const struct mp_tree *t = f->tree;
	uint64_t after = f->sides ? (uint64_t)f->sides->side[MP_FLAME_AFTER].total[0] : 0;
	uint64_t weight = f->sides ? (uint64_t)f->sides->side[MP_FLAME_BEFORE].total[0]
				   : (uint64_t)t->nodes[0].total;
	size_t n[MP_FLAMEDATA_PARTS], zeros[MP_FLAMEDATA_PARTS], i;
	uint64_t sum[MP_FLAMEDATA_PARTS];
	struct mp_flamedata d;

	mp_flamedata_make(&d, f);
	for (i = UP; i < MP_FLAMEDATA_PARTS; i++)
		sum[i] = add_up(mp_buf_view(&d.parts[i]), &n[i], &zeros[i]);
	if (n[UP] != d.stacks || n[DOWN] != d.stacks || n[WEIGHTS] != d.stacks ||
	    (zeros[WEIGHTS] && !f->sides) || n[AFTER] != (f->sides ? d.stacks : 0) ||
	    sum[WEIGHTS] != weight || sum[AFTER] != after || sum[DOWN] != d.nodes - 1 ||
	    n[CALLS] != d.nodes - 1 || zeros[CALLS] != n[CALLEES])
		abort();
	mp_flamedata_release(&d);
}

struct timed {
	struct mp_flame_chart *chart;
	const struct mp_rec *rec;
};

static void add_event(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	const struct timed *e = arg;
	uint64_t end = e->rec->time_ns;

	if (weight != 1)
		abort();
	mp_flame_chart_add(e->chart, frames, n, 1, end - end % 16, end);
}

static void add_events(struct mp_fold *f, const struct mp_fold_style *style,
		       struct mp_flame_chart *c, const char *p, const char *end)
{
	const char *lf, *why;
	struct mp_rec rec;
	struct timed e = { c, &rec };

	for (; p < end && (lf = memchr(p, '\n', end - p)); p = lf + 1)
		if (mp_rec_parse(&rec, p, lf - p, &why) == 0 && rec.kind == MP_EVENT)
			mp_fold_pass(f, style, &rec, add_event, &e, &why);
	mp_flame_chart_finish(c);
}

/* Each task covers the whole time, and each piece but the last of a task has a node of its own. */
static void check_chart(const struct mp_flame *f)
{
	enum { UP = 2, DOWN, WEIGHTS, CALLS, CALLEES };
	const struct mp_flame_chart *c = f->chart;
	size_t n[MP_FLAMEDATA_PARTS], zeros[MP_FLAMEDATA_PARTS], i;
	uint64_t sum[MP_FLAMEDATA_PARTS], length = c->end_ns - c->begin_ns;
	struct mp_buf page = { NULL, 0, 0 };
	struct mp_flamedata d;

	mp_flamedata_make(&d, f);
	for (i = UP; i < MP_FLAMEDATA_PARTS; i++)
		sum[i] = add_up(mp_buf_view(&d.parts[i]), &n[i], &zeros[i]);
	if (n[UP] != c->n || n[DOWN] != c->n || n[WEIGHTS] != c->n || zeros[DOWN] ||
	    zeros[WEIGHTS] || sum[WEIGHTS] != length * c->tasks || n[CALLS] != d.nodes - 1 ||
	    sum[DOWN] != d.nodes - 1 || zeros[CALLS] != n[CALLEES])
		abort();
	mp_flamedata_release(&d);
	mp_flamehtml(&page, f);
	mp_buf_release(&page);
}

static size_t occurrences(struct mp_str text, const char *what)
{
	size_t n = 0;
	const char *p;

	while ((p = memmem(text.p, text.len, what, strlen(what)))) {
		n++;
		text = mp_str_skip(text, p - text.p + 1);
	}
	return n;
}

static void check_forms(const struct mp_flame *f, uint8_t how)
{
	struct mp_flametext style = { (how & 7) * 10, 40 };
	struct mp_buf to = { NULL, 0, 0 };
	size_t i;

	mp_flametext(&to, f, &style);
	for (i = 0; i < to.len; i++)
		if ((unsigned char)to.p[i] < ' ' && to.p[i] != '\n')
			abort();
	to.len = 0;
	mp_flamesvg(&to, f, 320 + (how >> 3) * 40);
	/* a frame and the paper are a <rect>; a frame, a colour and each of four labels may have a <title> */
	if (occurrences(mp_buf_view(&to), "<script") ||
	    occurrences(mp_buf_view(&to), "<svg") != 1 ||
	    occurrences(mp_buf_view(&to), "<title>") > 3 + occurrences(mp_buf_view(&to), "<rect"))
		abort();
	to.len = 0;
	mp_flamehtml(&to, f);
	if (occurrences(mp_buf_view(&to), "<script") != 2 ||
	    occurrences(mp_buf_view(&to), "</script") != 2 || occurrences(mp_buf_view(&to), "<!--"))
		abort();
	mp_buf_release(&to);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mp_field comm = MP_FIELD_OF(KEY, "comm");
	static const struct mp_fields by = { &comm, 1, 1 };
	struct mp_fold_style style = { .reverse = size & 1, .merge_recursive = size & 2 };
	struct mp_flame f = { .unit = size & 4 ? "ns" : "",
			      .icicle = size & 8,
			      .colours = size & 64 ? MP_FLAME_BY_NAME : MP_FLAME_BY_KIND };
	struct mp_flame_sides sides = { .measure = size & 256 ? MP_FLAME_SHARE : MP_FLAME_ABSOLUTE,
					.counts = size & 4,
					.own = size & 2,
					.side = { { .name = "<" }, { .name = "</script>" } } };
	struct mp_fold fold;
	struct mp_tree t;
	struct target to = { &t, size & 128 ? &sides : NULL, 0 };
	struct mp_flame_chart chart;

	if (size < 1)
		return 0;
	if (size & 16)
		mp_fold_globs_add(&style.ignore, "*a*");
	if (size & 32)
		mp_fold_globs_add(&style.show_from, "?*");
	mp_fold_init(&fold, &by);
	mp_tree_init(&t);
	f.tree = &t;
	f.sides = to.sides;
	if (f.sides && !(size & 64))
		f.colours = MP_FLAME_BY_CHANGE;
	f.title = f.subtitle = f.nothing = (struct mp_str){ (const char *)data, size };
	if (size > 200)
		f.title.len = f.subtitle.len = f.nothing.len = 200;
	if (add_lines(&fold, &style, &to, (const char *)data + 1, (const char *)data + size)) {
		check_tree(&t);
		check_data(&f);
		check_forms(&f, data[0]);
	}
	mp_flame_chart_init(&chart);
	f.tree = &chart.tree;
	f.chart = &chart;
	f.sides = NULL;
	f.colours = MP_FLAME_BY_KIND;
	add_events(&fold, &style, &chart, (const char *)data + 1, (const char *)data + size);
	check_chart(&f);
	mp_flame_chart_release(&chart);
	mp_flame_sides_release(&sides);
	mp_tree_release(&t);
	mp_fold_release(&fold);
	free(style.ignore.v);
	free(style.show_from.v);
	return 0;
}
