// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the folded text of any program: frames, a blank, a weight, as FlameGraph's stackcollapse
 * scripts, async-profiler (collapsed) and py-spy (raw) write it. mp-folded(5) is the strict form.
 * Weights with a fraction are scaled to whole numbers.
 */
#include "lib/import/format.h"
#include "lib/stream/esc.h"

enum { DIGITS_MAX = 9 }; /* of a fraction */

/* Splits "FRAMES WEIGHT"; returns false if there is no blank. */
static bool split(struct mp_str line, struct mp_str *frames, struct mp_str *weight)
{
	const char *blank;

	line.len = mp_import_without_blanks(line);
	blank = line.len ? memrchr(line.p, ' ', line.len) : NULL;
	if (!blank)
		return false;
	*frames = (struct mp_str){ line.p, blank - line.p };
	*weight = mp_str_skip(line, blank + 1 - line.p);
	return true;
}

/* The number of digits after the point of "12.5"; 0 if the text is another one. */
static size_t fraction_digits(struct mp_str weight)
{
	size_t n = mp_import_digits(weight), digits;

	if (!n || n >= weight.len || weight.p[n] != '.')
		return 0;
	digits = mp_import_digits(mp_str_skip(weight, n + 1));
	return n + 1 + digits == weight.len ? digits : 0;
}

/* The most digits that a weight in the first 64 KiB has after its point. */
static unsigned find_scale(struct mp_import *im)
{
	struct mp_str line, frames, weight;
	const char *p, *end, *lf;
	size_t most = 0, len = mp_in_peek(&im->in, MP_IMPORT_LOOK, &p);

	end = p + MP_MIN(len, (size_t)MP_IMPORT_LOOK);
	for (; (lf = memchr(p, '\n', end - p)); p = lf + 1) {
		line = (struct mp_str){ p, lf - p };
		line.len -= line.len && line.p[line.len - 1] == '\r';
		if (split(line, &frames, &weight))
			most = MP_MAX(most, fraction_digits(weight));
	}
	return (unsigned)MP_MIN(most, (size_t)DIGITS_MAX);
}

/* Parses a weight times 10^digits; what a fraction has beyond these digits is rounded. */
static int scaled(struct mp_str weight, unsigned digits, int64_t *v)
{
	size_t given = fraction_digits(weight), point = weight.len - given - (given > 0);
	int64_t fraction = 0;
	unsigned i;

	if (mp_num_i64((struct mp_str){ weight.p, point }, v) < 0)
		return -1;
	for (i = 0; i < digits; i++) {
		fraction = 10 * fraction + (i < given ? weight.p[point + 1 + i] - '0' : 0);
		if (__builtin_mul_overflow(*v, 10, v))
			return -1;
	}
	fraction += given > digits && weight.p[point + 1 + digits] >= '5';
	return __builtin_add_overflow(*v, fraction, v) ? -1 : 0;
}

static void parse(struct mp_import *im)
{
	struct mp_str line, frames, weight;
	unsigned digits = find_scale(im), i;
	int64_t n, scale = 1;

	im->source = "folded text";
	for (i = 0; i < digits; i++)
		scale *= 10;
	if (digits) {
		mp_say("%s: weights have fractions: they are multiplied by %lld", im->in.name,
		       (long long)scale);
		mp_import_origin(im, "scale", json_integer(scale));
	}
	mp_import_begin(im, MP_STACK, NULL);
	while (mp_import_line(im, &line)) {
		if (!split(line, &frames, &weight)) {
			mp_import_bad(im, mp_import_without_blanks(line)
						  ? "no weight after the frames"
						  : "empty line");
			continue;
		}
		if ((!digits && fraction_digits(weight)) || scaled(weight, digits, &n) < 0) {
			mp_import_bad(im, "weight is not a whole number");
			continue;
		}
		mp_import_weight(im, n);
		if (mp_esc_check(frames) == 0) /* text in the form that the mp tools write */
			mp_buf_str(&im->line, frames);
		else
			mp_import_folded_frames(im, frames, ";");
		mp_import_write(im);
	}
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	struct mp_str frames, weight;
	struct mp_rec rec;
	const char *why;

	(void)first;
	if (split(line, &frames, &weight) && fraction_digits(weight) &&
	    memchr(frames.p, ';', frames.len))
		return MP_IMPORT_LIKE;
	if (mp_rec_parse(&rec, line.p, line.len, &why) < 0 || rec.kind != MP_FOLDED)
		return MP_IMPORT_UNLIKE;
	/* any text may have a line that ends with a number */
	return memchr(line.p, ';', line.len) ? MP_IMPORT_LIKE : MP_IMPORT_POSSIBLE;
}

const struct mp_import_format mp_import_folded = { "folded", looks_like, NULL, parse };
