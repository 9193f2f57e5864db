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

void mp_lossbins_svg(const struct mp_lossbins *l, struct mp_buf *to,
		     const struct mp_lossbins_place *place)
{
	double bottom = place->top + place->height;
	size_t i;

	for (i = 0; i < l->n; i++) {
		double width = place->width / (double)l->n;
		double right = place->left + width * (double)(i + 1);
		double left = place->left + width * MP_MAX(MP_MIN(l->from[i], (double)i), 0);

		if (!l->lost[i])
			continue;
		mp_buf_printf(to,
			      "<g><title>%llu event%s lost</title><path class=\"lost\" "
			      "d=\"M%.2f %gH%.2fV%gH%.2fz\"/><path class=\"mark\" "
			      "d=\"M%.2f %gh8l-4 6z\"/></g>\n",
			      (unsigned long long)l->lost[i], l->lost[i] == 1 ? "" : "s", left,
			      place->top, right, bottom, left, (left + right) / 2 - 4,
			      place->top - 7);
	}
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
