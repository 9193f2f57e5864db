/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Address spaces: the mappings of code of a process, in order of address. Copies share what they
 * have in common, so that a fork costs nothing and a change takes time and memory that are
 * logarithmic in the number of mappings. Includes budget only.
 */
#ifndef MP_CAPTURE_STACK_SPACE_H
#define MP_CAPTURE_STACK_SPACE_H

#include "lib/capture/host/budget.h"

/* A file that is mapped, shared by all who map it; defined in dso.h. */
struct mp_dso;

struct mp_mapping {
	uint64_t start, end;
	uint64_t offset;    /* of `start` in the file, bytes */
	struct mp_dso *dso; /* NULL: memory without a file */
};

/*
 * Processes share an address space after a fork until one of them changes it. Each state has a new
 * `id`, so that caches can have it as their key.
 */
struct mp_space {
	unsigned refs;
	uint64_t number; /* of the space, whatever its state; not used again */
	uint64_t id;
	struct mp_space_node *root; /* a treap */
	size_t n;		    /* number of mappings */
	/* the log of its just-in-time compiler, mapped so that it can be found; or NULL */
	struct mp_dso *jitdump;
};

/* The mapping at an address, NULL if there is none; valid until the space changes. */
const struct mp_mapping *mp_space_find(const struct mp_space *s, uint64_t addr);

/* The first mapping that ends after an address, or NULL; valid until the space changes. */
const struct mp_mapping *mp_space_after(const struct mp_space *s, uint64_t addr);

/*
 * Adds a mapping, which replaces what others have at its addresses. The memory is charged to a user
 * until it is freed, even if that exceeds the share; `budget` may be NULL.
 */
void mp_space_add(struct mp_space *s, const struct mp_mapping *m, struct mp_budget *budget,
		  uid_t uid);

/* The bytes of memory that one mapping takes. */
size_t mp_space_mapping_bytes(void);

/* Gives an empty space the mappings of another one. */
void mp_space_copy(struct mp_space *s, const struct mp_space *from);

/* Removes all mappings. */
void mp_space_clear(struct mp_space *s, struct mp_budget *budget);

#endif
