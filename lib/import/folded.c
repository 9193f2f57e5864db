// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the folded text of any program: frames, a blank, a weight. mp-folded(5) is the strict form
 * of it.
 */
#include "lib/import/format.h"
#include "lib/stream/esc.h"

static void parse(struct mp_import *im)
{
	struct mp_str line, frames, weight;
	const char *blank;
	int64_t n;

	im->source = "folded text";
	mp_import_begin(im, MP_STACK, NULL);
	while (mp_import_line(im, &line)) {
		line.len = mp_import_without_blanks(line);
		blank = line.len ? memrchr(line.p, ' ', line.len) : NULL;
		if (!blank) {
			mp_import_bad(im, line.len ? "no weight after the frames" : "empty line");
			continue;
		}
		weight = (struct mp_str){ blank + 1, line.p + line.len - blank - 1 };
		if (mp_num_i64(weight, &n) < 0) {
			mp_import_bad(im, "weight is not a whole number");
			continue;
		}
		frames = (struct mp_str){ line.p, blank - line.p };
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
	struct mp_rec rec;
	const char *why;

	(void)first;
	if (mp_rec_parse(&rec, line.p, line.len, &why) < 0 || rec.kind != MP_FOLDED)
		return MP_IMPORT_UNLIKE;
	/* any text may have a line that ends with a number */
	return memchr(line.p, ';', line.len) ? MP_IMPORT_LIKE : MP_IMPORT_POSSIBLE;
}

const struct mp_import_format mp_import_folded = { "folded", looks_like, NULL, parse };
