/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table of symbols by address: it is filled, sorted once, and then searched. For ELF files, the
 * kernel, and perf maps. Includes map.
 */
#ifndef MP_CAPTURE_OBJECT_SYMTAB_H
#define MP_CAPTURE_OBJECT_SYMTAB_H

#include "lib/core/map.h"

/* Of several symbols at one address, the one with the highest rank is used. */
enum mp_symbol_rank {
	MP_SYM_LOCAL = 1,
	MP_SYM_WEAK = 2,
	MP_SYM_GLOBAL = 3,
};

/* The maximum number of bytes that are kept of a name: a frame of the stream has fewer. */
enum { MP_SYMBOL_NAME_MAX = 4096 };

struct mp_symbol {
	uint64_t start, end; /* end == start: the symbol reaches to the next one */
	const char *name;
	uint32_t order; /* its position in the order of additions */
	uint16_t len;	/* of the name */
	uint8_t underscores;
	uint8_t rank;
};

struct mp_symtab {
	struct mp_symbol *v;
	size_t n, cap;
	struct mp_arena names;
};

void mp_symtab_add(struct mp_symtab *t, uint64_t start, uint64_t size, struct mp_str name,
		   enum mp_symbol_rank rank);

/* Adds a symbol with the same name as one that was added before; both share one copy. */
void mp_symtab_add_same(struct mp_symtab *t, uint64_t start, uint64_t size, const char *name,
			enum mp_symbol_rank rank);

/*
 * Sorts, and keeps one symbol for each address: that of the highest rank, then that with fewer
 * leading underscores, then that with the longer name, as perf does. With `newest` it keeps the one
 * that was added last, for code that is replaced at run time.
 */
void mp_symtab_sort(struct mp_symtab *t, bool newest);

/* Frees the memory that the array has for additions. */
void mp_symtab_trim(struct mp_symtab *t);

const struct mp_symbol *mp_symtab_find(const struct mp_symtab *t, uint64_t addr);
void mp_symtab_release(struct mp_symtab *t);

#endif
