// SPDX-License-Identifier: GPL-2.0-only
#include "lib/tree/tree.h"

#include <stdlib.h>

#include "tests/unit/tap.h"

/* Adds a stack given as a text of frames without escapes. */
static void add(struct mp_tree *t, const char *stack, int64_t weight)
{
	struct mp_frame frames[16];
	struct mp_str rest = mp_str(stack), frame;
	size_t n = 0;

	while (rest.len) {
		const char *end = memchr(rest.p, ';', rest.len);

		frame = (struct mp_str){ rest.p, end ? (size_t)(end - rest.p) : rest.len };
		frames[n].mark = mp_frame_mark(frame, &frames[n].name);
		n++;
		rest = mp_str_skip(rest, frame.len + (end != NULL));
	}
	mp_tree_add(t, frames, n, weight);
}

/* The nodes as a walk meets them: "NAME@PLACE+TOTAL", indented by one blank for each level. */
static const char *walked(const struct mp_tree *t)
{
	static char text[1024];
	struct mp_tree_walk w = { 0 };
	size_t len = 0;

	text[0] = '\0';
	while (mp_tree_step(t, &w, true)) {
		struct mp_frame f = mp_tree_frame(t, w.node);

		len += snprintf(text + len, sizeof(text) - len, "%*s%.*s%c@%lld+%lld\n",
				(int)w.depth - 1, "", MP_STR_ARGS(f.name), f.mark ? f.mark : ' ',
				(long long)w.at, (long long)t->nodes[w.node].total);
	}
	return text;
}

static void test_order(void)
{
	struct mp_tree t;

	mp_tree_init(&t);
	add(&t, "b;y;z", 5);
	add(&t, "a", 1);
	add(&t, "b;x", 3);
	add(&t, "b", 2);
	add(&t, "b;y_[k]", 4);
	add(&t, "b;y;z", 1);
	mp_tree_finish(&t);
	ok(t.nodes[0].total == 16 && t.nodes[0].self == 0, "the root has the sum of all");
	ok(strcmp(walked(&t), "a @0+1\n"
			      "b @1+15\n"
			      " x @1+3\n"
			      " y @4+6\n"
			      "  z @4+6\n"
			      " yk@10+4\n") == 0,
	   "siblings are in the order of names and marks, each beside the one before");
	ok(mp_tree_names(&t) == 6, "a name is kept once, one with a mark is another");
	mp_tree_release(&t);
}

static void test_weights(void)
{
	struct mp_tree t;

	mp_tree_init(&t);
	add(&t, "a;b", -5);
	add(&t, "a;c", 3);
	add(&t, "a;c", -1);
	add(&t, "a;d", 0);
	add(&t, "e;f", -1);
	add(&t, "e;f", 1);
	mp_tree_finish(&t);
	ok(t.negative == 1 && !t.overflow, "a weight below 0 is counted");
	ok(strcmp(walked(&t), "a @0+2\n c @0+2\n") == 0, "what has no weight is not met");
	mp_tree_release(&t);
	mp_tree_init(&t);
	add(&t, "a", INT64_MAX);
	add(&t, "b", 7);
	add(&t, "a", 1);
	mp_tree_finish(&t);
	ok(t.overflow && t.nodes[0].total == INT64_MAX, "sums stop at INT64_MAX");
	ok(strcmp(walked(&t), "a @0+9223372036854775807\n") == 0, "and no node is beyond");
	mp_tree_release(&t);
}

static void test_empty(void)
{
	struct mp_tree_walk w = { 0 };
	struct mp_tree t;

	mp_tree_init(&t);
	mp_tree_finish(&t);
	ok(!mp_tree_step(&t, &w, true) && t.nodes[0].total == 0, "a tree without stacks");
	mp_tree_release(&t);
	mp_tree_init(&t);
	mp_tree_add(&t, NULL, 0, 3);
	mp_tree_finish(&t);
	ok(t.nodes[0].self == 3, "a stack without frames is the root");
	mp_tree_release(&t);
}

enum { DEEP = 1000000 };

static void test_deep(void)
{
	struct mp_frame *frames = mp_alloc(DEEP * sizeof(*frames));
	struct mp_tree_walk w = { 0 };
	size_t i, met = 0, deepest = 0;
	struct mp_tree t;

	for (i = 0; i < DEEP; i++)
		frames[i] = (struct mp_frame){ .name = i & 1 ? MP_STR("f") : MP_STR("g\t;") };
	mp_tree_init(&t);
	mp_tree_add(&t, frames, DEEP, 1);
	mp_tree_add(&t, frames, DEEP / 2, 1);
	mp_tree_finish(&t);
	while (mp_tree_step(&t, &w, true)) {
		met++;
		deepest = MP_MAX(deepest, w.depth);
	}
	ok(met == DEEP && deepest == DEEP && w.at == 2, "a stack of a million frames");
	ok(t.nodes[1].total == 2 && t.nodes[DEEP].total == 1, "its totals");
	w = (struct mp_tree_walk){ 0 };
	mp_tree_step(&t, &w, true);
	ok(!mp_tree_step(&t, &w, false), "a step that does not enter skips the descendants");
	mp_tree_release(&t);
	free(frames);
}

/* Compares with a sum over all stacks, in an order that makes the search for nodes work. */
static void test_many(void)
{
	char stack[64];
	struct mp_tree t;
	struct mp_tree_walk w = { 0 };
	int64_t sum = 0;
	size_t i, leaves = 0;

	mp_tree_init(&t);
	for (i = 0; i < 20000; i++) {
		size_t k = i * 7919 % 10000;

		snprintf(stack, sizeof(stack), "r%zu;s%zu;t%zu", k % 3, k % 101, k);
		add(&t, stack, (int64_t)k + 1);
		sum += (int64_t)k + 1;
	}
	mp_tree_finish(&t);
	while (mp_tree_step(&t, &w, true))
		leaves += !t.nodes[w.node].child && t.nodes[w.node].self % 2 == 0;
	ok(leaves == 10000, "each stack, added twice, is one leaf");
	ok(t.nodes[0].total == sum, "the total is the sum");
	mp_tree_release(&t);
}

int main(void)
{
	mp_init("tree");
	test_order();
	test_weights();
	test_empty();
	test_deep();
	test_many();
	return tap_done();
}
