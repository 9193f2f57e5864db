// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/walk_tables.h"

#include <stdlib.h>

#include "lib/capture/object/walk_rows.h"

void mp_walk_tables_release(struct mp_walk_tables *t)
{
	free(t->v);
}

static struct mp_cut_mapping translate(struct mp_dsos *d, const struct mp_mapping *m)
{
	struct mp_cut_mapping to = { .start = m->start, .end = m->end };
	uint64_t delta;

	if (!m->dso)
		return to;
	if (!m->dso->cfi_id) /* its segments are read with its call frame information */
		mp_dso_cfi(d, m->dso);
	if (!mp_segments_delta(&m->dso->segments, m->offset, m->end - m->start, &delta))
		return to;
	to.bias = m->start - m->offset - delta;
	to.file = m->dso->number;
	return to;
}

void mp_walk_tables_update(struct mp_walk_tables *t, struct mp_process *process, uint64_t time_ns)
{
	const struct mp_space *s = process->space;
	struct mp_cut_space to = {
		.pid = (uint32_t)process->pid,
		.time_ns = time_ns,
		.number = s->number,
		.state = s->id,
	};

	process->tables = true;
	if (process->pid == 0 || t->ended)
		return;
	t->v = mp_grow(t->v, &t->cap, s->n, sizeof(*t->v));
	for (to.n = 0; to.n < s->n; to.n++)
		t->v[to.n] = translate(t->dsos, &s->v[to.n]);
	to.v = t->v;
	t->walker.update(t->walker.arg, &to);
}

void mp_walk_tables_forget(void *tables, const struct mp_space *space)
{
	const struct mp_walk_tables *t = tables;

	t->walker.forget(t->walker.arg, space->number);
}

void mp_walk_tables_rows(void *dsos, uint32_t file, struct mp_cut_rows *answer)
{
	struct mp_dsos *d = dsos;
	struct mp_cfi *cfi = mp_dso_cfi(d, mp_dsos_numbered(d, file));

	*answer = (struct mp_cut_rows){ .n = 0 };
	if (cfi)
		answer->v = mp_cfi_walk_rows(cfi, &answer->n);
}
