// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/chartsvg.h"

#include <stdlib.h>

#include "lib/draw/axis.h"
#include "lib/draw/svg.h"
#include "lib/flame/svgparts.h"

enum { SIDE = MP_FLAME_SVG_SIDE, ROW = MP_FLAME_SVG_ROW };

static const double MIN_PX = 1;

/* A frame, or narrow ones side by side: `n` of them. */
struct bar {
	uint64_t begin_ns, end_ns;
	uint32_t node;
	uint32_t n;   /* 0: a frame that is wide enough */
	size_t depth; /* 0: the task */
};

/* The bars of a task in the order of a walk, parents before their children. */
struct task {
	struct bar *v;
	size_t n, cap;
	size_t rows;
	uint64_t busy_ns;
};

struct picture {
	struct mp_flame_svg svg;
	const struct mp_flame *f;
	const struct mp_flame_chart *chart;
	double px; /* per ns */
	struct task *tasks;
	size_t n_tasks; /* those that are drawn */
	size_t rows;	/* of all of them, with the axis */
	bool deeper;	/* there are frames beyond the last row */
	size_t *open;	/* numbers of the bars of the current stack, from the task on */
	size_t n_open, open_cap;
	struct mp_buf path; /* uint32_t: the nodes of a piece, from its last frame to the task */
	struct mp_buf text;
};

/* --- bars ------------------------------------------------------------------------------------- */

static bool is_narrow(const struct picture *p, const struct bar *b)
{
	return (double)(b->end_ns - b->begin_ns) * p->px < MIN_PX;
}

static void open_bar(struct picture *p, struct task *t, uint32_t node, uint64_t begin_ns)
{
	t->v = mp_grow(t->v, &t->cap, t->n + 1, sizeof(*t->v));
	t->v[t->n] = (struct bar){ .begin_ns = begin_ns, .node = node, .depth = p->n_open };
	p->open = mp_grow(p->open, &p->open_cap, p->n_open + 1, sizeof(*p->open));
	p->open[p->n_open++] = t->n++;
}

/*
 * Ends the last frame of the current stack. If it is narrow, what it called goes, and it joins the
 * narrow ones that end where it begins, which are the bar before it.
 */
static void close_bar(struct picture *p, struct task *t, uint64_t end_ns)
{
	size_t i = p->open[--p->n_open];
	struct bar *b = &t->v[i];

	b->end_ns = end_ns;
	if (!is_narrow(p, b))
		return;
	b->n = 1;
	t->n = i + 1;
	if (i == 0 || !b[-1].n || b[-1].depth != b->depth ||
	    (double)(b->begin_ns - b[-1].end_ns) * p->px > MIN_PX / 2)
		return;
	b[-1].end_ns = end_ns;
	b[-1].n++;
	t->n--;
}

/* The nodes of a piece from the last frame to the task; `*n` is how many there are. */
static const uint32_t *path_of(struct picture *p, const struct mp_flame_piece *piece, size_t *n)
{
	const struct mp_tree_node *nodes = p->chart->tree.nodes;
	uint32_t node;

	p->path.len = 0;
	for (node = piece->node; node; node = nodes[node].parent)
		mp_buf_add(&p->path, (const char *)&node, sizeof(node));
	*n = p->path.len / sizeof(node);
	return (const uint32_t *)p->path.p;
}

/* Adds a piece: frames that the one before has as well continue. */
static void add_piece(struct picture *p, struct task *t, const struct mp_flame_piece *piece)
{
	size_t n, shared = 0;
	const uint32_t *path = path_of(p, piece, &n);

	while (shared < n && shared < p->n_open &&
	       t->v[p->open[shared]].node == path[n - 1 - shared])
		shared++;
	while (p->n_open > shared)
		close_bar(p, t, piece->begin_ns);
	while (p->n_open < n)
		open_bar(p, t, path[n - 1 - p->n_open], piece->begin_ns);
	if (piece->node != piece->task)
		t->busy_ns += piece->end_ns - piece->begin_ns;
}

/* Makes the bars of the task whose pieces begin at number `i`. Returns where those of the next one do. */
static size_t add_task(struct picture *p, size_t i)
{
	const struct mp_flame_piece *v = p->chart->pieces;
	struct task *t = &p->tasks[p->n_tasks++];
	uint32_t task = v[i].task;
	size_t k;

	for (; i < p->chart->n && v[i].task == task; i++)
		add_piece(p, t, &v[i]);
	while (p->n_open)
		close_bar(p, t, p->chart->end_ns);
	for (k = 0; k < t->n; k++)
		t->rows = MP_MAX(t->rows, t->v[k].depth + 1);
	p->deeper |= t->rows >= MP_FLAME_CHARTSVG_ROWS;
	t->rows = MP_MIN(t->rows, (size_t)MP_FLAME_CHARTSVG_ROWS - 1);
	return i;
}

/* Makes the bars of all tasks that have room. */
static void add_tasks(struct picture *p)
{
	size_t i = 0;

	p->tasks = mp_zalloc((p->chart->tasks + 1) * sizeof(*p->tasks));
	p->rows = 1;
	while (i < p->chart->n) {
		i = add_task(p, i);
		if (p->n_tasks > 1 &&
		    p->rows + p->tasks[p->n_tasks - 1].rows > MP_FLAME_CHARTSVG_ROWS) {
			p->n_tasks--;
			return;
		}
		p->rows += p->tasks[p->n_tasks - 1].rows;
	}
}

/* --- drawing ---------------------------------------------------------------------------------- */

static double x_of(const struct picture *p, uint64_t time_ns)
{
	return SIDE + (double)(time_ns - p->chart->begin_ns) * p->px;
}

/* The upper edge of a row; the first one has the axis. */
static double y_of(const struct picture *p, size_t row)
{
	return MP_FLAME_SVG_TOP + (double)(p->f->icicle ? row : p->rows - 1 - row) * ROW;
}

static void put_times(struct picture *p, const struct bar *b)
{
	char text[MP_UNIT_MAX];

	mp_unit_put(text, "ns", (double)(b->end_ns - b->begin_ns));
	mp_buf_printf(p->svg.to, "\n%s from ", text);
	mp_unit_put(text, "ns", (double)(b->begin_ns - p->chart->begin_ns));
	mp_buf_printf(p->svg.to, "%s on", text);
}

static void draw_frame(struct picture *p, const struct bar *b, size_t row)
{
	struct mp_str name = mp_flame_shown(mp_tree_frame(p->f->tree, b->node).name);
	struct mp_str code = mp_flame_svg_code_of(p->f, b->node);
	double x = x_of(p, b->begin_ns), width = x_of(p, b->end_ns) - x;
	mp_flame_svg_class class;

	mp_flame_svg_class_of(p->f, b->node, class);
	mp_buf_printf(p->svg.to, "<g><title>");
	mp_svg_text(p->svg.to, name);
	put_times(p, b);
	mp_buf_printf(p->svg.to, code.len ? "; " : "");
	mp_svg_text(p->svg.to, code);
	mp_buf_printf(p->svg.to, "</title>");
	mp_flame_svg_rect(&p->svg, class, x, y_of(p, row), width);
	mp_flame_svg_name(&p->svg, name, x, y_of(p, row), width);
	mp_buf_printf(p->svg.to, "</g>\n");
}

static void draw_narrow(struct picture *p, const struct bar *b, size_t row)
{
	double x = x_of(p, b->begin_ns), width = x_of(p, b->end_ns) - x;

	mp_buf_printf(p->svg.to, "<g><title>%lu frame%s narrower than 1 px", (unsigned long)b->n,
		      mp_plural(b->n));
	put_times(p, b);
	mp_buf_printf(p->svg.to, "</title>");
	mp_flame_svg_rect(&p->svg, "m", x, y_of(p, row), width);
	mp_buf_printf(p->svg.to, "</g>\n");
}

/* Draws the name of a task, and for how long it had stacks, over all of the time. */
static void draw_task(struct picture *p, const struct task *t, size_t row)
{
	struct mp_str name = mp_flame_shown(mp_tree_frame(p->f->tree, t->v[0].node).name);
	double width = p->svg.width - 2 * SIDE;
	char text[MP_UNIT_MAX];

	mp_unit_put(text, "ns", (double)t->busy_ns);
	mp_buf_printf(p->svg.to, "<g><title>");
	mp_svg_text(p->svg.to, name);
	mp_buf_printf(p->svg.to, "\nstacks for %s</title>", text);
	mp_flame_svg_rect(&p->svg, "m", SIDE, y_of(p, row), width);
	mp_flame_svg_name(&p->svg, name, SIDE, y_of(p, row), width);
	mp_buf_printf(p->svg.to, "</g>\n");
}

static void draw_tasks(struct picture *p)
{
	size_t row = 1, i, k;

	for (i = 0; i < p->n_tasks; row += p->tasks[i++].rows) {
		const struct task *t = &p->tasks[i];

		draw_task(p, t, row);
		for (k = 1; k < t->n; k++) {
			if (t->v[k].depth >= t->rows)
				continue;
			if (t->v[k].n)
				draw_narrow(p, &t->v[k], row + t->v[k].depth);
			else
				draw_frame(p, &t->v[k], row + t->v[k].depth);
		}
	}
}

static void draw_axis(struct picture *p)
{
	const struct mp_axis axis = {
		.kind = MP_AXIS_TIME,
		.high = (double)(p->chart->end_ns - p->chart->begin_ns),
	};
	double plot = p->svg.width - 2 * SIDE, y = y_of(p, 0), below = p->f->icicle ? ROW - 1 : 0;
	struct mp_tick ticks[MP_TICKS_MAX];
	size_t n = mp_axis_ticks(&axis, plot, false, MP_SVG_FONT, ticks), i;

	for (i = 0; i < n; i++) {
		double x = SIDE + ticks[i].at * plot;
		struct mp_str label = mp_str(ticks[i].label);

		mp_buf_printf(p->svg.to, "<path class=\"axis\" d=\"M");
		mp_svg_num(p->svg.to, x);
		mp_buf_byte(p->svg.to, ' ');
		mp_svg_num(p->svg.to, y + below);
		mp_buf_printf(p->svg.to, "v%d\"/>", p->f->icicle ? -4 : 4);
		if (label.len && x + 4 + mp_svg_width(label, MP_SVG_FONT) < p->svg.width)
			mp_svg_label(p->svg.to, x + 4, y + 13, "class=\"dim\"", label, 0,
				     MP_SVG_FONT);
	}
	mp_buf_byte(p->svg.to, '\n');
}

/* Writes what is not drawn, or nothing. */
static void put_missing(struct mp_buf *to, const struct picture *p)
{
	size_t missing = p->chart->tasks - p->n_tasks;

	if (missing)
		mp_buf_printf(to, "%zu task%s not drawn: %s the fewest stacks", missing,
			      missing == 1 ? " is" : "s are",
			      missing == 1 ? "it has" : "they have");
	else if (p->deeper)
		mp_buf_printf(to, "frames farther from the root are not drawn");
	mp_buf_byte(to, '\0');
}

static void describe(struct picture *p)
{
	if (!p->chart->n) {
		mp_buf_str(&p->text, p->f->nothing);
		return;
	}
	mp_buf_str(&p->text, p->f->subtitle);
	mp_buf_printf(&p->text, ". Flame chart: time from left to right, %zu task%s.", p->n_tasks,
		      mp_plural(p->n_tasks));
}

void mp_flame_chartsvg(struct mp_buf *to, const struct mp_flame *f, double width)
{
	struct picture p = {
		.svg = { .f = f, .to = to, .width = width },
		.f = f,
		.chart = f->chart,
	};
	struct mp_buf note = { NULL, 0, 0 };
	size_t i;

	if (p.chart->n) {
		p.px = (width - 2 * SIDE) / (double)(p.chart->end_ns - p.chart->begin_ns);
		add_tasks(&p);
	}
	put_missing(&note, &p);
	p.svg.height = MP_FLAME_SVG_TOP + (double)p.rows * ROW + SIDE +
		       mp_flame_svg_legend_height(f, *note.p);
	describe(&p);
	mp_flame_svg_begin(&p.svg, mp_buf_view(&p.text));
	if (p.chart->n) {
		draw_axis(&p);
		draw_tasks(&p);
	}
	mp_flame_svg_end(&p.svg, *note.p ? note.p : NULL);
	for (i = 0; p.tasks && i < p.chart->tasks; i++)
		free(p.tasks[i].v);
	free(p.tasks);
	free(p.open);
	mp_buf_release(&p.path);
	mp_buf_release(&p.text);
	mp_buf_release(&note);
}
