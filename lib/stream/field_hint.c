// SPDX-License-Identifier: GPL-2.0-only
#include "lib/stream/field_hint.h"

#include <stdlib.h>

#include "lib/core/suggest.h"

enum { LEARNED_MAX = 64 }; /* events: several types, but no matter how long the input is */

void mp_field_hints_init(struct mp_field_hints *n)
{
	mp_map_init(&n->seen, 0);
	n->records = 0;
}

void mp_field_hints_release(struct mp_field_hints *n)
{
	mp_map_release(&n->seen);
}

void mp_field_hints_learn(struct mp_field_hints *n, const struct mp_rec *rec)
{
	struct mp_str rest = rec->body, key, value;

	if (rec->kind != MP_EVENT || n->records == LEARNED_MAX)
		return;
	n->records++;
	while (mp_rec_next_field(&rest, &key, &value))
		if (key.len <= 127)
			mp_map_put(&n->seen, &key, 1, NULL);
}

/* Whether they differ in the dot of a payload's field alone. */
static bool dot_apart(struct mp_str a, struct mp_str b)
{
	struct mp_str with = a.len > b.len ? a : b, without = a.len > b.len ? b : a;

	return with.len == without.len + 1 && *with.p == '.' &&
	       memcmp(with.p + 1, without.p, without.len) == 0;
}

char *mp_field_hints_near(const struct mp_field_hints *n, struct mp_str name)
{
	const struct mp_map_entry *e;
	struct mp_suggest near;
	char *word;

	mp_map_each (&n->seen, e)
		if (dot_apart(e->key, name))
			return mp_strdup(e->key.p);
	word = mp_strndup(name.p, name.len);
	mp_suggest_init(&near, word);
	mp_map_each (&n->seen, e)
		mp_suggest_try(&near, e->key.p);
	free(word);
	return near.best;
}
