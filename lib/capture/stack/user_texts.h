/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Caches of the texts of stacks, one for each user, so that stacks of one user do not evict those
 * of others. All together take at most MP_BUDGET_TEXTS. Includes budget, map.
 */
#ifndef MP_CAPTURE_STACK_USER_TEXTS_H
#define MP_CAPTURE_STACK_USER_TEXTS_H

#include "lib/capture/host/budget.h"
#include "lib/core/map.h"

struct mp_user_text {
	struct mp_str text;
	uint64_t until_ns; /* UINT64_MAX: as long as the address space exists */
	bool cut;	   /* frames are missing */
};

struct mp_user_texts {
	struct mp_budget *budget; /* borrowed; set by the caller; NULL: one cache, of 16 MiB */
	struct mp_intmap by_uid;  /* -> struct mp_user_texts_cache */
	struct mp_user_texts_cache **all;
	size_t n, cap;
};

void mp_user_texts_init(struct mp_user_texts *t);
void mp_user_texts_release(struct mp_user_texts *t);

/* The text of a key in two parts; NULL: there is none. Valid until a text is put. */
const struct mp_user_text *mp_user_texts_find(struct mp_user_texts *t, uid_t uid,
					      const struct mp_str key[2]);

/* Keeps a copy of a text, if there is room for it, perhaps after clearing the cache of a user. */
void mp_user_texts_put(struct mp_user_texts *t, uid_t uid, const struct mp_str key[2],
		       const struct mp_user_text *text);

#endif
