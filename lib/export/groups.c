// SPDX-License-Identifier: GPL-2.0-only
#include "lib/export/groups.h"

#include <stdlib.h>

/* bytes of records in memory before they become a run; of runs in memory; read from a run at once */
enum { RUN_BYTES = 8 << 20, SPILL_KEPT = 8 << 20, WINDOW = 16 << 10 };

/* Before each record. */
struct head {
	union {
		uint32_t next;	/* in memory: the next one of the group (offset + 1) */
		uint32_t group; /* in a run */
	};
	uint32_t len;
};

/* A sorted part of the spill, and where reading is. */
struct mp_export_run {
	uint64_t start, at,
		end; /* first record of the current group; next record; end of the run */
	char *window;
	uint64_t window_at;
	size_t window_len;
};

void mp_export_groups_init(struct mp_export_groups *g)
{
	*g = (struct mp_export_groups){ .buf = NULL };
	mp_spill_init(&g->spill, SPILL_KEPT, "set TMPDIR");
}

void mp_export_groups_release(struct mp_export_groups *g)
{
	size_t i;

	for (i = 0; i < g->n_runs; i++)
		free(g->runs[i].window);
	free(g->runs);
	free(g->buf);
	free(g->chains);
	free(g->large);
	mp_spill_release(&g->spill);
}

/* Moves the records in memory to a run, sorted by group. */
static void write_run(struct mp_export_groups *g)
{
	struct mp_export_run run = { .start = g->spill.bytes };
	struct head head;
	uint32_t at;
	size_t i;

	for (i = 0; i < g->n; i++) {
		for (at = g->chains[i].first; at; at = head.next) {
			char *record = g->buf + at - 1;

			memcpy(&head, record, sizeof(head));
			memcpy(record, &(uint32_t){ (uint32_t)i }, sizeof(head.group));
			mp_spill_add(&g->spill, record, sizeof(head) + head.len);
		}
		g->chains[i] = (struct mp_export_chain){ 0, 0 };
	}
	run.at = run.start;
	run.end = g->spill.bytes;
	g->len = 0;
	g->runs = mp_grow(g->runs, &g->runs_cap, g->n_runs + 1, sizeof(*g->runs));
	g->runs[g->n_runs++] = run;
}

void mp_export_groups_add(struct mp_export_groups *g, uint32_t group, const void *data, size_t len)
{
	struct head head = { .len = (uint32_t)len };
	struct mp_export_chain *chain;
	uint32_t at;

	if (g->len && g->len + sizeof(head) + len > RUN_BYTES)
		write_run(g);
	g->chains = mp_grow(g->chains, &g->n_cap, group + (size_t)1, sizeof(*g->chains));
	while (g->n <= group)
		g->chains[g->n++] = (struct mp_export_chain){ 0, 0 };
	g->buf = mp_grow(g->buf, &g->cap, g->len + sizeof(head) + len, 1);
	at = (uint32_t)g->len + 1;
	memcpy(g->buf + g->len, &head, sizeof(head));
	if (len)
		memcpy(g->buf + g->len + sizeof(head), data, len);
	g->len += sizeof(head) + len;
	chain = &g->chains[group];
	if (chain->last) /* `next` is the first member of a head */
		memcpy(g->buf + chain->last - 1, &at, sizeof(at));
	else
		chain->first = at;
	chain->last = at;
}

/* The next bytes of a run, valid until the next call. */
static const char *peek(struct mp_export_groups *g, struct mp_export_run *r, size_t len)
{
	if (len > WINDOW) {
		g->large = mp_grow(g->large, &g->large_cap, len, 1);
		mp_spill_read_at(&g->spill, r->at, g->large, len);
		return g->large;
	}
	if (r->at < r->window_at || r->at + len > r->window_at + r->window_len) {
		if (!r->window)
			r->window = mp_alloc(WINDOW);
		r->window_at = r->at;
		r->window_len = MP_MIN((uint64_t)WINDOW, r->end - r->at);
		mp_spill_read_at(&g->spill, r->at, r->window, r->window_len);
	}
	return r->window + (r->at - r->window_at);
}

static void next_head(struct mp_export_groups *g, struct mp_export_run *r, struct head *head)
{
	memcpy(head, peek(g, r, sizeof(*head)), sizeof(*head));
}

void mp_export_groups_begin(struct mp_export_groups *g, uint32_t group)
{
	struct head head;
	size_t i;

	if (g->len) {
		write_run(g);
		free(g->buf);
		g->buf = NULL;
		g->cap = 0;
	}
	for (i = 0; i < g->n_runs; i++) {
		struct mp_export_run *r = &g->runs[i];

		for (r->at = r->start; r->at < r->end; r->at += sizeof(head) + head.len) {
			next_head(g, r, &head);
			if (head.group >= group)
				break;
		}
		r->start = r->at;
	}
	g->group = group;
	g->run = 0;
}

bool mp_export_groups_next(struct mp_export_groups *g, struct mp_str *record)
{
	struct mp_export_run *r;
	struct head head;

	for (; g->run < g->n_runs; g->run++) {
		r = &g->runs[g->run];
		if (r->at == r->end)
			continue;
		next_head(g, r, &head);
		if (head.group != g->group)
			continue;
		r->at += sizeof(head);
		*record = (struct mp_str){ peek(g, r, head.len), head.len };
		r->at += head.len;
		return true;
	}
	return false;
}
