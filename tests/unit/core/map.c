// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/map.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/tap.h"

static struct mp_map_entry *put(struct mp_map *m, const char *a, const char *b, bool *fresh)
{
	struct mp_str parts[2] = { mp_str(a), mp_str(b) };

	return mp_map_put(m, parts, 2, fresh);
}

static void test_many(void)
{
	struct mp_map_entry *e;
	struct mp_map m;
	bool fresh, right = true;
	char key[32];
	int i, n = 0;

	mp_map_init(&m, sizeof(int));
	for (i = 0; i < 100000; i++) {
		snprintf(key, sizeof(key), "key %d", i % 30000);
		e = put(&m, key, "x", &fresh);
		right &= fresh == (i < 30000);
		++*(int *)mp_map_value(e);
	}
	ok(right && m.n == 30000, "30,000 keys, fresh once each");
	mp_map_each (&m, e) {
		snprintf(key, sizeof(key), "key %d\tx", n);
		right &= mp_str_eq(e->key, mp_str(key)) &&
			 *(int *)mp_map_value(e) == (n < 10000 ? 4 : 3);
		n++;
	}
	ok(right && n == 30000, "iteration in order of insertion, values kept while growing");
	mp_map_clear(&m);
	ok(m.n == 0 && !m.first, "clear");
	put(&m, "a", "b", &fresh);
	ok(fresh && m.n == 1, "usable after clear");
	mp_map_clear(&m);
	put(&m, "a", "b", &fresh);
	ok(fresh && m.mask < 30000, "usable after a clear that made it smaller");
	mp_map_release(&m);
}

static void test_parts(void)
{
	struct mp_str one = MP_STR("a\tb"), two[2] = { MP_STR("a"), MP_STR("b") },
		      other[2] = { MP_STR("ab"), MP_STR("") };
	struct mp_map m;
	bool fresh;

	mp_map_init(&m, 0);
	put(&m, "a", "b", NULL);
	ok(mp_map_find(&m, two, 2), "found by its parts");
	ok(!mp_map_find(&m, other, 2), "parts are distinguished");
	ok(!mp_map_find(&m, two, 1), "one part is another key");
	ok(mp_str_eq(m.first->key, one), "the key is the parts joined by a TAB");
	put(&m, "", "", &fresh);
	ok(fresh, "empty parts");
	mp_map_release(&m);
}

static void test_arena(void)
{
	struct mp_arena a = { NULL, 0, 0 };
	char *p[2000];
	bool right = true;
	int i;

	for (i = 0; i < 2000; i++) {
		p[i] = mp_arena_alloc(&a, i * 7 % 5000);
		memset(p[i], i & 127, i * 7 % 5000);
		right &= (uintptr_t)p[i] % 8 == 0;
	}
	for (i = 0; i < 2000; i++)
		right &= i * 7 % 5000 == 0 || p[i][i * 7 % 5000 - 1] == (i & 127);
	ok(right, "2,000 allocations, aligned, none overlaps");
	ok(mp_arena_str(&a, (struct mp_str){ NULL, 0 }).len == 0, "empty text");
	mp_arena_release(&a);
}

int main(void)
{
	mp_init("unit-map");
	test_many();
	test_parts();
	test_arena();
	return tap_done();
}
