// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/chart.h"

#include "tests/unit/tap.h"

/* Adds an event of a task with a stack of one frame, or of none. */
static void add(struct mp_flame_chart *c, const char *comm, const char *tid, const char *frame,
		uint64_t begin, uint64_t end)
{
	const struct mp_frame frames[] = {
		{ .name = mp_str(comm) },
		{ .name = mp_str(tid) },
		{ .name = mp_str(frame ? frame : "") },
	};

	mp_flame_chart_add(c, frames, frame ? 3 : 2, 2, begin, end);
}

/* The pieces as text: "a 1: x 0-5, - 5-9; b 2: ...", where "-" is no stack. */
static struct mp_str text_of(const struct mp_flame_chart *c, struct mp_buf *to)
{
	size_t i;

	to->len = 0;
	for (i = 0; i < c->n; i++) {
		const struct mp_flame_piece *p = &c->pieces[i];
		struct mp_str task = mp_tree_frame(&c->tree, p->task).name, frame = MP_STR("-");

		if (!i || p[-1].task != p->task)
			mp_buf_printf(to, "%s%.*s: ", i ? "; " : "", MP_STR_ARGS(task));
		else
			mp_buf_printf(to, ", ");
		if (p->node != p->task)
			frame = mp_tree_frame(&c->tree, p->node).name;
		mp_buf_printf(to, "%.*s %llu-%llu", MP_STR_ARGS(frame),
			      (unsigned long long)p->begin_ns, (unsigned long long)p->end_ns);
	}
	return mp_buf_view(to);
}

static void is(struct mp_flame_chart *c, const char *wanted, const char *what)
{
	struct mp_buf text = { NULL, 0, 0 };
	struct mp_str got;

	mp_flame_chart_finish(c);
	got = text_of(c, &text);
	ok(mp_str_eq(got, mp_str(wanted)), "%s: %.*s", what, MP_STR_ARGS(got));
	mp_buf_release(&text);
	mp_flame_chart_release(c);
	mp_flame_chart_init(c);
}

int main(void)
{
	struct mp_flame_chart c;
	int i;

	mp_flame_chart_init(&c);
	is(&c, "", "no events");
	add(&c, "a", "1", "x", 7, 7);
	is(&c, "a 1: x 7-8", "one sample");

	for (i = 0; i < 5; i++)
		add(&c, "a", "1", i == 2 ? "y" : "x", 100 + 10 * i, 100 + 10 * i);
	add(&c, "a", "1", "x", 200, 200);
	add(&c, "b", "2", "z", 115, 115);
	add(&c, "b", "2", "z", 129, 129);
	is(&c,
	   "a 1: x 100-120, y 120-130, x 130-150, - 150-200, x 200-210; "
	   "b 2: - 100-115, z 115-139, - 139-210",
	   "samples last until the next one, or for the median");

	add(&c, "a", "1", "late", 30, 50);
	add(&c, "a", "1", "x", 10, 35);
	add(&c, "a", "1", NULL, 60, 70);
	add(&c, "a", "2", "whole", 0, 100);
	is(&c, "a 2: whole 0-100; a 1: - 0-10, x 10-30, late 30-50, - 50-100",
	   "spans, one of which the next one ends, one without a stack");

	add(&c, "a", "1", "x", 5, 5);
	add(&c, "a", "1", "y", 5, 5);
	add(&c, "a", "1", "x", UINT64_MAX - 1, UINT64_MAX);
	mp_flame_chart_finish(&c);
	ok(c.n == 2 && c.begin_ns == 5 && c.end_ns == UINT64_MAX,
	   "the same time, and the last one");
	mp_flame_chart_release(&c);
	return tap_done();
}
