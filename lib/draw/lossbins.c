// SPDX-License-Identifier: GPL-2.0-only
#include "lib/draw/lossbins.h"

#include <stdlib.h>

#include "lib/core/number.h"

void mp_lossbins_init(struct mp_lossbins *l, size_t n)
{
	*l = (struct mp_lossbins){ .n = n };
	l->lost = mp_zalloc((n + 1) * sizeof(*l->lost));
	l->from = mp_zalloc((n + 1) * sizeof(*l->from));
	l->lossy = mp_zalloc((n + 1) * sizeof(*l->lossy));
}

void mp_lossbins_release(struct mp_lossbins *l)
{
	free(l->lost);
	free(l->from);
	free(l->lossy);
}

void mp_lossbins_add(struct mp_lossbins *l, size_t bin, double from, uint64_t n)
{
	size_t i = from > 0 ? MP_MIN((size_t)from, bin) : 0;

	if (!l->lost[bin] || from < l->from[bin])
		l->from[bin] = from;
	l->lost[bin] = mp_count_sum(l->lost[bin], n);
	for (; i <= bin; i++)
		l->lossy[i] = mp_count_sum(l->lossy[i], n);
	l->any = true;
}

/* Where the interval of the losses of a bin begins, as a number of bins. */
static double begin_of(const struct mp_lossbins *l, size_t bin)
{
	return MP_MAX(MP_MIN(l->from[bin], (double)bin), 0);
}

static void draw_band(struct mp_buf *to, const struct mp_lossbins_place *place, double left,
		      double right)
{
	if (left < right)
		mp_buf_printf(to, "<path class=\"lost\" d=\"M%.2f %gH%.2fV%gH%.2fz\"/>\n", left,
			      place->top, right, place->top + place->height, left);
}

/* Draws one band over intervals that overlap, so that what is below them remains visible. */
static void draw_bands(const struct mp_lossbins *l, struct mp_buf *to,
		       const struct mp_lossbins_place *place)
{
	double width = place->width / (double)l->n, left = (double)l->n, right = left;
	size_t i;

	for (i = l->n; i-- > 0;) {
		if (!l->lost[i])
			continue;
		if ((double)(i + 1) < left) {
			draw_band(to, place, place->left + width * left,
				  place->left + width * right);
			right = (double)(i + 1);
		}
		left = MP_MIN(left, begin_of(l, i));
	}
	draw_band(to, place, place->left + width * left, place->left + width * right);
}

void mp_lossbins_svg(const struct mp_lossbins *l, struct mp_buf *to,
		     const struct mp_lossbins_place *place)
{
	double width = place->width / (double)l->n;
	size_t i;

	draw_bands(l, to, place);
	for (i = 0; i < l->n; i++)
		if (l->lost[i])
			mp_buf_printf(to,
				      "<path class=\"mark\" d=\"M%.2f %gh8l-4 6z\"><title>%llu "
				      "event%s lost</title></path>\n",
				      place->left + width * (begin_of(l, i) + (double)(i + 1)) / 2 -
					      4,
				      place->top - 7, (unsigned long long)l->lost[i],
				      l->lost[i] == 1 ? "" : "s");
}

void mp_lossbins_json(const struct mp_lossbins *l, struct mp_buf *to)
{
	const char *comma = "";
	size_t i;

	mp_buf_byte(to, '{');
	for (i = 0; i < l->n; i++) {
		if (!l->lossy[i])
			continue;
		mp_buf_printf(to, "%s\"%zu\":\"%llu\"", comma, i, (unsigned long long)l->lossy[i]);
		comma = ",";
	}
	mp_buf_byte(to, '}');
}
