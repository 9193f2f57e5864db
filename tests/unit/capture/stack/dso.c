// SPDX-License-Identifier: GPL-2.0-only
/* Files with code: what is kept of them within the share of a user, and what is given up first. */
#include "lib/capture/stack/dso.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "tests/unit/tap.h"

enum { ALICE = 1000, BOB = 1001, FULL = 120 << 20 };

static struct mp_opener opener;
static struct mp_budget budget;
static struct mp_dsos d;
static uint32_t n_gone;

static void gone(void *arg, uint32_t number)
{
	(void)arg, (void)number;
	n_gone++;
}

static void begin(void)
{
	mp_budget_init(&budget, NULL);
	budget.trusted = 500;
	mp_dsos_init(&d, &opener);
	d.budget = &budget;
	d.gone = gone;
	n_gone = 0;
}

static void end(void)
{
	mp_dsos_release(&d);
	mp_budget_release(&budget);
}

static struct mp_dso *get(const char *path, uid_t uid)
{
	const struct mp_budget_who who = { .uid = uid, .pid = getpid() };
	struct mp_proc_map map = { .start = 1, .end = 2, .path = path };
	struct stat st = { .st_ino = 0 };

	stat(path, &st);
	map.major = major(st.st_dev);
	map.minor = minor(st.st_dev);
	map.inode = st.st_ino;
	return mp_dsos_get(&d, &map, &who);
}

static char *own_path(void)
{
	static char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[MP_MAX(len, 0)] = '\0';
	return path;
}

/* The tables of files return, under a new number, when they are requested. */
static void test_tables(void)
{
	struct mp_dso *a, *b;
	uint64_t first;

	begin();
	a = get(own_path(), ALICE);
	b = get("/bin/sh", ALICE);
	a->refs = b->refs = 1;
	ok(mp_dso_cfi(&d, a) && a->cfi && mp_dso_symbols(&d, a), "tables of a file");
	ok(budget.pools[MP_BUDGET_TABLES].used == a->charged + b->charged &&
		   a->charged > mp_cfi_bytes(a->cfi) + mp_elfsym_bytes(a->symbols),
	   "their memory is charged");
	first = a->cfi_id;
	mp_budget_spend(&budget, MP_BUDGET_TABLES, ALICE, FULL);
	ok(mp_dso_cfi(&d, b) && b->cfi && !a->cfi && !a->symbols,
	   "those used longest ago are given up above the share");
	ok(mp_dso_cfi(&d, a) && a->cfi_id != first && mp_dso_symbols(&d, a),
	   "and read again when they are wanted");
	ok(n_gone == 0, "files that are mapped stay");
	end();
}

/* Files that are mapped no longer are forgotten, and their numbers used again. */
static void test_entries(void)
{
	enum { FILES = 1000 };
	struct mp_dso *mapped, *bobs;
	size_t used, i;
	char path[64];

	begin();
	mapped = get("/mapped", ALICE);
	bobs = get("/of-bob", BOB);
	mapped->refs = 1;
	for (i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "/file/%zu", i);
		get(path, ALICE);
	}
	used = budget.pools[MP_BUDGET_TABLES].used;
	ok(d.n_all == FILES + 2 && n_gone == 0, "files stay while there is room");
	mp_budget_spend(&budget, MP_BUDGET_TABLES, ALICE, FULL);
	get("/one-more", ALICE);
	mp_budget_give(&budget, MP_BUDGET_TABLES, ALICE, FULL);
	ok(n_gone > FILES / 5 && budget.pools[MP_BUDGET_TABLES].used < used,
	   "files without mappings are forgotten for a new one of the same user: %u", n_gone);
	ok(mp_dsos_numbered(&d, mapped->number) == mapped &&
		   mp_dsos_numbered(&d, bobs->number) == bobs && get("/mapped", ALICE) == mapped,
	   "not one that is mapped, nor one of another user");
	for (i = 0; i < FILES / 5; i++) {
		snprintf(path, sizeof(path), "/again/%zu", i);
		get(path, ALICE);
	}
	ok(d.n_all == FILES + 2, "new files get the numbers of forgotten ones");
	end();
}

/* Files that are all mapped. */
static void test_other(void)
{
	struct mp_dso *other;

	begin();
	get("/a", ALICE)->refs = 1;
	mp_budget_spend(&budget, MP_BUDGET_TABLES, ALICE, FULL);
	other = get("/b", ALICE);
	ok(other == get("/c", ALICE) && !mp_dso_symbols(&d, other) && !mp_dso_cfi(&d, other),
	   "beyond the share of a user, one entry stands for all other files");
	ok(budget.users[1].dropped[MP_BUDGET_TABLES] == 2, "which is counted");
	ok(get("/d", BOB) != other, "another user has room");
	end();
}

/* A user without time left maps a library before a process of root does. */
static void test_trust(void)
{
	struct mp_dso *dso;

	begin();
	dso = get(own_path(), ALICE);
	mp_budget_spend(&budget, MP_BUDGET_TIME, ALICE, (uint64_t)1 << 40);
	ok(!mp_dso_cfi(&d, dso), "a file is not read at the cost of a user who has no time left");
	mp_dso_share(&d, dso, 0);
	ok(mp_dso_cfi(&d, dso) && mp_budget_fits(&budget, MP_BUDGET_TABLES, ALICE, 64 << 20),
	   "it is once root maps it, too, at no cost of the user");
	mp_dso_share(&d, NULL, 0);
	end();
}

/* A user without time left maps a library before another user does. */
static void test_share(void)
{
	struct mp_dso *dso;

	begin();
	dso = get(own_path(), ALICE);
	mp_dso_share(&d, dso, ALICE);
	mp_dso_share(&d, dso, BOB);
	ok(mp_dso_symbols(&d, dso) && dso->uid == ALICE, "the first user is charged for a file");
	mp_budget_spend(&budget, MP_BUDGET_TIME, ALICE, (uint64_t)1 << 40);
	ok(mp_dso_cfi(&d, dso) && dso->uid == BOB && budget.users[1].used[MP_BUDGET_TABLES] == 0,
	   "another one is once the first has no time left");
	end();
	begin();
	dso = get(own_path(), ALICE);
	mp_dso_share(&d, dso, BOB);
	mp_budget_spend(&budget, MP_BUDGET_TIME, ALICE, (uint64_t)1 << 40);
	mp_budget_spend(&budget, MP_BUDGET_TIME, BOB, (uint64_t)1 << 40);
	ok(!mp_dso_cfi(&d, dso) && dso->uid == ALICE, "nobody is if none has time left");
	end();
}

int main(void)
{
	mp_init("unit-dso");
	mp_opener_init(&opener);
	test_tables();
	test_entries();
	test_other();
	test_trust();
	test_share();
	return tap_done();
}
