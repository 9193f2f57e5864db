/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The key that an event shares with its counterpart, as bytes: the link of the chain, then the
 * values of its fields, separated by TABs. Includes pairspec, split.
 */
#ifndef MP_PAIR_PAIRKEY_H
#define MP_PAIR_PAIRKEY_H

#include "lib/pair/pairspec.h"
#include "lib/pair/split.h"

struct mp_pairkeys {
	const struct mp_pair_specs *specs; /* borrowed */
	/* places of the fields: [link][0: begin, 1: end][component] */
	struct mp_split_place *places;
	size_t components; /* number of fields of the longest key */
	/* by link: number of the component that is the cpu in both events; -1: none */
	int cpu_at[MP_PAIR_STEPS_MAX];
	struct mp_buf text;
	char missing[256]; /* a message that names the field that an event lacks */
};

void mp_pairkeys_init(struct mp_pairkeys *k, const struct mp_pair_specs *specs, unsigned n_links);
void mp_pairkeys_release(struct mp_pairkeys *k);

/*
 * Makes the key of an event as begin or end of a link, in `text`. Returns false if a field is
 * missing.
 */
bool mp_pairkeys_make(struct mp_pairkeys *k, unsigned link, bool end, const struct mp_rec *rec,
		      const struct mp_split *split);

/* Changes the key in `text` to that of another link with the same fields. */
static inline void mp_pairkeys_relink(struct mp_pairkeys *k, unsigned link)
{
	k->text.p[0] = (char)('A' + link);
}

/* The CPU in a key, if both events of the link have it in their keys; else -1. */
int mp_pairkeys_cpu(const struct mp_pairkeys *k, unsigned link, struct mp_str key);

#endif
