// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/aggregate/ledger.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#include "tests/unit/tap.h"

enum { KEYS = 500, WRITERS = 200, STEPS = 300 };

static struct mp_agg_total truth[KEYS], saved[KEYS], found[KEYS], spilled;
static uint32_t slots[KEYS];
static unsigned n_records, wrong_records;

static struct mp_agg_ledger_key key_of(unsigned number)
{
	struct mp_agg_ledger_key key = { .aggregate = number % 3 };

	memcpy(key.bytes, &number, sizeof(number));
	return key;
}

static void restore(void *arg, uint32_t slot, const struct mp_agg_ledger_key *key,
		    const struct mp_agg_total *total)
{
	unsigned number;

	(void)arg;
	memcpy(&number, key->bytes, sizeof(number));
	if (!slot) {
		spilled.count += total->count;
	} else if (number < KEYS) {
		found[number].weight += total->weight;
		found[number].count += total->count;
		slots[number] = slot;
	}
}

/* Changes totals at random; some are removed, so that their slots are used for others. */
static void change(struct mp_agg_ledger *l)
{
	unsigned number = (unsigned)random() % KEYS;
	struct mp_agg_total more = { (uint64_t)random() % 100, 1 };
	struct mp_agg_ledger_key key = key_of(number);

	if (slots[number] && random() % 4 == 0) {
		mp_agg_ledger_remove(l, slots[number], key.aggregate, &truth[number]);
		truth[number] = (struct mp_agg_total){ 0, 0 };
		slots[number] = 0;
		return;
	}
	mp_agg_ledger_add(l, &slots[number], &key, &more);
	truth[number].weight += more.weight;
	truth[number].count++;
}

static void test_totals(void *memory)
{
	uint64_t number = 0;
	unsigned writer, i, n, wrong = 0;

	for (writer = 0; writer < WRITERS; writer++) {
		struct mp_agg_ledger *l = mp_agg_ledger_new(memory);

		memset(found, 0, sizeof(found));
		memset(slots, 0, sizeof(slots));
		mp_agg_ledger_restore(l, number, restore, NULL);
		wrong += memcmp(found, saved, sizeof(found)) != 0;
		memcpy(truth, saved, sizeof(truth));
		n = (unsigned)random() % STEPS;
		for (i = 0; i < n; i++) {
			change(l);
			if (random() % 20)
				continue;
			mp_agg_ledger_saved(l, ++number);
			memcpy(saved, truth, sizeof(saved));
		}
		mp_agg_ledger_free(l); /* it dies */
	}
	ok(!wrong, "%d writers die; each finds what the state has that was saved last", WRITERS);
	ok(!spilled.count, "nothing did not fit");
}

static void check_record(void *arg, enum mp_agg_ledger_type type, struct mp_str record)
{
	const char *text = arg;

	wrong_records += type != (n_records % 2 ? MP_AGG_LEDGER_STACK : MP_AGG_LEDGER_TEXT) ||
			 !mp_str_eq(record, (struct mp_str){ text, n_records % 50 });
	n_records++;
}

static void test_records(void *memory)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz";
	struct mp_agg_ledger *l = mp_agg_ledger_new(memory);
	char *large = malloc(100 << 20);
	unsigned i;

	for (i = 0; i < 1000; i++)
		mp_agg_ledger_put(l, i % 2 ? MP_AGG_LEDGER_STACK : MP_AGG_LEDGER_TEXT,
				  (struct mp_str){ text, i % 50 });
	mp_agg_ledger_free(l);
	l = mp_agg_ledger_new(memory);
	mp_agg_ledger_each(l, check_record, (void *)text);
	ok(n_records == 1000 && !wrong_records, "records are there in their order");
	memset(large, 'x', 100 << 20);
	for (i = 0; i < 7; i++)
		mp_agg_ledger_put(l, MP_AGG_LEDGER_TEXT, (struct mp_str){ large, 100 << 20 });
	mp_agg_ledger_put(l, MP_AGG_LEDGER_TEXT, MP_STR("a"));
	n_records = 0;
	mp_agg_ledger_each(l, check_record, (void *)text);
	ok(n_records == 1005, "after one that did not fit there is no further one");
	mp_agg_ledger_free(l);
	free(large);
}

/* Prints what docs/overhead.md has; asserts nothing, since machines differ. */
static void print_cost(void *memory, unsigned n)
{
	enum { ADDITIONS = 1000000, A_STATE = 1000 };
	static const struct mp_agg_total more = { 7, 1 };
	struct mp_agg_ledger *l = mp_agg_ledger_new(memory);
	uint32_t *of = calloc(n, sizeof(*of));
	clock_t began = clock();
	unsigned i;

	for (i = 0; i < ADDITIONS; i++) {
		struct mp_agg_ledger_key key = { .aggregate = 0 };
		unsigned number = i % n;

		memcpy(key.bytes, &number, sizeof(number));
		mp_agg_ledger_add(l, &of[number], &key, &more);
		if (i % A_STATE == A_STATE - 1)
			mp_agg_ledger_saved(l, i);
	}
	printf("# %d additions to %u totals: %.3f s of CPU time\n", ADDITIONS, n,
	       (double)(clock() - began) / CLOCKS_PER_SEC);
	mp_agg_ledger_free(l);
	free(of);
}

/* Whatever another writer has left is read without harm. */
static void test_damage(char *memory)
{
	size_t used = (size_t)8 << 20;
	unsigned round;
	size_t i;

	for (round = 0; round < 4; round++) {
		struct mp_agg_ledger *l;

		for (i = 0; i < used; i += sizeof(long))
			*(long *)(memory + i) = random() << (round % 2 ? 32 : 0) ^ random();
		l = mp_agg_ledger_new(memory);
		mp_agg_ledger_each(l, check_record, (void *)"");
		mp_agg_ledger_restore(l, (uint64_t)random(), restore, NULL);
		for (i = 0; i < 100; i++)
			change(l);
		mp_agg_ledger_free(l);
	}
	ok(true, "random bytes do no harm");
}

int main(void)
{
	void *memory = mmap(NULL, MP_AGG_LEDGER_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	mp_init("unit-ledger");
	srandom(1);
	test_totals(memory);
	test_records(memory);
	madvise(memory, MP_AGG_LEDGER_BYTES, MADV_DONTNEED);
	test_damage(memory);
	madvise(memory, MP_AGG_LEDGER_BYTES, MADV_DONTNEED);
	print_cost(memory, 100);
	print_cost(memory, 10000);
	print_cost(memory, 300000);
	munmap(memory, MP_AGG_LEDGER_BYTES);
	return tap_done();
}
