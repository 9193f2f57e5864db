// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reading the lines of a dump: what is accepted can be shown, and its own dump reads back the same.
 */
#include "lib/hist/crosstab.h"
#include "lib/hist/dump.h"
#include "lib/hist/output.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mp_field names[] = { MP_FIELD_OF(KEY, "comm"), MP_FIELD_OF(KEY, "cpu") };
static const struct mp_fields by = { names, 2, 2 };
static const struct mp_dump_about about = { { "dur", 3 }, { "w", 1 } };

static void init(struct mp_dists *d, size_t size)
{
	*d = (struct mp_dists){ .by = &by, .counting = size % 4 == 3, .linear = size % 4 > 0 };
	d->has_over = size % 2;
	d->over = 100;
	d->binary = size % 4 == 2;
	mp_dists_init(d);
}

/* `must`: the lines are our own output and must be accepted. */
static void add_lines(struct mp_dists *d, const char *p, size_t size, bool must)
{
	const char *end = p + size, *lf, *why;
	struct mp_dump_about read;
	struct mp_str type;
	struct mp_rec rec;

	for (; p < end && (lf = memchr(p, '\n', end - p)); p = lf + 1) {
		bool good = mp_rec_parse(&rec, p, lf - p, &why) == 0 && mp_dump_is(&rec);

		if (good) {
			mp_dump_read_about(&rec, &read, &type);
			good = mp_dump_add(d, &rec, &by, &why) == 0;
		}
		if (must && !good)
			abort();
	}
}

static size_t dump(struct mp_dists *d, char **text)
{
	struct mp_out out;
	size_t len;

	memory_out_init(&out);
	mp_dump_write(d, &about, 5, &out);
	*text = memory_out_close(&out, &len);
	return len;
}

static void show(struct mp_dists *d)
{
	struct mp_dist_style style = { .by = &by,
				       .sums = &d->sums,
				       .counting = d->counting,
				       .rows = 20,
				       .field = about.field,
				       .unit = "ns",
				       .weight_unit = "",
				       .columns = 80,
				       .has_over = d->has_over,
				       .over = d->over,
				       .stats = (1u << MP_STATS) - 1 };
	struct mp_dist_list list;
	struct mp_out out;
	size_t len;

	memory_out_init(&out);
	mp_dists_list(d, MP_DIST_BY_SUM, 1, &list);
	mp_dist_write_text(&list, &style, &out);
	mp_dist_write_json(&list, &style, &out);
	mp_dist_write_tsv(&list, &style, &out);
	mp_dist_write_points(&list, &style, &out);
	if (d->counting && d->total)
		mp_crosstab_write_text(d, MP_DIST_BY_COUNT, 1, &style, &out);
	style.linear = !d->counting && d->linear && !mp_dump_lacks(d);
	if (style.linear && list.n && !mp_dist_list_at(&list, 0)->linear.too_wide &&
	    !list.other.linear.too_wide)
		mp_dist_write_text(&list, &style, &out);
	mp_dist_list_release(&list);
	free(memory_out_close(&out, &len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mp_dists first, second;
	char *text, *again;
	size_t len, len_again;

	init(&first, size);
	init(&second, size);
	add_lines(&first, (const char *)data, size, false);
	len = dump(&first, &text);
	add_lines(&second, text, len, true);
	len_again = dump(&second, &again);
	/*
	 * rows of equal width have a line of their own, which may come without the matching numbers
	 */
	if (!first.overflow && (len != len_again || memcmp(text, again, len) != 0))
		abort();
	show(&first);
	free(text);
	free(again);
	mp_dists_release(&first);
	mp_dists_release(&second);
	return 0;
}
