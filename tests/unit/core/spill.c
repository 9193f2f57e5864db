// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/spill.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/tap.h"

enum { KEPT = 1 << 20 };

/* Tests that what was written is read again, from memory and from a file. */
static void test_spill(size_t pieces)
{
	struct mp_spill s;
	char piece[7], *back = mp_alloc(1 << 16);
	size_t i, n, at = 0, total = 0;
	bool right = true;

	mp_spill_init(&s, KEPT, "set TMPDIR");
	for (i = 0; i < pieces; i++) {
		memset(piece, (int)(i % 251), sizeof(piece));
		mp_spill_add(&s, piece, i % 8);
		total += i % 8;
	}
	mp_spill_rewind(&s);
	for (i = 0; (n = mp_spill_read(&s, back, 1 << 16));) {
		size_t k = 0;

		for (; k < n; k++) {
			while (i < pieces && at == i % 8) {
				at = 0;
				i++;
			}
			right &= (unsigned char)back[k] == i % 251;
			at++;
		}
		total -= n;
	}
	ok(right && total == 0, "%zu pieces, %s", pieces, s.fd < 0 ? "in memory" : "in a file");
	mp_spill_release(&s);
	free(back);
}

/* Each part can be read while more is written, also one of which the end is not in the file yet. */
static void test_read_at(void)
{
	char *all = mp_alloc(4 * KEPT), *back = mp_alloc(4 * KEPT);
	size_t total = 0, piece, i, wrong = 0;
	struct mp_spill s;

	for (i = 0; i < 4 * KEPT; i++)
		all[i] = (char)(i * 2654435761u >> 24);
	mp_spill_init(&s, KEPT, "set TMPDIR");
	for (i = 0; total < 3 * KEPT; i++) {
		piece = i * 7919 % 100000;
		mp_spill_add(&s, all + total, piece);
		total += piece;
		piece = MP_MIN(total, 150000);
		mp_spill_read_at(&s, total - piece, back, piece);
		wrong += memcmp(back, all + total - piece, piece) != 0;
	}
	mp_spill_read_at(&s, 0, back, total);
	ok(!wrong && memcmp(back, all, total) == 0 && s.fd >= 0 && s.len, "parts of a spill");
	mp_spill_release(&s);
	free(all);
	free(back);
}

static void test_large_piece(void)
{
	char *large = mp_zalloc(2 * KEPT), *back = mp_alloc(2 * KEPT + 2);
	struct mp_spill s;

	large[2 * KEPT - 1] = 'z';
	mp_spill_init(&s, KEPT, "set TMPDIR");
	mp_spill_add(&s, "a", 1);
	mp_spill_add(&s, large, 2 * KEPT);
	mp_spill_add(&s, "b", 1);
	mp_spill_rewind(&s);
	ok(mp_spill_read(&s, back, 2 * KEPT + 2) == 2 * KEPT + 2 && back[0] == 'a' &&
		   back[2 * KEPT] == 'z' && back[2 * KEPT + 1] == 'b',
	   "a piece that is larger than what stays in memory");
	ok(mp_spill_read(&s, back, 10) == 0, "nothing is left after that");
	mp_spill_release(&s);
	free(large);
	free(back);
}

int main(void)
{
	mp_init("unit-spill");
	test_spill(0);
	test_spill(1000);
	test_spill(3000000);
	test_read_at();
	test_large_piece();
	return tap_done();
}
