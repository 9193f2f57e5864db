// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a writer that lies makes of the tables by which BPF programs walk stacks: the collector
 * stays within their memory.
 *
 * The input is a sequence of messages: type, length (2 bytes), body.
 */
#include "lib/capture/bpf/bpftables.h"

#include <stdlib.h>

#include "lib/capture/session/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_ROWS = 256, MAX_SPACES = 4 };

static struct mp_str rest;

/* The body of the next message; false at the end. */
static bool next(uint8_t *type, struct mp_str *body)
{
	size_t len;

	if (rest.len < 3)
		return false;
	*type = (uint8_t)rest.p[0];
	len = (uint8_t)rest.p[1] | (size_t)(uint8_t)rest.p[2] << 8;
	rest = mp_str_skip(rest, 3);
	*body = (struct mp_str){ rest.p, MP_MIN(len, rest.len) };
	rest = mp_str_skip(rest, body->len);
	return true;
}

/* As mp_link_rows(): the next message is the answer, or else there are none. */
static void rows_of(void *arg, uint32_t file, struct mp_cut_rows *answer)
{
	struct mp_str body;
	uint8_t type;

	(void)arg, (void)file;
	if (!next(&type, &body) || mp_message_get_rows(body, answer) < 0)
		*answer = (struct mp_cut_rows){ .n = 0 };
}

static void check(const struct mp_bpf_tables *t, const struct mp_bpf_task *task)
{
	const struct mp_bpf_space *s = &t->spaces[task->space];
	size_t i;

	if (task->space >= MAX_SPACES || !task->sequence || s->sequence != task->sequence ||
	    s->n > MP_BPF_MAPPINGS)
		abort();
	for (i = 0; i < s->n; i++)
		if (s->v[i].first > MAX_ROWS ||
		    (uint64_t)s->v[i].pages + s->v[i].n_pages > MAX_ROWS)
			abort();
}

static void take(struct mp_bpf_tables *t, uint8_t type, struct mp_str body)
{
	struct mp_bpf_task task = { .space = 0 };
	struct mp_cut_space space;
	uint64_t number;

	switch (type % 3) {
	case 0:
		if (mp_message_get_space(body, &space) < 0)
			return;
		if (mp_bpf_tables_update(t, &space, &task))
			check(t, &task);
		free((void *)space.v);
		break;
	case 1:
		if (mp_message_get_number(body, &number) == 0)
			mp_bpf_tables_forget(t, number);
		break;
	case 2:
		if (mp_message_get_number(body, &number) == 0 && number <= UINT32_MAX)
			mp_bpf_tables_forget_file(t, (uint32_t)number);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mp_bpf_tables t;
	struct mp_str body;
	uint8_t type;

	rest = (struct mp_str){ (const char *)data, size };
	mp_bpf_tables_init(&t, MAX_ROWS, MAX_SPACES);
	t.rows_of = rows_of;
	t.rows = mp_zalloc(MAX_ROWS * sizeof(*t.rows));
	t.pages = mp_zalloc(t.max_pages * 2 * sizeof(*t.pages));
	t.spaces = mp_zalloc(MAX_SPACES * sizeof(*t.spaces));
	while (next(&type, &body))
		take(&t, type, body);
	free(t.rows);
	free(t.pages);
	free(t.spaces);
	mp_bpf_tables_release(&t);
	return 0;
}
