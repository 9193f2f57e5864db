// SPDX-License-Identifier: GPL-2.0-only
#include "lib/draw/palette.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/core/map.h"

enum { STOPS = 17, HUES = MP_SLOTS / 2 };

struct mp_palette {
	const char *name;
	/* The part of the ramp that is used: its dark end looks like dark paper, its pale end like
	 * light paper. */
	double from[MP_PAPERS], to[MP_PAPERS];
	uint32_t stops[STOPS]; /* dark to bright */
};

static const struct mp_palette palettes[] = {
	{ "viridis",
	  { 0.96, 0.12 },
	  { 0.00, 1.00 },
	  { 0x440154, 0x48186a, 0x472d7b, 0x424086, 0x3b528b, 0x33638d, 0x2c728e, 0x26828e,
	    0x21918c, 0x1f9f88, 0x27ad81, 0x3dbc74, 0x5cc863, 0x81d34d, 0xaadc32, 0xd5e21a,
	    0xfde725 } },
	{ "cividis",
	  { 0.95, 0.15 },
	  { 0.00, 1.00 },
	  { 0x00224e, 0x002e6a, 0x1a386f, 0x32436d, 0x434e6c, 0x535a6d, 0x61656f, 0x6f7073,
	    0x7d7c78, 0x8b8778, 0x9a9376, 0xaaa073, 0xbbad6d, 0xccba64, 0xddc858, 0xefd748,
	    0xfee838 } },
	{ "magma",
	  { 0.93, 0.22 },
	  { 0.04, 1.00 },
	  { 0x000004, 0x0a0822, 0x1d1147, 0x36106b, 0x51127c, 0x6a1c81, 0x832681, 0x9c2e7f,
	    0xb73779, 0xcf4070, 0xe55064, 0xf4695c, 0xfb8761, 0xfea571, 0xfec287, 0xfde0a1,
	    0xfcfdbf } },
	{ "inferno",
	  { 0.92, 0.22 },
	  { 0.04, 1.00 },
	  { 0x000004, 0x0b0724, 0x210c4a, 0x3d0965, 0x57106e, 0x71196e, 0x8a226a, 0xa32c61,
	    0xbc3754, 0xd04545, 0xe35933, 0xf1711f, 0xf98c0a, 0xfcaa0f, 0xf9c932, 0xf2e865,
	    0xfcffa4 } },
	{ "grey",
	  { 0.84, 0.25 },
	  { 0.00, 1.00 },
	  { 0x000000, 0x101010, 0x202020, 0x303030, 0x404040, 0x505050, 0x606060, 0x707070,
	    0x808080, 0x909090, 0xa0a0a0, 0xb0b0b0, 0xc0c0c0, 0xd0d0d0, 0xe0e0e0, 0xf0f0f0,
	    0xffffff } },
};

/*
 * The first twelve have full strength; the others are the same hues, paler (on dark paper: darker).
 */
static const uint32_t hues[MP_PAPERS][HUES] = {
	[MP_LIGHT] = { 0x0072b2, 0xe69f00, 0x117733, 0xcc6677, 0x332288, 0x88ccee, 0xd55e00,
		       0x44aa99, 0xaa4499, 0xddcc77, 0x882255, 0x999933 },
	[MP_DARK] = { 0x3a9bdc, 0xe69f00, 0x3ca55c, 0xd9808f, 0x7a6fd0, 0x9bd6f2, 0xe8702a,
		      0x55bfad, 0xc46bb5, 0xe3d58a, 0xb8477f, 0xb3b34d },
};

static struct mp_rgb rgb(uint32_t v)
{
	return (struct mp_rgb){ v >> 16, v >> 8, v };
}

static uint8_t mix(uint8_t a, uint8_t b, double share)
{
	return (uint8_t)lround(a + (b - a) * share);
}

static struct mp_rgb mix_rgb(struct mp_rgb a, struct mp_rgb b, double share)
{
	return (struct mp_rgb){ mix(a.r, b.r, share), mix(a.g, b.g, share), mix(a.b, b.b, share) };
}

void mp_rgb_put(char *to, struct mp_rgb c)
{
	snprintf(to, MP_RGB_TEXT, "#%02x%02x%02x", c.r, c.g, c.b);
}

const struct mp_palette *mp_palette_find(const char *name)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(palettes); i++)
		if (strcmp(palettes[i].name, name) == 0)
			return &palettes[i];
	return NULL;
}

const char *mp_palette_list(void)
{
	return "viridis, cividis, magma, inferno, grey";
}

struct mp_rgb mp_palette_at(const struct mp_palette *p, enum mp_paper paper, double share)
{
	double at, below;

	share = MP_MIN(MP_MAX(share, 0.0), 1.0);
	at = (p->from[paper] + (p->to[paper] - p->from[paper]) * share) * (STOPS - 1);
	below = MP_MIN(floor(at), STOPS - 2.0);
	return mix_rgb(rgb(p->stops[(int)below]), rgb(p->stops[(int)below + 1]), at - below);
}

struct mp_rgb mp_palette_diverging(enum mp_paper paper, double difference)
{
	/* a grey, then the middle and the end of each half */
	static const uint32_t grey[MP_PAPERS] = { 0xd8dde3, 0x30363d };
	static const uint32_t less[MP_PAPERS][2] = { { 0x6ba3d6, 0x0b3d78 },
						     { 0x1f5fa8, 0x8cc4ff } };
	static const uint32_t more[MP_PAPERS][2] = { { 0xee9a4d, 0x8a3300 },
						     { 0xa8560f, 0xffc078 } };
	const uint32_t *half = difference < 0 ? less[paper] : more[paper];
	double at = 2 * MP_MIN(fabs(difference), 1.0);

	return at < 1 ? mix_rgb(rgb(grey[paper]), rgb(half[0]), at)
		      : mix_rgb(rgb(half[0]), rgb(half[1]), at - 1);
}

static int compare_names(const void *a, const void *b)
{
	return mp_str_cmp(**(const struct mp_str *const *)a, **(const struct mp_str *const *)b);
}

/* Reserves the next free slot from `slot` on. When no slot is free, frees all of them first. */
static unsigned reserve_slot(bool *taken, size_t *used, unsigned slot)
{
	if (*used == MP_SLOTS) {
		memset(taken, 0, MP_SLOTS * sizeof(*taken));
		*used = 0;
	}
	while (taken[slot])
		slot = (slot + 1) % MP_SLOTS;
	taken[slot] = true;
	++*used;
	return slot;
}

/* Names get their favourites first, so that two names with the same one do not move a third. */
void mp_palette_assign(const struct mp_str *names, size_t n, unsigned *slots)
{
	const struct mp_str **sorted = mp_alloc((n + 1) * sizeof(*sorted));
	bool taken[MP_SLOTS] = { false };
	size_t i, used = 0, left = 0;

	for (i = 0; i < n; i++)
		sorted[i] = &names[i];
	qsort(sorted, n, sizeof(*sorted), compare_names);
	for (i = 0; i < n; i++) {
		unsigned slot = mp_hash(sorted[i]->p, sorted[i]->len, 0) % MP_SLOTS;

		slots[sorted[i] - names] = slot;
		if (taken[slot])
			sorted[left++] = sorted[i];
		else
			reserve_slot(taken, &used, slot);
	}
	for (i = 0; i < left; i++)
		slots[sorted[i] - names] = reserve_slot(taken, &used, slots[sorted[i] - names]);
	free(sorted);
}

struct mp_rgb mp_palette_tint(unsigned hue, unsigned shade, enum mp_paper paper)
{
	/* how much of the paper's end, white or black, is mixed to the first shade */
	static const struct {
		uint32_t hue;
		double first;
	} tints[MP_PAPERS][MP_TINTS] = {
		[MP_LIGHT] = { { 0xe69f00, 0.30 },
			       { 0x0072b2, 0.38 },
			       { 0x117733, 0.30 },
			       { 0xf0e442, 0.45 } },
		[MP_DARK] = { { 0xe69f00, 0.40 },
			      { 0x0072b2, 0.45 },
			      { 0x009e73, 0.65 },
			      { 0xf0e442, 0.70 } },
	};
	/* and how much more to each next one */
	static const double next[MP_PAPERS] = { [MP_LIGHT] = 0.05, [MP_DARK] = 0.04 };
	static const struct mp_rgb end[MP_PAPERS] = { [MP_LIGHT] = { 255, 255, 255 } };

	hue %= MP_TINTS;
	shade %= MP_SHADES;
	return mix_rgb(rgb(tints[paper][hue].hue), end[paper],
		       tints[paper][hue].first + shade * next[paper]);
}

struct mp_rgb mp_palette_change(int step, enum mp_paper paper)
{
	static const uint32_t colours[MP_PAPERS][2 * MP_CHANGES + 1] = {
		[MP_LIGHT] = { 0x5398dc, 0x7fb3e6, 0xabcff0, 0xd2e5f8, 0xe6e7ea, 0xfbdcd0, 0xf7b9a4,
			       0xf2937a, 0xe86f52 },
		[MP_DARK] = { 0x2867ac, 0x275789, 0x25466c, 0x23364d, 0x363a41, 0x4b302b, 0x713a2e,
			      0x923f2e, 0xae4a2b },
	};

	return rgb(colours[paper][MP_CHANGES + MP_MIN(MP_MAX(step, -MP_CHANGES), MP_CHANGES)]);
}

struct mp_rgb mp_palette_slot(unsigned slot, enum mp_paper paper)
{
	static const struct mp_rgb black = { 0, 0, 0 }, white = { 255, 255, 255 };
	struct mp_rgb c = rgb(hues[paper][slot % HUES]);

	if (slot % MP_SLOTS < HUES)
		return c;
	return paper == MP_LIGHT ? mix_rgb(c, white, 0.35) : mix_rgb(c, black, 0.35);
}

struct mp_rgb mp_palette_area(unsigned slot, enum mp_paper paper)
{
	static const struct mp_rgb end[MP_PAPERS] = { [MP_LIGHT] = { 255, 255, 255 } };
	/* how much of the paper's end is mixed to the first hues, and to those that repeat them */
	static const double share[MP_PAPERS][2] = {
		[MP_LIGHT] = { 0.45, 0.70 }, [MP_DARK] = { 0.50, 0.72 }
	};

	slot %= MP_SLOTS;
	return mix_rgb(rgb(hues[paper][slot % HUES]), end[paper], share[paper][slot >= HUES]);
}

struct mp_rgb mp_palette_other(enum mp_paper paper)
{
	return rgb(paper == MP_LIGHT ? 0xb8bcc2 : 0x5b6068);
}
