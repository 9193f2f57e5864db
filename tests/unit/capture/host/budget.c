// SPDX-License-Identifier: GPL-2.0-only
/* Shares of users. */
#include "lib/capture/host/budget.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/tap.h"

enum { MIB = 1 << 20, SELF = 500, TABLES = 128 * MIB };

static uint64_t now_ns;

static uint64_t test_clock(void)
{
	return now_ns;
}

static void init(struct mp_budget *b, const char *subuid)
{
	mp_budget_init(b, subuid);
	b->trusted = SELF;
	b->clock = test_clock;
}

static bool take(struct mp_budget *b, enum mp_budget_kind kind, uid_t uid, uint64_t n)
{
	struct mp_budget_who who = { .uid = uid, .pid = 7, .comm = MP_STR("x"), .file = "/f" };

	return mp_budget_take(b, kind, &who, n);
}

/* How much a user gets in steps of `step`. */
static uint64_t most(struct mp_budget *b, enum mp_budget_kind kind, uid_t uid, uint64_t step)
{
	uint64_t n = 0;

	while (n < (uint64_t)1 << 40 && mp_budget_fits(b, kind, uid, step) &&
	       take(b, kind, uid, step))
		n += step;
	return n;
}

static void test_held(void)
{
	struct mp_budget b;

	init(&b, NULL);
	ok(most(&b, MP_BUDGET_TABLES, 1000, MIB) == TABLES / 2, "one user gets a half");
	ok(most(&b, MP_BUDGET_TABLES, 1001, MIB) == TABLES / 3 / MIB * MIB, "a second one a third");
	ok(!take(&b, MP_BUDGET_TABLES, 1000, MIB), "and the first no more");
	mp_budget_give(&b, MP_BUDGET_TABLES, 1000, TABLES / 2);
	ok(most(&b, MP_BUDGET_TABLES, 1000, MIB) == TABLES / 3 / MIB * MIB,
	   "both have the same after the first gave back what it had");
	ok(!mp_budget_is_lossy(&b), "what users are refused beyond their share is their own");
	ok(mp_budget_victim(&b, MP_BUDGET_TABLES, 1000, MIB) == 1000,
	   "who exceeds the share evicts its own");
	ok(most(&b, MP_BUDGET_TABLES, 0, MIB) == TABLES - 2 * (uint64_t)(TABLES / 3 / MIB * MIB),
	   "root gets what is left");
	ok(mp_budget_is_lossy(&b) == false && !take(&b, MP_BUDGET_TABLES, 1002, MIB) &&
		   mp_budget_is_lossy(&b),
	   "a user within its share that is refused: others are affected");
	ok(mp_budget_victim(&b, MP_BUDGET_TABLES, 1002, MIB) == 0, "and the largest should give");
	mp_budget_release(&b);
}

static void test_alone(void)
{
	struct mp_budget b;

	init(&b, NULL);
	ok(most(&b, MP_BUDGET_TABLES, SELF, MIB) == TABLES, "the user who runs mp-record gets all");
	mp_budget_release(&b);
	init(&b, NULL);
	b.no_reserve = true;
	ok(most(&b, MP_BUDGET_TABLES, 1000, MIB) == TABLES,
	   "and so does the only user if no other can come");
	mp_budget_release(&b);
	ok(mp_budget_take(NULL, MP_BUDGET_TABLES, &(struct mp_budget_who){ .uid = 1 }, UINT64_MAX),
	   "without a budget there are no limits");
}

static void test_periods(void)
{
	const uint64_t second = 1000000000;
	struct mp_budget b;

	now_ns = 100 * second;
	init(&b, NULL);
	mp_budget_spend(&b, MP_BUDGET_TIME, 1000, 9 * second);
	ok(!mp_budget_fits(&b, MP_BUDGET_TIME, 1000, 0) &&
		   mp_budget_fits(&b, MP_BUDGET_TIME, 1001, 0),
	   "time that was spent is missing to its user only");
	mp_budget_spend(&b, MP_BUDGET_TIME, 0, 100 * second);
	ok(mp_budget_fits(&b, MP_BUDGET_TIME, 0, second) &&
		   mp_budget_fits(&b, MP_BUDGET_TIME, 1001, second),
	   "root may spend any time, which nobody else misses");
	mp_budget_spend(&b, MP_BUDGET_TIME, 1001, second);
	now_ns += 10 * second;
	ok(!mp_budget_fits(&b, MP_BUDGET_TIME, 1000, 4 * second / 3 + 1) &&
		   mp_budget_fits(&b, MP_BUDGET_TIME, 1000, 4 * second / 3 - 1),
	   "in the next period, those of the last one count as competitors");
	now_ns += 20 * second;
	mp_budget_fits(&b, MP_BUDGET_TIME, 1000, 1);
	now_ns += 10 * second;
	ok(mp_budget_fits(&b, MP_BUDGET_TIME, 1000, 2 * second), "but not for ever");
	mp_budget_release(&b);
}

static void test_late(void)
{
	const uint64_t second = 1000000000;
	uint64_t handled_ns = 0;
	struct mp_budget b;

	init(&b, NULL);
	b.handled_ns = &handled_ns;
	now_ns = 101 * second;
	ok(mp_budget_fits(&b, MP_BUDGET_TIME, 1000, 2 * second),
	   "before the first events, a user has a half");
	handled_ns = now_ns - second / 4;
	ok(mp_budget_fits(&b, MP_BUDGET_TIME, 1000, 2 * second),
	   "and while they are handled in time");
	handled_ns--;
	ok(mp_budget_fits(&b, MP_BUDGET_TIME, 1000, second / 4) &&
		   !mp_budget_fits(&b, MP_BUDGET_TIME, 1000, second / 4 + 1),
	   "while they wait, an eighth of it");
	ok(mp_budget_fits(&b, MP_BUDGET_TIME, 0, 100 * second), "root as much as it needs");
	ok(mp_budget_fits(&b, MP_BUDGET_TABLES, 1000, TABLES / 2), "and memory is as before");
	mp_budget_release(&b);
}

static void test_ranges(void)
{
	char path[] = "/tmp/mp-budget-XXXXXX";
	static const char text[] = "b:231072:65536\na:100000:65536\nbad\nc:0:5\nd:5:\n";
	int fd = mkstemp(path);
	struct mp_budget b;

	if (fd < 0 || write(fd, text, sizeof(text) - 1) < 0)
		ok(false, "a temporary file");
	init(&b, path);
	ok(mp_budget_uid(&b, 99999) == 99999 && mp_budget_uid(&b, 100000) == 100000 &&
		   mp_budget_uid(&b, 165535) == 100000 && mp_budget_uid(&b, 165536) == 165536 &&
		   mp_budget_uid(&b, 231073) == 231072 && mp_budget_uid(&b, 3) == 3,
	   "the uids of a range in /etc/subuid are one user");
	close(fd);
	unlink(path);
	mp_budget_release(&b);
}

static void test_many_users(void)
{
	struct mp_budget b;
	uid_t uid;

	init(&b, NULL);
	for (uid = 1000; uid < 11000; uid++)
		take(&b, MP_BUDGET_TABLES, uid, MIB);
	ok(b.n_users == 1000, "10,000 users are in a table of 1,000");
	ok(b.pools[MP_BUDGET_TABLES].used <= TABLES, "and have no more than the total");
	mp_budget_release(&b);
}

static void test_report(void)
{
	json_t *trailer = json_object();
	struct mp_budget b;
	char *text;
	int i;

	init(&b, NULL);
	mp_budget_json(&b, trailer);
	ok(json_object_size(trailer) == 0, "nothing is reported if nothing was refused");
	for (i = 0; i < 3; i++)
		mp_budget_refuse(&b, MP_BUDGET_JIT,
				 &(struct mp_budget_who){ 1000, 70 + i, MP_STR("a\nb"),
							  i ? "/g" : "/f" });
	take(&b, MP_BUDGET_OUTPUT, 1001, (uint64_t)1 << 40);
	mp_budget_json(&b, trailer);
	text = json_dumps(trailer, JSON_COMPACT | JSON_SORT_KEYS);
	ok(strcmp(text, "{\"limited\":{\"users\":2,\"worst\":["
			"{\"comm\":\"a\\nb\",\"file\":\"/f\",\"pid\":70,\"refused\":{\"jit\":3},"
			"\"uid\":1000},"
			"{\"comm\":\"x\",\"file\":\"/f\",\"pid\":7,\"refused\":{\"output\":1},"
			"\"uid\":1001}]}}") == 0,
	   "the worst user first, with its first process and file: %s", text);
	free(text);
	json_decref(trailer);
	mp_budget_release(&b);
}

int main(void)
{
	test_held();
	test_alone();
	test_periods();
	test_late();
	test_ranges();
	test_many_users();
	test_report();
	return tap_done();
}
