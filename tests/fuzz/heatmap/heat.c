// SPDX-License-Identifier: GPL-2.0-only
/*
 * Heat maps of any lines, dumps among them. A dump that is read back gives the same dump, and all
 * pictures can be drawn.
 */
#include "lib/heatmap/build.h"
#include "lib/heatmap/heatascii.h"
#include "lib/heatmap/heatsvg.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_header(struct mp_heat_reader *r, struct mp_ctl *ctl)
{
	struct mp_input in = { .ctl = *ctl, .name = "fuzz" };
	const json_t *grid = json_object_get(ctl->json, "grid");
	const char *why;

	if (ctl->what == MP_CTL_HEADER && ctl->datatype == MP_STACK) {
		r->sums.chosen |= r->choice.types.mixed;
		r->in_dump = grid && mp_heat_dump_begin(&r->dump, &r->sums, grid, &why) == 0;
		return;
	}
	mp_heat_control(r, &in);
}

/* The options allow several types, because a mixture would end the program. */
static void add_lines(struct mp_heat_reader *r, const char *p, size_t size, bool must)
{
	const char *end = p + size, *lf, *why;
	struct mp_rec rec;
	struct mp_ctl ctl;

	for (; p < end && (lf = memchr(p, '\n', end - p)); p = lf + 1) {
		if (mp_rec_parse(&rec, p, lf - p, &why) < 0)
			continue;
		if (rec.kind == MP_CONTROL) {
			if (mp_ctl_parse(&ctl, rec.line, &why) == 0)
				add_header(r, &ctl);
			mp_ctl_release(&ctl);
		} else if (rec.kind != MP_FOLDED &&
			   !(r->sums.begun && !r->kind && rec.kind != MP_STACK &&
			     rec.kind != (r->sums.types.n ? MP_EVENT : MP_POINT)) &&
			   mp_heat_record(r, &rec, &why) < 0 && must) {
			abort();
		}
	}
}

static size_t dump(struct mp_heat_reader *r, char **text)
{
	struct mp_out out;
	size_t len;

	mp_heat_finish(r);
	memory_out_init(&out);
	mp_heat_dump(&r->sums, &out);
	*text = memory_out_close(&out, &len);
	return len;
}

static void draw(struct mp_heat_reader *r, size_t size)
{
	static const double shares[] = { 0, 0.5, 1 };
	struct mp_heat_style style = { .columns = 1 + size % 50,
				       .rows = 1 + size % 30,
				       .log_x = size & 1,
				       .log_y = size & 2,
				       .overflow = size & 4 ? 0.1 : 0,
				       .colour = size % 3,
				       .percentiles = shares,
				       .n_percentiles = size % 4 };
	struct mp_heat_look look = { MP_STR("t"), mp_palette_find("magma"), shares, NULL, NULL };
	struct mp_buf text = { NULL, 0, 0 };
	uint64_t sum = 0;
	struct mp_heat h;
	size_t x;

	mp_heat_finish(r);
	if (!mp_heat_make(&h, &r->sums.grid, &r->sums.info, &style))
		return;
	for (x = 0; x < h.x.n + 2; x++)
		sum += mp_heat_column(&h, x);
	if (!r->sums.grid.overflow && sum != h.sum && h.sum < INT64_MAX)
		abort();
	mp_heat_svg(&text, &h, &look);
	mp_heat_ascii(&text, &h, look.title, size % 3, look.palette, 80);
	mp_heat_release(&h);
	mp_buf_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mp_heat_wish wish = { .subsecond = size % 5 == 4 };
	struct mp_heat_reader first, second;
	char *text, *again;
	size_t len, len_again;

	if (size % 5 == 1)
		mp_field_parse(&wish.y, MP_STR("comm"));
	if (size % 5 == 3)
		wish.y = wish.x = (struct mp_field){ .id = MP_FIELD_KEY, .name = MP_STR("cpu") };
	mp_heat_reader_init(&first, &wish);
	mp_heat_reader_init(&second, &wish);
	first.choice.types.mixed = second.choice.types.mixed = true;
	if (size % 5 == 2) {
		mp_field_parse(&first.choice.weight, MP_STR("dur"));
		second.choice.weight = first.choice.weight;
	}
	add_lines(&first, (const char *)data, size, false);
	if (first.sums.begun) {
		len = dump(&first, &text);
		add_lines(&second, text, len, true);
		len_again = dump(&second, &again);
		if (!first.sums.grid.overflow &&
		    (len != len_again || memcmp(text, again, len) != 0))
			abort();
		draw(&first, size);
		free(text);
		free(again);
	}
	mp_heat_reader_release(&first);
	mp_heat_reader_release(&second);
	return 0;
}
