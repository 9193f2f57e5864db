// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/waiting.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/tap.h"

/* A simple reference: an array in order of age, searched from end to end. */
enum { MODEL_MAX = 3000 };

struct model_entry {
	int key;
	unsigned long came; /* number of the arrival */
	struct mp_waiter *w;
};

static struct model_entry model[MODEL_MAX];
static size_t model_n;
static unsigned long came;

static void release(struct mp_waiting *t, void *value)
{
	(void)t;
	(void)value;
}

static struct mp_str key_text(char *to, int key)
{
	/* keys of all lengths, so that buffers of removed entries are sometimes too small */
	return (struct mp_str){ to, snprintf(to, 200, "%0*d", key % 90 + 1, key) };
}

static size_t model_find(int key, bool last)
{
	size_t best = MODEL_MAX, i;

	for (i = 0; i < model_n; i++)
		if (model[i].key == key &&
		    (best == MODEL_MAX ||
		     (last ? model[i].came > model[best].came : model[i].came < model[best].came)))
			best = i;
	return best;
}

static bool same_order(const struct mp_waiting *t)
{
	const struct mp_waiter *w = t->oldest;
	size_t i;

	for (i = 0; i < model_n; i++, w = w->newer)
		if (w != model[i].w)
			return false;
	return !w && t->n == model_n && (model_n == 0 || t->newest == model[model_n - 1].w);
}

static bool step(struct mp_waiting *t, int keys)
{
	char text[200];
	int key = rand() % keys, kind = rand() % 16;
	bool last = rand() & 1;
	struct mp_waiter *w = mp_waiting_find(t, key_text(text, key));
	size_t at = model_find(key, last);

	if ((at == MODEL_MAX) != !w || (w && (last ? w->last : w) != model[at].w))
		return false;
	if (kind < 8 && model_n < MODEL_MAX) {
		w = mp_waiting_add(t, key_text(text, key));
		*(int *)mp_waiter_value(w) = key;
		model[model_n++] = (struct model_entry){ key, came++, w };
	} else if (w && kind < 11) {
		int to = rand() % keys;

		mp_waiting_move(t, model[at].w, key_text(text, to));
		*(int *)mp_waiter_value(model[at].w) = to;
		model[at].key = to;
		model[at].came = came++;
	} else if (w) {
		if (*(int *)mp_waiter_value(model[at].w) != key)
			return false;
		mp_waiting_remove(t, model[at].w);
		memmove(&model[at], &model[at + 1], (--model_n - at) * sizeof(model[0]));
	}
	if (rand() % 1000 == 0)
		mp_waiting_trim(t);
	return true;
}

static void test_against_model(int keys, int steps)
{
	struct mp_waiting t;
	bool right = true;
	int i;

	mp_waiting_init(&t, sizeof(int), release);
	model_n = 0;
	for (i = 0; i < steps && right; i++) {
		right = step(&t, keys);
		if (i % 97 == 0)
			right = right && same_order(&t);
	}
	ok(right, "%d steps with %d keys as a simple model has it", steps, keys);
	while (t.oldest)
		mp_waiting_remove(&t, t.oldest);
	mp_waiting_trim(&t);
	ok(t.n == 0 && t.by_key.n == 0 && t.bytes == 0, "empty, all bytes accounted for");
	mp_waiting_release(&t);
}

static void test_steady(void)
{
	struct mp_waiting t;
	char text[200];
	size_t bytes = 0;
	int i;

	mp_waiting_init(&t, 8, release);
	for (i = 0; i < 100000; i++) {
		mp_waiting_add(&t, key_text(text, i));
		if (t.n > 100)
			mp_waiting_remove(&t, t.oldest);
		if (i == 20000)
			bytes = t.bytes;
	}
	ok(t.bytes == bytes, "a steady flow takes no more memory");
	mp_waiting_release(&t);
}

int main(void)
{
	mp_init("unit-waiting");
	srand(7);
	test_against_model(1, 5000);
	test_against_model(40, 60000);
	test_against_model(5000, 60000);
	test_steady();
	return tap_done();
}
