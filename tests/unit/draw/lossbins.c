// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "lib/draw/lossbins.h"
#include "tests/unit/tap.h"

static const struct mp_lossbins_place place = { .left = 100, .top = 10, .width = 100, .height = 5 };

static unsigned count(const char *text, const char *what)
{
	unsigned n = 0;

	for (; (text = strstr(text, what)); text++)
		n++;
	return n;
}

int main(void)
{
	struct mp_buf text = { NULL, 0, 0 };
	struct mp_lossbins l;

	mp_lossbins_init(&l, 10);
	mp_lossbins_svg(&l, &text, &place);
	ok(!l.any && text.len == 0, "without losses nothing is drawn");

	/* two that overlap, one apart, and one that began before the picture */
	mp_lossbins_add(&l, 8, 6.5, 3);
	mp_lossbins_add(&l, 9, 7.5, 1);
	mp_lossbins_add(&l, 5, 4.5, 2);
	mp_lossbins_add(&l, 1, -3, 4);
	mp_lossbins_svg(&l, &text, &place);
	mp_buf_byte(&text, '\0');
	ok(l.any && count(text.p, "class=\"mark\"") == 4, "each loss has a mark");
	ok(count(text.p, "class=\"lost\"") == 3 && strstr(text.p, "M165.00 10H200.00V15H165.00z") &&
		   strstr(text.p, "M145.00 10H160.00V15H145.00z") &&
		   strstr(text.p, "M100.00 10H120.00V15H100.00z"),
	   "those that overlap have one band");
	ok(strstr(text.p, "<title>3 events lost</title>") &&
		   strstr(text.p, "<title>1 event lost</title>"),
	   "a mark says how many");

	text.len = 0;
	mp_lossbins_json(&l, &text);
	mp_buf_byte(&text, '\0');
	ok(strcmp(text.p, "{\"0\":\"4\",\"1\":\"4\",\"4\":\"2\",\"5\":\"2\",\"6\":\"3\","
			  "\"7\":\"4\",\"8\":\"4\",\"9\":\"1\"}") == 0,
	   "for a script, each bin has all that may have been lost there");
	mp_buf_release(&text);
	mp_lossbins_release(&l);
	return tap_done();
}
