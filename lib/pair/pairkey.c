// SPDX-License-Identifier: GPL-2.0-only
#include "lib/pair/pairkey.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/stream/named.h"

static const struct mp_pair_key *key_of(const struct mp_pairkeys *k, unsigned link)
{
	return &k->specs->keys[MP_MIN(link, k->specs->n_keys - 1)];
}

static int find_cpu(const struct mp_pair_key *key)
{
	size_t i;

	for (i = 0; i < key->begin.n; i++)
		if (mp_str_eq(key->begin.v[i].name, MP_STR("cpu")) &&
		    mp_str_eq(key->end.v[i].name, MP_STR("cpu")))
			return (int)i;
	return -1;
}

void mp_pairkeys_init(struct mp_pairkeys *k, const struct mp_pair_specs *specs, unsigned n_links)
{
	unsigned link;

	*k = (struct mp_pairkeys){ .specs = specs };
	for (link = 0; link < n_links; link++) {
		k->components = MP_MAX(k->components, key_of(k, link)->begin.n);
		k->cpu_at[link] = find_cpu(key_of(k, link));
	}
	k->places = mp_zalloc(n_links * 2 * k->components * sizeof(*k->places));
}

void mp_pairkeys_release(struct mp_pairkeys *k)
{
	free(k->places);
	mp_buf_release(&k->text);
	k->places = NULL;
}

bool mp_pairkeys_make(struct mp_pairkeys *k, unsigned link, bool end, const struct mp_rec *rec,
		      const struct mp_split *split)
{
	const struct mp_pair_key *key = key_of(k, link);
	const struct mp_fields *fields = end ? &key->end : &key->begin;
	struct mp_split_place *places = k->places + (link * 2 + end) * k->components;
	struct mp_str value;
	size_t i;

	k->text.len = 0;
	mp_buf_byte(&k->text, (char)('A' + link));
	for (i = 0; i < fields->n; i++) {
		if (!mp_split_get(split, rec, &fields->v[i], &places[i], &value)) {
			const char *why = mp_field_why(&fields->v[i], NULL);

			snprintf(k->missing, sizeof(k->missing),
				 "event without the key field '%.*s'%s%s",
				 MP_STR_ARGS(fields->v[i].name), why ? ": " : "", why ? why : "");
			return false;
		}
		mp_buf_byte(&k->text, '\t');
		mp_buf_str(&k->text, mp_named_number(value));
	}
	return true;
}

int mp_pairkeys_cpu(const struct mp_pairkeys *k, unsigned link, struct mp_str key)
{
	const char *end = key.p + key.len, *from = key.p, *to;
	uint64_t cpu;
	int i;

	if (k->cpu_at[link] < 0)
		return -1;
	for (i = 0; i <= k->cpu_at[link]; i++)
		from = (const char *)memchr(from, '\t', end - from) + 1;
	to = memchr(from, '\t', end - from);
	if (mp_num_u64((struct mp_str){ from, (to ? to : end) - from }, &cpu) < 0 ||
	    cpu > INT32_MAX)
		return -1;
	return (int)cpu;
}
