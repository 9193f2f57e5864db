// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/intmap.h"

#include <stdlib.h>
#include <string.h>

enum { BITS_MIN = 10 };

static void set_size(struct mp_intmap *m, unsigned bits)
{
	m->mask = ((size_t)1 << bits) - 1;
	m->shift = 64 - bits;
	m->slots = mp_zalloc((m->mask + 1) * sizeof(*m->slots));
}

void mp_intmap_init(struct mp_intmap *m)
{
	m->n = 0;
	m->seed = mp_hash_seed();
	set_size(m, BITS_MIN);
}

void mp_intmap_release(struct mp_intmap *m)
{
	free(m->slots);
	*m = (struct mp_intmap){ .slots = NULL };
}

void mp_intmap_clear(struct mp_intmap *m)
{
	unsigned bits = 64 - m->shift;

	/* clearing slots that a former use had needed would take more time than this one */
	while (bits > BITS_MIN && (size_t)1 << (bits - 3) > m->n)
		bits--;
	if (bits < 64 - m->shift) {
		free(m->slots);
		set_size(m, bits);
	} else {
		memset(m->slots, 0, (m->mask + 1) * sizeof(*m->slots));
	}
	m->n = 0;
}

/* Puts an entry after all those with the same key. */
static void put(struct mp_intmap *m, uint64_t key, uint64_t value)
{
	size_t i = mp_intmap_home(m, key);

	while (m->slots[i].value)
		i = (i + 1) & m->mask;
	m->slots[i] = (struct mp_intmap_entry){ key, value };
}

static void grow(struct mp_intmap *m)
{
	struct mp_intmap old = *m;
	struct mp_intmap_entry *e;

	set_size(m, 64 - m->shift + 1);
	mp_intmap_each (&old, e)
		put(m, e->key, e->value);
	mp_intmap_release(&old);
}

void mp_intmap_add(struct mp_intmap *m, uint64_t key, uint64_t value)
{
	if (m->n * 2 > m->mask)
		grow(m);
	put(m, key, value);
	m->n++;
}

void mp_intmap_remove(struct mp_intmap *m, struct mp_intmap_entry *e)
{
	size_t hole = e - m->slots, i = hole, home;

	m->n--;
	for (;;) {
		i = (i + 1) & m->mask;
		if (!m->slots[i].value)
			break;
		home = mp_intmap_home(m, m->slots[i].key);
		if (((i - home) & m->mask) < ((i - hole) & m->mask))
			continue; /* a search for this entry does not cross the freed slot */
		m->slots[hole] = m->slots[i];
		hole = i;
	}
	m->slots[hole].value = 0;
}
