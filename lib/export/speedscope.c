// SPDX-License-Identifier: GPL-2.0-only
/*
 * speedscope: its own file format (https://www.speedscope.app/file-format-schema.json), one sampled
 * profile. Samples come before the table of the frames that they number, so only the table and the
 * weights wait in memory.
 */
#include "lib/export/speedscope.h"

#include "lib/core/map.h"
#include "lib/stream/unit.h"

struct state {
	struct mp_export *ex;
	struct mp_map frames; /* mark and name -> number */
	struct mp_buf text, weights;
	int64_t total;
	bool any;
};

static uint32_t number_of(struct state *s, const struct mp_frame *frame)
{
	char mark = frame->mark ? (char)frame->mark : ' ';
	struct mp_str parts[] = { { &mark, 1 }, frame->name };
	bool fresh;
	struct mp_map_entry *e = mp_map_put(&s->frames, parts, MP_ARRAY_SIZE(parts), &fresh);
	uint32_t *number = mp_map_value(e);

	if (fresh)
		*number = (uint32_t)s->frames.n - 1;
	return *number;
}

static void add_stack(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	struct state *s = arg;
	size_t i;

	if (weight <= 0) {
		s->ex->negative += weight < 0;
		return;
	}
	if (__builtin_add_overflow(s->total, weight, &s->total))
		s->total = INT64_MAX;
	mp_buf_printf(&s->weights, "%s%lld", s->any ? "," : "", (long long)weight);
	s->text.len = 0;
	mp_buf_printf(&s->text, s->any ? ",\n[" : "[");
	for (i = 0; i < n; i++)
		mp_buf_printf(&s->text, "%s%u", i ? "," : "", number_of(s, &frames[i]));
	mp_buf_byte(&s->text, ']');
	mp_out_write(&s->ex->out, s->text.p, s->text.len);
	s->any = true;
}

static void add_frames(struct state *s)
{
	struct mp_buf name = { NULL, 0, 0 };
	const struct mp_map_entry *e;

	mp_map_each (&s->frames, e) {
		enum mp_mark mark = *e->key.p == ' ' ? MP_MARK_NONE : (enum mp_mark) * e->key.p;

		mp_export_frame(&name, mp_str_skip(e->key, 2), mark);
		mp_buf_printf(&s->text, "%s\n{\"name\":", e == s->frames.first ? "" : ",");
		mp_export_json_raw(&s->text, mp_buf_view(&name));
		mp_buf_byte(&s->text, '}');
	}
	mp_buf_release(&name);
}

void mp_export_speedscope(struct mp_export *ex)
{
	struct state s = { .ex = ex };
	struct mp_str weight;
	const char *unit;

	mp_export_fold(ex);
	if (mp_export_none(ex))
		return;
	mp_map_init(&s.frames, sizeof(uint32_t));
	weight = mp_fold_reader_weight(&ex->reader);
	mp_buf_printf(&s.text, "{\"$schema\":"
			       "\"https://www.speedscope.app/file-format-schema.json\",\n"
			       "\"exporter\":\"mp-export " MP_VERSION "\",\n"
			       "\"profiles\":[{\"type\":\"sampled\",\"name\":");
	mp_export_json_raw(&s.text, weight);
	unit = mp_unit_word(mp_fold_reader_unit(&ex->reader));
	mp_buf_printf(&s.text, ",\"unit\":\"%s\",\"samples\":[\n", unit ? unit : "none");
	mp_out_write(&ex->out, s.text.p, s.text.len);
	mp_fold_each(&ex->reader.fold, &ex->reader.style, add_stack, &s);
	mp_fold_report(&ex->reader.fold);
	s.text.len = 0;
	mp_buf_printf(&s.text, "],\n\"weights\":[");
	mp_buf_str(&s.text, mp_buf_view(&s.weights));
	mp_buf_printf(&s.text,
		      "],\n\"startValue\":0,\"endValue\":%lld}],\n\"shared\":{\"frames\":[",
		      (long long)s.total);
	add_frames(&s);
	mp_buf_printf(&s.text, "\n]}}\n");
	mp_out_write(&ex->out, s.text.p, s.text.len);
	mp_buf_release(&s.text);
	mp_buf_release(&s.weights);
	mp_map_release(&s.frames);
}
