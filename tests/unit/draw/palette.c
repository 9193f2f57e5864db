// SPDX-License-Identifier: GPL-2.0-only
#include "lib/draw/palette.h"

#include <math.h>

#include "tests/unit/tap.h"

/* Relative luminance and contrast of WCAG 2. */
static double luminance(struct mp_rgb c)
{
	uint8_t v[3] = { c.r, c.g, c.b };
	double l[3];
	int i;

	for (i = 0; i < 3; i++)
		l[i] = v[i] <= 10 ? v[i] / 255.0 / 12.92 : pow((v[i] / 255.0 + 0.055) / 1.055, 2.4);
	return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2];
}

static double contrast(struct mp_rgb a, struct mp_rgb b)
{
	double x = luminance(a), y = luminance(b);

	return (MP_MAX(x, y) + 0.05) / (MP_MIN(x, y) + 0.05);
}

static const struct mp_rgb paper[MP_PAPERS] = { { 255, 255, 255 }, { 13, 17, 23 } };

static void test_ramp(const char *name)
{
	const struct mp_palette *p = mp_palette_find(name);
	int dir[MP_PAPERS] = { -1, 1 }, side, i;

	for (side = 0; p && side < MP_PAPERS; side++) {
		double last = luminance(mp_palette_at(p, side, 0));
		bool steady = true;

		for (i = 1; i <= 32; i++) {
			double now = luminance(mp_palette_at(p, side, i / 32.0));

			steady &= (now - last) * dir[side] > -1e-4;
			last = now;
		}
		ok(steady, "%s: brightness runs one way, so that grey eyes read it", name);
		ok(contrast(mp_palette_at(p, side, 0), paper[side]) > 1.14,
		   "%s: a small value is distinct from the paper", name);
		ok(contrast(mp_palette_at(p, side, 1), paper[side]) > 8,
		   "%s: a large value is distinct from the paper", name);
	}
}

static void test_names(void)
{
	struct mp_str a[] = { MP_STR("nginx"), MP_STR("postgres"), MP_STR("swapper/0") };
	struct mp_str b[] = { MP_STR("swapper/0"), MP_STR("nginx"), MP_STR("postgres") };
	struct mp_str many[2 * MP_SLOTS];
	char texts[2 * MP_SLOTS][8];
	unsigned s[3], t[3], u[2 * MP_SLOTS], used[MP_SLOTS] = { 0 }, alone, i;
	bool even = true;

	mp_palette_assign(a, 3, s);
	mp_palette_assign(b, 3, t);
	ok(s[0] == t[1] && s[1] == t[2] && s[2] == t[0], "order of the names does not matter");
	mp_palette_assign(a, 1, &alone);
	ok(alone == s[0], "a name alone has the colour that it has in company");
	for (i = 0; i < MP_ARRAY_SIZE(many); i++) {
		snprintf(texts[i], sizeof(texts[i]), "n%u", i);
		many[i] = mp_str(texts[i]);
	}
	mp_palette_assign(many, MP_ARRAY_SIZE(many), u);
	for (i = 0; i < MP_ARRAY_SIZE(many); i++)
		used[u[i]]++;
	for (i = 0; i < MP_SLOTS; i++)
		even &= used[i] == 2;
	ok(even, "no colour twice before all were used");
	for (i = 0; i < MP_SLOTS; i++)
		even &= contrast(mp_palette_slot(i, MP_LIGHT), paper[MP_LIGHT]) > 1.2 &&
			contrast(mp_palette_slot(i, MP_DARK), paper[MP_DARK]) > 2;
	ok(even, "colours of names are distinct from the paper");
}

int main(void)
{
	char text[MP_RGB_TEXT];

	test_ramp("viridis");
	test_ramp("cividis");
	test_ramp("magma");
	test_ramp("inferno");
	test_ramp("grey");
	ok(!mp_palette_find("rainbow"), "no rainbow");
	mp_rgb_put(text, (struct mp_rgb){ 1, 171, 255 });
	ok(strcmp(text, "#01abff") == 0, "as text");
	test_names();
	return tap_done();
}
