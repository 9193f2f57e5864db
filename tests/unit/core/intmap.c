// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/intmap.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/tap.h"

/* The reference: the number of entries of each (key, value), counted in an array. */
enum { KEYS = 64, VALUES = 4, STEPS = 200000, MANY = 300000 };

static unsigned model[KEYS][VALUES];
static size_t model_n;

static uint64_t key_of(unsigned i, uint64_t factor)
{
	return i * factor; /* 0 is also a key */
}

static struct mp_intmap_entry *find_value(const struct mp_intmap *m, uint64_t key, uint64_t value)
{
	struct mp_intmap_entry *e = mp_intmap_find(m, key);

	while (e->value && e->value != value)
		e = mp_intmap_next(m, e);
	return e;
}

static bool same_as_model(const struct mp_intmap *m, uint64_t factor)
{
	const struct mp_intmap_entry *e;
	size_t n = 0;
	unsigned i, v;

	for (i = 0; i < KEYS; i++) {
		unsigned seen[VALUES] = { 0 };

		for (e = mp_intmap_find(m, key_of(i, factor)); e->value; e = mp_intmap_next(m, e))
			seen[e->value - 1]++;
		for (v = 0; v < VALUES; v++)
			if (seen[v] != model[i][v])
				return false;
	}
	mp_intmap_each (m, e)
		n++;
	return n == model_n && m->n == model_n;
}

/* Compares a table with the model. With more than `full` entries, most steps remove one. */
static void against_model(uint64_t factor, size_t full, const char *what)
{
	struct mp_intmap m;
	bool right = true;
	int step;

	memset(model, 0, sizeof(model));
	model_n = 0;
	mp_intmap_init(&m);
	for (step = 0; step < STEPS && right; step++) {
		unsigned i = rand() % KEYS, v = rand() % VALUES;
		struct mp_intmap_entry *e = find_value(&m, key_of(i, factor), v + 1);

		right = !!e->value == !!model[i][v];
		if (e->value && rand() % 4) {
			mp_intmap_remove(&m, e);
			model[i][v]--;
			model_n--;
		} else if (model_n < full) {
			mp_intmap_add(&m, key_of(i, factor), v + 1);
			model[i][v]++;
			model_n++;
		}
		if (step % 500 == 0)
			right &= same_as_model(&m, factor);
	}
	ok(right && same_as_model(&m, factor), "%s", what);
	mp_intmap_release(&m);
}

static void growth(void)
{
	struct mp_intmap m;
	bool right = true;
	uint64_t i;

	mp_intmap_init(&m);
	for (i = 0; i < MANY; i++)
		mp_intmap_add(&m, i << 32 | i, i + 1);
	for (i = 0; i < MANY; i++)
		right &= mp_intmap_get(&m, i << 32 | i) == i + 1;
	ok(right && m.n == MANY && !mp_intmap_get(&m, 1), "every one of %d keys is found", MANY);
	ok(mp_intmap_bytes(&m) >= 2 * 16 * MANY && mp_intmap_bytes(&m) <= 4 * 16 * MANY,
	   "it is between a quarter and half full");
	mp_intmap_clear(&m);
	ok(m.n == 0 && !mp_intmap_get(&m, 0), "no key is left after clear");
	mp_intmap_add(&m, UINT64_MAX, UINT64_MAX);
	ok(mp_intmap_get(&m, UINT64_MAX) == UINT64_MAX, "the greatest key and value");
	mp_intmap_release(&m);
}

static void removal_in_a_loop(void)
{
	struct mp_intmap_entry *e;
	struct mp_intmap m;
	uint64_t i;
	bool right = true;

	mp_intmap_init(&m);
	for (i = 0; i < MANY; i++)
		mp_intmap_add(&m, i, i + 1);
	mp_intmap_each (&m, e)
		while (e->value && e->key % 3)
			mp_intmap_remove(&m, e);
	for (i = 0; i < MANY; i++)
		right &= mp_intmap_get(&m, i) == (i % 3 ? 0 : i + 1);
	ok(right && m.n == MANY / 3, "a loop removes what it wants and sees every entry");
	mp_intmap_release(&m);
}

static void pointers(void)
{
	struct mp_intmap m = { .slots = NULL };
	struct mp_intmap_entry *e;
	int target, n = 0;

	mp_intmap_each (&m, e)
		n++;
	ok(n == 0, "a zeroed table has no entries");
	mp_intmap_init(&m);
	mp_intmap_add_pointer(&m, 7, &target);
	ok(mp_intmap_pointer(&m, 7) == &target && !mp_intmap_pointer(&m, 8), "pointers");
	mp_intmap_release(&m);
}

int main(void)
{
	srand(1);
	against_model(1, 100, "small keys");
	against_model(0x9e3779b97f4a7c15u, 100, "keys far from each other");
	against_model((uint64_t)1 << 58, 100, "keys that differ in the upper bits alone");
	against_model(1, 500, "long runs of one key");
	growth();
	removal_in_a_loop();
	pointers();
	return tap_done();
}
