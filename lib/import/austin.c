// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads the samples of austin, a profiler of Python, by its README (github.com/P403n1x87/austin,
 * "Format"): "# KEY: VALUE", and "P1;T2;FILE:FUNCTION:LINE;... METRIC", leaf last. The metric is us, bytes
 * in the mode memory, or in full mode "US,IDLE,BYTES".
 */
#include "lib/import/counted.h"
#include "lib/import/format.h"

static const char *metric_of(struct mp_str mode)
{
	return mp_str_eq(mode, MP_STR("memory")) ? "B" : "us";
}

/* "FILE:FUNCTION:LINE" as "FUNCTION FILE:LINE"; process and thread stay as they are. */
static void put_frame(struct mp_import *im, struct mp_str frame, struct mp_buf *name)
{
	const char *line = frame.len ? memrchr(frame.p, ':', frame.len) : NULL;
	const char *function = line ? memrchr(frame.p, ':', line - frame.p) : NULL;

	name->len = 0;
	if (function) {
		mp_buf_add(name, function + 1, line - function - 1);
		mp_buf_byte(name, ' ');
		mp_buf_add(name, frame.p, function - frame.p);
		mp_buf_str(name, mp_str_skip(frame, line - frame.p));
		frame = mp_buf_view(name);
	}
	mp_buf_reserve(&im->line, 4 * frame.len + 16);
	im->line.len = mp_frame_put(im->line.p + im->line.len, frame, MP_MARK_NONE) - im->line.p;
}

static void put_sample(struct mp_import *im, struct mp_str line, struct mp_buf *name)
{
	const char *blank = line.len ? memrchr(line.p, ' ', line.len) : NULL;
	struct mp_str frames, metric;
	int64_t weight;
	size_t at;

	if (!blank) {
		mp_import_bad(im, "no metric after the frames");
		return;
	}
	frames = (struct mp_str){ line.p, blank - line.p };
	metric = mp_str_skip(line, blank + 1 - line.p);
	metric.len = mp_import_find(metric, ",");
	if (mp_num_i64(metric, &weight) < 0) {
		mp_import_bad(im, "the metric is not a whole number");
		return;
	}
	mp_import_weight(im, weight);
	for (;;) {
		at = mp_import_find(frames, ";");
		put_frame(im, (struct mp_str){ frames.p, at }, name);
		if (at == frames.len)
			break;
		mp_buf_byte(&im->line, ';');
		frames = mp_str_skip(frames, at + 1);
	}
	mp_import_write(im);
}

static void parse(struct mp_import *im)
{
	struct mp_buf name = { NULL, 0, 0 };
	const char *metric = "us";
	struct mp_str line;

	im->source = "austin";
	while (mp_import_line(im, &line)) {
		if (mp_str_starts(line, MP_STR("# mode: ")))
			metric = metric_of(mp_str_skip(line, 8));
		if (!line.len || *line.p == '#')
			continue;
		mp_import_counted_begin(im, MP_STR("austin"), mp_str(metric));
		put_sample(im, line, &name);
	}
	mp_import_counted_begin(im, MP_STR("austin"), mp_str(metric));
	mp_buf_release(&name);
}

static enum mp_import_likeness looks_like(struct mp_str line, bool first)
{
	return first && mp_str_starts(line, MP_STR("# austin: ")) ? MP_IMPORT_CERTAIN
								  : MP_IMPORT_UNLIKE;
}

const struct mp_import_format mp_import_austin = { "austin", looks_like, NULL, parse };
