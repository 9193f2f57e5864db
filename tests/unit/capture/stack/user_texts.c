// SPDX-License-Identifier: GPL-2.0-only
/* Texts of stacks, cached by user. */
#include "lib/capture/stack/user_texts.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/tap.h"

enum { MIB = 1 << 20, TOTAL = 32 * MIB };

static char big[MIB];

/* Puts a text of `size` bytes for a stack with a number. */
static void put(struct mp_user_texts *t, uid_t uid, uint64_t stack, size_t size)
{
	const struct mp_str key[2] = { { (const char *)&stack, sizeof(stack) }, MP_STR("") };
	const struct mp_user_text text = { { big, size }, UINT64_MAX, false };

	mp_user_texts_put(t, uid, key, &text);
}

static size_t has(struct mp_user_texts *t, uid_t uid, uint64_t stack)
{
	const struct mp_str key[2] = { { (const char *)&stack, sizeof(stack) }, MP_STR("") };
	const struct mp_user_text *text = mp_user_texts_find(t, uid, key);

	return text ? text->text.len : 0;
}

static void test_users(void)
{
	struct mp_user_texts t;
	struct mp_budget b;
	uint64_t i;

	mp_budget_init(&b, NULL);
	mp_user_texts_init(&t);
	t.budget = &b;
	put(&t, 1000, 1, 100);
	put(&t, 0, 1, 200);
	for (i = 0; i < 1000; i++)
		put(&t, 1001, i, sizeof(big));
	ok(has(&t, 1000, 1) == 100 && has(&t, 0, 1) == 200,
	   "1,000 texts of 1 MiB of one user leave those of others alone");
	ok(has(&t, 1001, 999) == sizeof(big) && !has(&t, 1001, 0), "the newest ones are there");
	ok(b.pools[MP_BUDGET_TEXTS].used <= TOTAL, "all are within the total: %llu",
	   (unsigned long long)b.pools[MP_BUDGET_TEXTS].used);
	put(&t, 1000, 1, 300);
	ok(has(&t, 1000, 1) == 300, "a changed text replaces the old one");
	for (i = 0; i < 1000; i++)
		put(&t, (uid_t)(2000 + i), i, 1000);
	ok(t.n <= 250 && has(&t, 2999, 999) == 1000, "1,000 users have at most 250 caches");
	ok(b.pools[MP_BUDGET_TEXTS].used <= TOTAL, "and stay within the total");
	ok(!mp_budget_is_lossy(&b), "nothing is lost by that");
	mp_user_texts_release(&t);
	mp_budget_release(&b);
}

static void test_alone(void)
{
	struct mp_user_texts t;
	uint64_t i;

	mp_user_texts_init(&t);
	for (i = 0; i < 100; i++)
		put(&t, 1000, i, sizeof(big));
	ok(has(&t, 1001, 99) == sizeof(big) && !has(&t, 1001, 0) && t.n == 1,
	   "without limits for users there is one cache");
	mp_user_texts_release(&t);
}

int main(void)
{
	memset(big, 'x', sizeof(big));
	test_users();
	test_alone();
	return tap_done();
}
