// SPDX-License-Identifier: GPL-2.0-only
#include "lib/flame/sides.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/tap.h"

/* Adds a weight to a stack such as "a;b". */
static void add(struct mp_flame_sides *s, struct mp_tree *t, unsigned side, const char *stack,
		int64_t weight)
{
	struct mp_frame frames[8];
	char text[64], *save = NULL, *name;
	size_t n = 0;

	snprintf(text, sizeof(text), "%s", stack);
	for (name = strtok_r(text, ";", &save); name; name = strtok_r(NULL, ";", &save))
		frames[n++] = (struct mp_frame){ .name = mp_str(name), .mark = MP_MARK_NONE };
	mp_flame_sides_add(s, t, side, frames, n, weight);
}

/* The node with a name, or 0. */
static uint32_t find(const struct mp_tree *t, const char *name)
{
	uint32_t i;

	for (i = t->n - 1; i > 0; i--)
		if (mp_str_eq(mp_tree_frame(t, i).name, mp_str(name)))
			break;
	return i;
}

static void test_totals(void)
{
	struct mp_flame_sides s = { .own = false };
	struct mp_tree t;
	unsigned bad;
	uint32_t a;

	mp_tree_init(&t);
	add(&s, &t, MP_FLAME_BEFORE, "main;a", 30);
	add(&s, &t, MP_FLAME_BEFORE, "main;gone", 10);
	add(&s, &t, MP_FLAME_AFTER, "main;a", 10);
	add(&s, &t, MP_FLAME_AFTER, "main;a;new", 10);
	ok(mp_flame_sides_finish(&s, &t, &bad) == 0, "two sides");
	a = find(&t, "a");
	ok(s.side[0].total[0] == 40 && s.side[1].total[0] == 20 && s.side[0].total[a] == 30 &&
		   s.side[1].total[a] == 20 && s.side[1].self[a] == 10,
	   "totals of both sides");
	ok(fabs((double)t.nodes[a].total / (double)t.nodes[0].total - 0.875) < 1e-9,
	   "widths are shares of both sides");
	ok(t.nodes[find(&t, "gone")].total > 0 && t.nodes[find(&t, "new")].total > 0,
	   "what is on one side only has a width");
	ok(mp_flame_sides_step_of(&s, 0) == 0 && mp_flame_sides_step_of(&s, a) == 2 &&
		   mp_flame_sides_step_of(&s, find(&t, "gone")) == -4 &&
		   mp_flame_sides_step_of(&s, find(&t, "new")) == 4,
	   "steps by totals");
	s.own = true;
	ok(mp_flame_sides_step_of(&s, a) == -3, "a step by the frame itself");
	mp_flame_sides_release(&s);
	mp_tree_release(&t);
}

static void test_limits(void)
{
	struct mp_flame_sides s = { .own = false };
	struct mp_tree t;
	unsigned bad = 9;

	mp_tree_init(&t);
	add(&s, &t, MP_FLAME_AFTER, "a", 1);
	ok(mp_flame_sides_finish(&s, &t, &bad) == -1 && bad == MP_FLAME_BEFORE,
	   "a side without a weight has no shares");
	mp_flame_sides_release(&s);
	mp_tree_release(&t);

	mp_tree_init(&t);
	s.measure = MP_FLAME_ABSOLUTE;
	add(&s, &t, MP_FLAME_BEFORE, "a", INT64_MAX);
	add(&s, &t, MP_FLAME_BEFORE, "b", INT64_MAX);
	add(&s, &t, MP_FLAME_AFTER, "c", -1);
	add(&s, &t, MP_FLAME_AFTER, "d", 1);
	ok(mp_flame_sides_finish(&s, &t, &bad) == 0 && s.overflow && s.negative == 1, "limits");
	ok(s.side[0].total[0] == INT64_MAX && s.side[1].total[0] == 1 &&
		   t.nodes[find(&t, "d")].total > 0 && t.nodes[find(&t, "c")].total == 0,
	   "a small weight beside a large one has a width, one below 0 none");
	mp_flame_sides_release(&s);
	mp_tree_release(&t);
}

/* A stack of four of six functions. */
static void random_stack(char stack[16])
{
	size_t i;

	for (i = 0; i < 8; i += 2) {
		stack[i] = (char)('a' + rand() % 6);
		stack[i + 1] = ';';
	}
	stack[7] = '\0';
}

/* Whether any frame of two samples of the same stacks, one twice as long, differs. */
static bool false_alarm(bool own)
{
	struct mp_flame_sides s = { .counts = true, .own = own };
	bool any = false;
	struct mp_tree t;
	char stack[16];
	unsigned bad;
	size_t i;

	mp_tree_init(&t);
	for (i = 0; i < 3000; i++) {
		random_stack(stack);
		add(&s, &t, i % 3 ? MP_FLAME_AFTER : MP_FLAME_BEFORE, stack, 1);
	}
	mp_flame_sides_finish(&s, &t, &bad);
	for (i = 0; i < t.n; i++)
		any |= mp_flame_sides_step_of(&s, i) != 0;
	mp_flame_sides_release(&s);
	mp_tree_release(&t);
	return any;
}

/* At most a twentieth is expected; the binomial probability of more than 34 of 400 is 0.1 %. */
static void test_false_alarms(void)
{
	enum { TRIALS = 400, MOST = 34 };
	unsigned own, alarms, i;

	srand(11);
	for (own = 0; own < 2; own++) {
		for (alarms = i = 0; i < TRIALS; i++)
			alarms += false_alarm(own);
		ok(alarms <= MOST, "no difference, %s: %u false alarms in %d trials",
		   own ? "frames themselves" : "totals", alarms, TRIALS);
	}
}

int main(void)
{
	test_totals();
	test_limits();
	test_false_alarms();
	return tap_done();
}
