// SPDX-License-Identifier: GPL-2.0-only
/*
 * Data lines: fields and frames of an accepted line are within it, and a line that passed the check
 * is valid.
 */
#include <stdlib.h>

#include "lib/stream/esc.h"
#include "lib/stream/rec.h"
#include "lib/stream/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void within(struct mp_str part, struct mp_str whole)
{
	if (part.len && (part.p < whole.p || part.p + part.len > whole.p + whole.len))
		abort();
}

static void walk(const struct mp_rec *rec)
{
	struct mp_str rest = rec->body, key, value, frames, frame;
	static const char *const names[] = { "time", "type", "stack",  "x",
					     "y",    "info", "weight", "comm" };
	struct mp_buf raw = { NULL, 0, 0 };
	struct mp_field f;
	size_t i;

	within(rec->body, rec->line);
	while (rec->kind == MP_EVENT && mp_rec_next_field(&rest, &key, &value)) {
		within(key, rec->line);
		within(value, rec->line);
	}
	for (i = 0; i < MP_ARRAY_SIZE(names); i++)
		if (mp_field_parse(&f, mp_str(names[i])) == 0 && mp_rec_get(rec, &f, &value))
			within(value, rec->line);
	if (!mp_rec_stack(rec, &frames))
		return;
	while (mp_rec_next_frame(&frames, &frame)) {
		char *text = malloc(4 * frame.len + 16);
		struct mp_str name, back;
		enum mp_mark mark = mp_frame_mark(frame, &name);

		raw.len = 0;
		if (mp_esc_undo(&raw, name) == 0) { /* raw name and mark survive both forms */
			back = (struct mp_str){
				text, mp_frame_put_folded(text, mp_buf_view(&raw), mark) - text
			};
			if (mp_frame_mark(back, &back) != mark || memchr(back.p, ';', back.len))
				abort();
		}
		free(text);
	}
	mp_buf_release(&raw);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = malloc(size + 1);
	struct mp_buf shown = { NULL, 0, 0 };
	struct mp_rec rec;
	const char *why = NULL;

	memcpy(line, data, size);
	line[size] = '\n';
	if (!memchr(line, '\n', size)) {
		if (mp_rec_parse(&rec, line, size, &why) == 0) {
			walk(&rec);
			mp_rec_check(&rec, &why);
		} else if (!why) {
			abort();
		}
		mp_show_line(&shown, (struct mp_str){ line, size + 1 });
	}
	mp_buf_release(&shown);
	free(line);
	return 0;
}
