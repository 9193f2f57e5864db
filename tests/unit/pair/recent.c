// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/recent.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/tap.h"

static char text[300000];

/* A line of a given length that holds its number. */
static struct mp_str line_of(uint64_t n, size_t longest)
{
	size_t len = 8 + n * 7919 % longest;

	memset(text, 'a' + n % 26, len);
	memcpy(text, &n, sizeof(n));
	return (struct mp_str){ text, len };
}

static bool holds(const struct mp_recent *r, size_t longest)
{
	uint64_t i;

	for (i = r->first; i < r->next; i++)
		if (!mp_str_eq(mp_recent_get(r, i), line_of(i, longest)))
			return false;
	return true;
}

static void test_flow(size_t limit, size_t longest, int drop)
{
	struct mp_recent r;
	bool right = true;
	size_t most = 0, fewest = SIZE_MAX;
	int i;

	mp_recent_init(&r, limit);
	for (i = 0; i < 20000; i++) {
		mp_recent_add(&r, line_of(r.next, longest));
		if (drop && rand() % drop == 0)
			mp_recent_drop(&r, r.first + rand() % (r.next - r.first + 2));
		right &= r.first <= r.next;
		if (i % 500 == 0)
			right &= holds(&r, longest);
		most = MP_MAX(most, r.cap);
		if (i > 10000 && !drop)
			fewest = MP_MIN(fewest, r.next - r.first);
	}
	ok(right && r.next == 20000, "lines up to %zu, %zu bytes, dropped %d", longest, limit,
	   drop);
	ok(most <= MP_MAX(limit, 2 * longest + 65536), "bounded: %zu", most);
	ok(drop || fewest * (8 + longest) > limit / 4, "room is used: %zu lines at least", fewest);
	mp_recent_release(&r);
}

static void test_edges(void)
{
	struct mp_recent r;

	mp_recent_init(&r, 1 << 20);
	mp_recent_drop(&r, 5);
	ok(r.first == 0 && r.next == 0, "dropping of nothing");
	mp_recent_add(&r, MP_STR("one"));
	mp_recent_drop(&r, 0);
	ok(mp_str_eq(mp_recent_get(&r, 0), MP_STR("one")), "held");
	mp_recent_drop(&r, 100);
	ok(r.first == 1, "no number that is still to come");
	mp_recent_add(&r, (struct mp_str){ text, sizeof(text) });
	mp_recent_add(&r, MP_STR("two"));
	ok(r.next == 3 && mp_str_eq(mp_recent_get(&r, 2), MP_STR("two")), "a long line");
	mp_recent_release(&r);
}

int main(void)
{
	mp_init("unit-recent");
	srand(3);
	test_flow(1 << 20, 100, 0);
	test_flow(200000, 1, 0); /* lines that fill the ring exactly */
	test_flow(1 << 20, 20000, 0);
	test_flow(1 << 20, 3000, 5);
	test_flow(1 << 20, 3000, 400);
	test_flow(1 << 16, 200000, 0);
	test_edges();
	return tap_done();
}
