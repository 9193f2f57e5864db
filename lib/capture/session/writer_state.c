// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/session/writer_state.h"

#include <stdlib.h>

void mp_writer_state_add(struct mp_writer_state *s, void *p, size_t size)
{
	s->parts[s->n_parts++] = (struct mp_journal_part){ p, size };
}

void mp_writer_state_init(struct mp_writer_state *s, size_t n_streams)
{
	s->places = mp_zalloc(n_streams * sizeof(*s->places));
	mp_writer_state_add(s, &s->progress, sizeof(s->progress));
	mp_writer_state_add(s, s->places, n_streams * sizeof(*s->places));
}

void mp_writer_state_release(struct mp_writer_state *s)
{
	free(s->places);
}

size_t mp_writer_state_size(const struct mp_writer_state *s)
{
	size_t bytes = 0, i;

	for (i = 0; i < s->n_parts; i++)
		bytes += s->parts[i].size;
	return bytes;
}

void mp_writer_flush(struct mp_writer_state *s)
{
	if (s->merge)
		s->handled = mp_merge_places(s->merge, s->places);
	mp_journal_set_progress(s->journal, s->handled + s->progress.section_lines);
	s->progress.unwritten = s->out->len;
	s->progress.number++;
	mp_journal_save(s->journal, s->parts, s->n_parts);
	mp_task_log_saved(s->tasks->log, s->progress.number);
	if (s->aggregator)
		mp_aggregator_saved(s->aggregator);
	if (s->merge) {
		mp_queue_give_back(s->merge->queue);
		s->merge->held = 0;
	}
	mp_out_flush(s->out);
}

bool mp_writer_state_load(struct mp_writer_state *s, struct mp_buf *modules)
{
	bool loaded = mp_journal_load(s->journal, s->parts, s->n_parts);

	if (s->aggregator)
		mp_aggregator_restore(s->aggregator, loaded, modules);
	mp_tasks_restore(s->tasks, loaded ? s->progress.number : 0);
	if (!loaded)
		return false;
	s->sections_from = s->progress.section_lines;
	mp_merge_from(s->merge, s->places);
	return true;
}

bool mp_writer_state_write_rest(struct mp_writer_state *s, uint64_t all, uint64_t written)
{
	uint64_t unwritten = s->progress.unwritten, rest = all - written;

	if (written > all || rest > unwritten || unwritten > s->out->cap)
		return false;
	/* the rest stays where it is: this writer, too, may die while it writes */
	s->out->buf += unwritten - rest;
	s->out->len = rest;
	mp_out_flush(s->out);
	s->out->buf -= unwritten - rest;
	return true;
}
