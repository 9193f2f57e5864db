// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/stack/user_texts.h"

#include <stdlib.h>

enum {
	USERS_MAX = 250,     /* further users share a cache */
	ALIASES_MAX = 10000, /* uids that are known to have a cache */
	ALONE_MAX_BYTES = 16 << 20,
	ENTRY_BYTES = 128, /* of an entry, without its key and its text; at most */
};

struct mp_user_texts_cache {
	uid_t uid;
	struct mp_map map; /* -> struct mp_user_text */
	size_t charged;
};

void mp_user_texts_init(struct mp_user_texts *t)
{
	*t = (struct mp_user_texts){ .budget = NULL };
	mp_intmap_init(&t->by_uid);
}

void mp_user_texts_release(struct mp_user_texts *t)
{
	size_t i;

	for (i = 0; i < t->n; i++) {
		mp_map_release(&t->all[i]->map);
		free(t->all[i]);
	}
	free(t->all);
	mp_intmap_release(&t->by_uid);
}

static struct mp_user_texts_cache *new_cache(struct mp_user_texts *t, uid_t uid)
{
	struct mp_user_texts_cache *c = mp_zalloc(sizeof(*c));

	c->uid = uid;
	mp_map_init(&c->map, sizeof(struct mp_user_text));
	t->all = mp_grow(t->all, &t->cap, t->n + 1, sizeof(struct mp_user_texts_cache *));
	t->all[t->n++] = c;
	return c;
}

/* The cache of a uid that is not in the table yet. */
static struct mp_user_texts_cache *find_cache(struct mp_user_texts *t, uid_t uid)
{
	uid_t user = t->budget ? mp_budget_uid(t->budget, uid) : 0;
	struct mp_user_texts_cache *c = mp_intmap_pointer(&t->by_uid, user);

	if (!c && t->n >= USERS_MAX)
		c = t->all[USERS_MAX - 1];
	if (!c) {
		c = new_cache(t, user);
		mp_intmap_add_pointer(&t->by_uid, user, c);
	}
	if (user != uid && t->by_uid.n < ALIASES_MAX)
		mp_intmap_add_pointer(&t->by_uid, uid, c);
	return c;
}

static struct mp_user_texts_cache *cache_of(struct mp_user_texts *t, uid_t uid)
{
	struct mp_user_texts_cache *c = mp_intmap_pointer(&t->by_uid, uid);

	return c ? c : find_cache(t, uid);
}

const struct mp_user_text *mp_user_texts_find(struct mp_user_texts *t, uid_t uid,
					      const struct mp_str key[2])
{
	struct mp_map_entry *e = mp_map_find(&cache_of(t, uid)->map, key, 2);

	return e ? mp_map_value(e) : NULL;
}

/* Charges the user of a cache for what it takes now. */
static void settle(struct mp_user_texts *t, struct mp_user_texts_cache *c)
{
	size_t bytes = mp_map_bytes(&c->map);

	if (bytes > c->charged)
		mp_budget_spend(t->budget, MP_BUDGET_TEXTS, c->uid, bytes - c->charged);
	else
		mp_budget_give(t->budget, MP_BUDGET_TEXTS, c->uid, c->charged - bytes);
	c->charged = bytes;
}

static void clear(struct mp_user_texts *t, struct mp_user_texts_cache *c)
{
	mp_map_release(&c->map);
	mp_map_init(&c->map, sizeof(struct mp_user_text));
	settle(t, c);
}

static bool fits(const struct mp_user_texts *t, const struct mp_user_texts_cache *c, size_t bytes)
{
	if (t->budget)
		return mp_budget_fits(t->budget, MP_BUDGET_TEXTS, c->uid, bytes);
	return c->charged + bytes <= ALONE_MAX_BYTES;
}

/*
 * Clears the cache of the user that has used up its share, or else the largest. False: it would not
 * help.
 */
static bool make_room(struct mp_user_texts *t, struct mp_user_texts_cache *c, size_t bytes)
{
	struct mp_user_texts_cache *victim = c;

	if (fits(t, c, bytes))
		return true;
	if (t->budget)
		victim = cache_of(t, mp_budget_victim(t->budget, MP_BUDGET_TEXTS, c->uid, bytes));
	clear(t, victim);
	return fits(t, c, bytes);
}

void mp_user_texts_put(struct mp_user_texts *t, uid_t uid, const struct mp_str key[2],
		       const struct mp_user_text *text)
{
	struct mp_user_texts_cache *c = cache_of(t, uid);
	struct mp_user_text *kept;

	if (!make_room(t, c, key[0].len + key[1].len + text->text.len + ENTRY_BYTES))
		return;
	kept = mp_map_value(mp_map_put(&c->map, key, 2, NULL));
	if (kept->text.p && mp_str_eq(kept->text, text->text)) {
		kept->until_ns = text->until_ns;
		kept->cut = text->cut;
		return;
	}
	*kept = *text;
	kept->text = mp_arena_str(&c->map.arena, text->text);
	settle(t, c);
}
