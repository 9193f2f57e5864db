// SPDX-License-Identifier: GPL-2.0-only
/* Folded text of any program: frames, a blank, a weight. mp-folded(5) is the strict form of it. */
#include "lib/import/import.h"

static void add_frames(struct mp_buf *to, struct mp_str frames)
{
	struct mp_str frame, name;

	if (mp_esc_check(frames) == 0) { /* as our own programs write it */
		mp_buf_str(to, frames);
		return;
	}
	while (mp_rec_next_frame(&frames, &frame)) {
		enum mp_mark mark = mp_frame_mark(frame, &name);

		mp_buf_reserve(to, 4 * name.len + 16);
		to->len = mp_frame_put(to->p + to->len, name, mark) - to->p;
		if (frames.p)
			mp_buf_byte(to, ';');
	}
}

void mp_import_folded(struct mp_import *im)
{
	struct mp_str line, weight;
	const char *blank;
	int64_t n;

	im->source = "folded text";
	mp_import_begin(im, MP_STACK, NULL);
	while (mp_import_line(im, &line)) {
		line.len = mp_import_trim(line).len + (mp_import_trim(line).p - line.p);
		blank = line.len ? memrchr(line.p, ' ', line.len) : NULL;
		if (!blank) {
			mp_import_bad(im, line.len ? "no weight behind the frames" : "empty line");
			continue;
		}
		weight = (struct mp_str){ blank + 1, line.p + line.len - blank - 1 };
		if (mp_num_i64(weight, &n) < 0) {
			mp_import_bad(im, "weight is not a whole number");
			continue;
		}
		mp_buf_reserve(&im->line, MP_NUM_MAX + 1);
		im->line.len = mp_put_i64(im->line.p, n) - im->line.p;
		mp_buf_byte(&im->line, '#');
		add_frames(&im->line, (struct mp_str){ line.p, blank - line.p });
		mp_import_write(im);
	}
}
