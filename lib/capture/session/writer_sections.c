// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/writer_sections.h"

#include <string.h>

bool mp_writer_add_totals(struct mp_writer_sections *w, const struct perf_event_header *h)
{
	size_t len;
	const void *body = mp_cut_record_body(h, &len);

	if (!w->aggregator)
		return false;
	if (h->type == MP_CUT_TOTALS) {
		mp_aggregator_add(w->aggregator, body, len / sizeof(struct mp_cut_total));
		mp_aggregator_settle(w->aggregator);
		return true;
	}
	if (len != sizeof(w->end))
		return false;
	memcpy(&w->end, body, len);
	return true;
}

/*
 * Writes a line of a section, unless another writer has: if this one dies as well, the next one
 * continues with the line that follows.
 */
static void put_line(void *arg, struct mp_str line)
{
	struct mp_writer_sections *w = arg;
	struct mp_writer_output *o = w->output;
	uint64_t *number = &w->state->progress.section_lines;
	bool is_written = !o->live && *number < w->state->sections_from;

	if (o->readable && line.p[0] == '{')
		return;
	++*number;
	if (o->live)
		mp_live_add(o->live, line);
	else if (!is_written)
		mp_writer_put(o, line);
	if (line.p[0] == '{' && !is_written) /* a header: the modules of its section follow it */
		mp_writer_put_modules(o);
	if (o->out->len >= MP_READ_SIZE)
		mp_writer_flush(w->state);
}

void mp_writer_write_sections(struct mp_writer_sections *w, const json_t *header,
			      const json_t *trailer, struct mp_unwind_stats *unwound)
{
	const struct mp_agg_output sections = { header, trailer, put_line, w };

	w->state->progress.section_lines = 0;
	mp_aggregator_write(w->aggregator, &w->end, &sections, unwound);
}
