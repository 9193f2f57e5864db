// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address spaces beside a model that has a mapping for each page; their memory, and who is charged.
 */
#include "lib/capture/stack/space.h"

#include <stdlib.h>
#include <string.h>

#include "lib/capture/stack/dso.h"
#include "tests/unit/tap.h"

enum { PAGES = 300, SPACES = 8, CHANGES = 20000, FILES = 4 };

struct page {
	struct mp_dso *dso;
	uint64_t offset;
	bool mapped;
};

struct both {
	struct mp_space space;
	struct page pages[PAGES];
};

static struct mp_dso files[FILES];

/* Whether the space has what the model has at each page, in order of address and counted. */
static bool agrees(const struct both *b)
{
	const struct mp_mapping *m;
	uint64_t end = 0;
	size_t n = 0, i;

	for (i = 0; i < PAGES; i++) {
		const struct page *p = &b->pages[i];

		m = mp_space_find(&b->space, i);
		if (!m != !p->mapped ||
		    (m && (m->dso != p->dso || m->offset + i - m->start != p->offset)))
			return false;
	}
	for (m = mp_space_after(&b->space, 0); m; m = mp_space_after(&b->space, m->end)) {
		if (m->start < end || m->end <= m->start)
			return false;
		end = m->end;
		n++;
	}
	return n == b->space.n;
}

static void map(struct both *b, struct mp_budget *budget)
{
	uint64_t start = rand() % PAGES, i;
	struct mp_mapping m = { start, start + 1 + rand() % MP_MIN(20, PAGES - start),
				(uint64_t)rand(), rand() % 5 ? &files[rand() % FILES] : NULL };

	mp_space_add(&b->space, &m, budget, 1000 + rand() % 3);
	for (i = m.start; i < m.end; i++)
		b->pages[i] = (struct page){ m.dso, m.offset + i - m.start, true };
}

static void test_model(void)
{
	static struct both v[SPACES];
	struct mp_budget budget;
	size_t wrong = 0, i, to;

	mp_budget_init(&budget, NULL);
	srand(1);
	for (i = 0; i < CHANGES; i++) {
		struct both *b = &v[rand() % SPACES];

		map(b, &budget);
		wrong += !agrees(b);
		to = rand() % SPACES;
		if (rand() % 20 || &v[to] == b)
			continue;
		mp_space_clear(&v[to].space, &budget);
		mp_space_copy(&v[to].space, &b->space);
		memcpy(v[to].pages, b->pages, sizeof(b->pages));
	}
	for (i = 0; i < SPACES; i++)
		wrong += !agrees(&v[i]);
	ok(wrong == 0, "after each of %d changes and copies all pages have their mappings: %zu not",
	   CHANGES, wrong);
	ok(budget.pools[MP_BUDGET_MAPPINGS].used >= SPACES * mp_space_mapping_bytes(),
	   "the mappings are charged");
	for (i = 0; i < SPACES; i++)
		mp_space_clear(&v[i].space, &budget);
	ok(budget.pools[MP_BUDGET_MAPPINGS].used == 0, "and given back");
	for (i = to = 0; i < FILES; i++)
		to += files[i].refs;
	ok(to == 0, "files are not referred to after that: %zu times", to);
	mp_budget_release(&budget);
}

static size_t bytes_of(const struct mp_budget *budget)
{
	return budget->pools[MP_BUDGET_MAPPINGS].used;
}

/* A large space is copied, and both copies change. */
static void test_share(void)
{
	enum { MANY = 100000, COPIES = 1000 };
	static struct mp_space copies[COPIES];
	struct mp_space s = { .refs = 1 };
	struct mp_mapping m = { .dso = &files[0] };
	struct mp_budget budget;
	size_t whole, i;

	mp_budget_init(&budget, NULL);
	for (i = 0; i < MANY; i++) {
		m.start = (i * 2654435761u) % MANY * 2;
		m.end = m.start + 1;
		mp_space_add(&s, &m, &budget, 1);
	}
	whole = bytes_of(&budget);
	ok(s.n == MANY && whole == MANY * mp_space_mapping_bytes(), "a space has %d mappings",
	   MANY);
	for (i = 0; i < COPIES; i++) {
		mp_space_copy(&copies[i], &s);
		mp_space_add(&copies[i], &m, &budget, 2);
	}
	ok(bytes_of(&budget) < 2 * whole, "%d copies, each with a change, take less than one more",
	   COPIES);
	for (i = 0; i < COPIES; i++)
		mp_space_clear(&copies[i], &budget);
	ok(bytes_of(&budget) == whole && s.n == MANY, "the first is not changed by that");
	m = (struct mp_mapping){ 0, 2 * MANY, 0, NULL };
	mp_space_add(&s, &m, &budget, 1);
	ok(s.n == 1 && bytes_of(&budget) == mp_space_mapping_bytes(), "one mapping replaces all");
	mp_space_clear(&s, &budget);
	mp_budget_release(&budget);
}

/* The log of a just-in-time compiler stays known until the space is cleared. */
static void test_jitdump(void)
{
	struct mp_dso dso = { .is_jitdump = true };
	struct mp_mapping log = { 0x1000, 0x2000, 0, &dso }, other = { 0x1000, 0x2000, 0, NULL };
	struct mp_space s = { .refs = 1 }, child = { .refs = 1 };

	mp_space_add(&s, &log, NULL, 0);
	mp_space_copy(&child, &s);
	mp_space_add(&s, &other, NULL, 0);
	ok(s.jitdump == &dso && child.jitdump == &dso && dso.refs == 3,
	   "a log is known after its mapping was replaced, and in a copy");
	mp_space_clear(&s, NULL);
	mp_space_clear(&child, NULL);
	ok(!s.jitdump && !child.jitdump && dso.refs == 0, "cleared");
}

int main(void)
{
	test_jitdump();
	test_model();
	test_share();
	return tap_done();
}
