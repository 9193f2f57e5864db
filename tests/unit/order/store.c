// SPDX-License-Identifier: GPL-2.0-only
#include "lib/order/store.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/core/suggest.h"
#include "tests/unit/tap.h"

enum { LINES = 20000 };

static char *make_line(int i)
{
	static const char *const stacks[] = {
		"\tstack=main;a;b;c;d;e;f;g;h;i;j;k;l;m;n;o;p;q;r;s;t;u;v;w;x;y;z;schedule_[k];"
		"__schedule_[k]",
		"\tstack=start_thread;worker;wait;futex;do_futex_[k];futex_wait_[k];schedule_[k];"
		"__schedule_[k]",
		"\tstack=x",
		"",
		"\tnostack=abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqr"
		"stuvwxyz",
	};

	return mp_asprintf("%d,a:b,n=%d%s\n", i, i * 7, stacks[i % 5]);
}

static void test_hold_and_pack(void)
{
	mp_line_ref *refs = mp_alloc(LINES * sizeof(*refs));
	struct mp_store s;
	uint32_t block;
	size_t at = 0;
	bool same = true;
	int i;

	mp_store_init(&s);
	block = mp_store_new_block(&s, MP_BLOCK_SIZE);
	for (i = 0; i < LINES; i++) {
		char *line = make_line(i);
		size_t len = strlen(line);

		if (i % 2) {
			refs[i] = mp_store_pack(&s, mp_str(line));
		} else {
			if (at + len > MP_BLOCK_SIZE) {
				mp_store_drop_block(&s, block);
				block = mp_store_new_block(&s, MP_BLOCK_SIZE);
				at = 0;
			}
			memcpy(mp_store_data(&s, block) + at, line, len);
			refs[i] = mp_store_hold(&s, block, at, len);
			at += len;
		}
		free(line);
	}
	mp_store_drop_block(&s, block);
	for (i = LINES - 1; i >= 0; i--) {
		char *line = make_line(i);

		mp_store_prefetch(&s, refs[i]);
		same &= mp_str_eq(mp_store_text(&s, refs[i]), mp_str(line));
		free(line);
	}
	ok(same, "20,000 lines, held and packed, are as they were");
	ok(mp_store_pays(&s) && s.packed_out < s.packed_in / 4 * 3, "packing pays");
	at = s.bytes;
	for (i = 0; i < LINES; i++)
		mp_store_drop(&s, refs[i]);
	ok(s.bytes < at && s.n_free >= s.n_blocks - 1, "dropped lines give their blocks back");
	mp_store_release(&s);
	free(refs);
}

static void test_longest(void)
{
	struct mp_store s;
	mp_line_ref ref;
	uint32_t block;

	mp_store_init(&s);
	block = mp_store_new_block(&s, 2 << 20);
	memset(mp_store_data(&s, block), 'x', 2 << 20);
	ref = mp_store_hold(&s, block, (2 << 20) - (1 << 20), 1 << 20);
	ok(mp_store_text(&s, ref).len == 1 << 20 &&
		   mp_store_text(&s, ref).p == mp_store_data(&s, block) + (1 << 20),
	   "a line of 1 MiB in the second half of 2 MiB");
	mp_store_drop_block(&s, block);
	mp_store_drop(&s, ref);
	ok(s.bytes == 0, "nothing left");
	mp_store_release(&s);
}

static void test_near(void)
{
	struct mp_suggest n;

	ok(mp_suggest_distance("sched_switch", "sched_swich") == 1, "one letter missing");
	ok(mp_suggest_distance("abcd", "abdc") == 1, "two letters swapped");
	ok(mp_suggest_distance("", "abc") == 3 && mp_suggest_distance("abc", "") == 3, "empty");
	mp_suggest_init(&n, "sched:sched_swich");
	mp_suggest_try(&n, "sched:sched_stick");
	mp_suggest_try(&n, "sched:sched_switch");
	mp_suggest_try(&n, "irq:softirq_entry");
	ok(n.best && strcmp(n.best, "sched:sched_switch") == 0, "the nearest");
	mp_suggest_release(&n);
	mp_suggest_init(&n, "sched_swich");
	mp_suggest_try(&n, "irq:softirq_entry");
	mp_suggest_try(&n, "sched:sched_switch");
	ok(n.best && strcmp(n.best, "sched:sched_switch") == 0,
	   "a name without its part before the colon");
	mp_suggest_release(&n);
	mp_suggest_init(&n, "xyz");
	mp_suggest_try(&n, "cycles");
	ok(!n.best, "nothing near");
	mp_suggest_release(&n);
}

int main(void)
{
	mp_init("unit-store");
	test_hold_and_pack();
	test_longest();
	test_near();
	return tap_done();
}
