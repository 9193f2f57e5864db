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

/* What people see who lack a kind of cones (Machado et al. 2009), as linear RGB. */
static const double seen[][3][3] = {
	{ { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
	{ { 0.367322, 0.860646, -0.227968 },
	  { 0.280085, 0.672501, 0.047413 },
	  { -0.011820, 0.042940, 0.968881 } },
	{ { 0.152286, 1.052583, -0.204868 },
	  { 0.114503, 0.786281, 0.099216 },
	  { -0.003882, -0.048116, 1.051998 } },
};

static double linear(uint8_t v)
{
	return v <= 10 ? v / 255.0 / 12.92 : pow((v / 255.0 + 0.055) / 1.055, 2.4);
}

static double cube_root(double v)
{
	return v > 0.008856 ? cbrt(v) : 7.787 * v + 16 / 116.0;
}

/* A colour in CIELAB, as seen in one of these ways. */
static void to_lab(struct mp_rgb c, int way, double lab[3])
{
	double in[3] = { linear(c.r), linear(c.g), linear(c.b) }, l[3], x, y, z;
	int i;

	for (i = 0; i < 3; i++) {
		const double *m = seen[way][i];

		l[i] = MP_MIN(MP_MAX(m[0] * in[0] + m[1] * in[1] + m[2] * in[2], 0.0), 1.0);
	}
	x = cube_root((0.4124 * l[0] + 0.3576 * l[1] + 0.1805 * l[2]) / 0.9505);
	y = cube_root(0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2]);
	z = cube_root((0.0193 * l[0] + 0.1192 * l[1] + 0.9505 * l[2]) / 1.089);
	lab[0] = 116 * y - 16;
	lab[1] = 500 * (x - y);
	lab[2] = 200 * (y - z);
}

static double difference(struct mp_rgb a, struct mp_rgb b, int way)
{
	double p[3], q[3];

	to_lab(a, way, p);
	to_lab(b, way, q);
	return sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2));
}

static void test_tints(void)
{
	static const struct mp_rgb ink[MP_PAPERS] = { { 0x1f, 0x23, 0x28 }, { 0xe6, 0xed, 0xf3 } };
	static const char *const ways[] = { "all cones", "deuteranopia", "protanopia" };
	enum { ALL = MP_TINTS * MP_SHADES };
	unsigned side, a, b, way;

	for (side = 0; side < MP_PAPERS; side++) {
		double least = 1e9;

		for (a = 0; a < ALL; a++)
			least = MP_MIN(least, contrast(mp_palette_tint(a / MP_SHADES, a, side),
						       ink[side]));
		ok(least > 4.5, "text on tints of paper %u can be read: %.1f", side, least);
		for (way = 0; way < MP_ARRAY_SIZE(ways); way++) {
			least = 1e9;
			for (a = 0; a < ALL; a++)
				for (b = 0; b < ALL; b++)
					if (a / MP_SHADES != b / MP_SHADES)
						least = MP_MIN(
							least,
							difference(mp_palette_tint(a / MP_SHADES, a,
										   side),
								   mp_palette_tint(b / MP_SHADES, b,
										   side),
								   way));
			ok(least > 10, "tints of paper %u are distinct with %s: %.1f", side,
			   ways[way], least);
		}
	}
}

/* Areas of names: text on them can be read, and those of the first hues are distinct. */
static void test_areas(void)
{
	static const struct mp_rgb ink[MP_PAPERS] = { { 0x1f, 0x23, 0x28 }, { 0xe6, 0xed, 0xf3 } };
	unsigned side, a, b;

	for (side = 0; side < MP_PAPERS; side++) {
		double readable = 1e9, apart = 1e9, all = 1e9;

		for (a = 0; a < MP_SLOTS; a++) {
			readable = MP_MIN(readable, contrast(mp_palette_area(a, side), ink[side]));
			all = MP_MIN(all, difference(mp_palette_area(a, side),
						     mp_palette_other(side), 0));
			for (b = 0; b < a; b++) {
				double d = difference(mp_palette_area(a, side),
						      mp_palette_area(b, side), 0);

				all = MP_MIN(all, d);
				if (a < MP_SLOTS / 2)
					apart = MP_MIN(apart, d);
			}
		}
		ok(readable > 4.5, "text on areas of paper %u can be read: %.1f", side, readable);
		ok(apart > 10 && all > 4, "areas of paper %u are distinct: %.1f, all %.1f", side,
		   apart, all);
	}
}

/* More and less are distinct to all readers, and a large difference is to be seen on the paper. */
static void test_diverging(void)
{
	unsigned side, way;
	int i;

	for (side = 0; side < MP_PAPERS; side++) {
		double least = 1e9;

		for (i = 3; i <= 10; i++)
			for (way = 0; way < 3; way++)
				least = MP_MIN(least,
					       difference(mp_palette_diverging(side, i / 10.0),
							  mp_palette_diverging(side, -i / 10.0),
							  way));
		ok(least > 15, "less and more are distinct on paper %u: %.1f", side, least);
		ok(contrast(mp_palette_diverging(side, 1), paper[side]) > 6 &&
			   contrast(mp_palette_diverging(side, -1), paper[side]) > 6,
		   "large differences on paper %u", side);
		ok(contrast(mp_palette_diverging(side, 0), paper[side]) > 1.14,
		   "no difference, too");
	}
}

/* The least difference between neighbours, and between any increase and any decrease. */
static void least_changes(enum mp_paper side, int way, double *next, double *opposite)
{
	int a, b;

	*next = *opposite = 1e9;
	for (a = -MP_CHANGES; a < MP_CHANGES; a++)
		*next = MP_MIN(*next, difference(mp_palette_change(a, side),
						 mp_palette_change(a + 1, side), way));
	for (a = 1; a <= MP_CHANGES; a++)
		for (b = 1; b <= MP_CHANGES; b++)
			*opposite = MP_MIN(*opposite, difference(mp_palette_change(a, side),
								 mp_palette_change(-b, side), way));
}

static void test_changes(void)
{
	static const struct mp_rgb ink[MP_PAPERS] = { { 0x1f, 0x23, 0x28 }, { 0xe6, 0xed, 0xf3 } };
	static const char *const ways[] = { "all cones", "deuteranopia", "protanopia" };
	double least, next, opposite;
	unsigned side, way;
	int a;

	for (side = 0; side < MP_PAPERS; side++) {
		least = 1e9;
		for (a = -MP_CHANGES; a <= MP_CHANGES; a++)
			least = MP_MIN(least, contrast(mp_palette_change(a, side), ink[side]));
		ok(least > 4.5, "text on differences on paper %u can be read: %.1f", side, least);
		for (way = 0; way < MP_ARRAY_SIZE(ways); way++) {
			least_changes(side, way, &next, &opposite);
			ok(next > 8 && opposite > 18,
			   "differences on paper %u are distinct with %s: %.1f, opposite ones %.1f",
			   side, ways[way], next, opposite);
		}
	}
}

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
	test_diverging();
	test_tints();
	test_areas();
	test_changes();
	return tap_done();
}
