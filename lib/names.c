// SPDX-License-Identifier: GPL-2.0-only
#include "lib/names.h"

#include <stdlib.h>

#include "lib/near.h"

enum { LEARNED_MAX = 64 }; /* events: several types, but no matter how long the input is */

void mp_names_init(struct mp_names *n)
{
	mp_map_init(&n->seen, 0);
	n->records = 0;
}

void mp_names_release(struct mp_names *n)
{
	mp_map_release(&n->seen);
}

void mp_names_learn(struct mp_names *n, const struct mp_rec *rec)
{
	struct mp_str rest = rec->body, key, value;

	if (rec->kind != MP_EVENT || n->records == LEARNED_MAX)
		return;
	n->records++;
	while (mp_rec_next_field(&rest, &key, &value))
		if (key.len <= 127)
			mp_map_put(&n->seen, &key, 1, NULL);
}

char *mp_names_near(const struct mp_names *n, struct mp_str name)
{
	char *word = mp_strndup(name.p, name.len);
	const struct mp_map_entry *e;
	struct mp_near near;

	mp_near_init(&near, word);
	mp_map_each (&n->seen, e)
		mp_near_try(&near, e->key.p);
	free(word);
	return near.best;
}
