// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/loss_window.h"

#include "tests/unit/tap.h"

int main(void)
{
	struct mp_loss_window d;
	int i;

	mp_init("unit-doubt");
	mp_loss_window_init(&d);
	mp_loss_window_loss(&d, 0, 100, -1);
	ok(d.doubtful == 0 && !d.more, "nothing ended");
	for (i = 1; i <= 10; i++)
		mp_loss_window_end(&d, 100 + i, i & 1 ? 1 : -1);
	mp_loss_window_loss(&d, 102, 104, -1);
	ok(d.doubtful == 2, "(102, 104]: two ends");
	mp_loss_window_loss(&d, 101, 106, -1);
	ok(d.doubtful == 5, "none counted twice");
	mp_loss_window_loss(&d, 106, 108, 0);
	ok(d.doubtful == 6, "cpu 1 is not touched by a loss on cpu 0");
	mp_loss_window_loss(&d, 106, 108, 1);
	ok(d.doubtful == 7, "but by one on cpu 1");
	mp_loss_window_end(&d, 120, -1);
	mp_loss_window_loss(&d, 0, 130, -1);
	ok(d.doubtful == 10, "without a beginning: since the loss before");
	mp_loss_window_section(&d);
	mp_loss_window_loss(&d, 1, 4, -1);
	ok(d.doubtful == 10, "another section");
	mp_loss_window_end(&d, 5, -1);
	mp_loss_window_loss(&d, 0, 10, -1);
	ok(d.doubtful == 11, "whose first loss has none before it");
	mp_loss_window_section(&d);
	for (i = 1; i <= MP_LOSS_WINDOW_KEPT; i++)
		mp_loss_window_end(&d, 1000 + i, -1);
	mp_loss_window_loss(&d, 1000, 1000 + MP_LOSS_WINDOW_KEPT, -1);
	ok(d.doubtful == 11 + MP_LOSS_WINDOW_KEPT && !d.more, "as many as are remembered");
	for (i = 1; i <= MP_LOSS_WINDOW_KEPT; i++)
		mp_loss_window_end(&d, 100000 + i, -1);
	mp_loss_window_loss(&d, 100000, 200000, -1);
	ok(d.doubtful == 11 + 2 * MP_LOSS_WINDOW_KEPT && d.more, "more, it may be");
	d.more = false;
	mp_loss_window_loss(&d, 100001, 200000, -1);
	ok(!d.more, "not if the beginning is remembered");
	mp_loss_window_release(&d);
	return tap_done();
}
