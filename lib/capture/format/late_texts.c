// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/format/late_texts.h"

#include <stdlib.h>
#include <string.h>

#include "bpf/calls.h"

enum { SLOTS = 4096 };

struct mp_late_text {
	int32_t tid;
	uint64_t stamp; /* 0: the slot is free */
	char *raw;
	size_t len, cap;
};

void mp_late_texts_release(struct mp_late_texts *l)
{
	size_t i;

	for (i = 0; l->v && i < SLOTS; i++)
		free(l->v[i].raw);
	free(l->v);
	l->v = NULL;
}

/* What the program writes besides the fields. */
struct stamp {
	uint16_t unread, late;
	uint64_t stamp; /* 0: there is none */
};

/* A record that is too short has none. */
static struct stamp stamp_of(struct mp_str raw)
{
	struct stamp to = { .stamp = 0 };

	if (raw.len < offsetof(struct mp_tracing_record, texts))
		return to;
	memcpy(&to.unread, raw.p + offsetof(struct mp_tracing_record, unread), sizeof(to.unread));
	memcpy(&to.late, raw.p + offsetof(struct mp_tracing_record, late), sizeof(to.late));
	memcpy(&to.stamp, raw.p + offsetof(struct mp_tracing_record, values[MP_CALL_STAMP]),
	       sizeof(to.stamp));
	return to;
}

bool mp_late_texts_is(struct mp_str raw)
{
	return stamp_of(raw).late;
}

static struct mp_late_text *slot_of(const struct mp_late_texts *l, int32_t tid, uint64_t stamp)
{
	uint64_t hash = (stamp ^ (uint64_t)(uint32_t)tid << 40) * 0x9e3779b97f4a7c15;

	return &l->v[hash >> 52 & (SLOTS - 1)];
}

void mp_late_texts_note(struct mp_late_texts *l, int32_t tid, struct mp_str raw)
{
	struct stamp of = stamp_of(raw);
	struct mp_late_text *to;

	if (!of.late)
		return;
	if (!l->v)
		l->v = mp_zalloc(SLOTS * sizeof(*l->v));
	to = slot_of(l, tid, of.stamp);
	to->tid = tid;
	to->stamp = of.stamp;
	to->raw = mp_grow(to->raw, &to->cap, raw.len, 1);
	to->len = raw.len;
	memcpy(to->raw, raw.p, raw.len);
}

struct mp_str mp_late_texts_of(const struct mp_late_texts *l, int32_t tid, struct mp_str raw)
{
	struct stamp of = stamp_of(raw);
	const struct mp_late_text *found;

	if (!l->v || !of.unread || !of.stamp)
		return raw;
	found = slot_of(l, tid, of.stamp);
	if (found->tid != tid || found->stamp != of.stamp)
		return raw;
	return (struct mp_str){ found->raw, found->len };
}

_Static_assert(SLOTS == 1 << 12, "the hash has 12 bits");
