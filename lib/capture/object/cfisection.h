/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The entries in a section of call frame information: of functions (FDE), and of what several of
 * these have in common (CIE). Sections are hostile input; each of these functions takes time in
 * proportion to what it returns. Includes arch, bytes.
 */
#ifndef MP_CAPTURE_OBJECT_CFISECTION_H
#define MP_CAPTURE_OBJECT_CFISECTION_H

#include "lib/capture/host/arch.h"
#include "lib/capture/object/bytes.h"

/* The letter of the augmentation of functions that switch to another stack. */
enum { MP_CFI_OTHER_STACK = 'X' };

/* The entry of a function (FDE); `at` is its offset in the section. */
struct mp_cfi_fde {
	uint64_t start;
	uint32_t size, at;
};

struct mp_cfi_section {
	const struct mp_arch *arch;
	uint8_t *data;
	size_t size;
	uint64_t addr;
	bool eh_frame;
	/* functions were skipped whose CIE has more instructions than any compiler writes */
	bool limited;
	struct mp_cfi_fde *fdes; /* sorted by start */
	size_t n, cap;
};

/* The part that the entries of several functions have in common (CIE). */
struct mp_cfi_cie {
	size_t at; /* its offset in the section; SIZE_MAX: none was read yet */
	uint64_t code_align;
	int64_t data_align;
	uint64_t ra_reg;
	uint8_t encoding; /* encoding of addresses */
	bool has_size;	  /* each FDE has augmentation data, preceded by its size */
	bool signal, other_stack;
	bool too_long; /* it has more instructions than any compiler writes, and is not used */
	const uint8_t *code, *code_end;
};

/* Reads a pointer of .eh_frame. Pointers to code are neither indirect nor section-relative. */
uint64_t mp_cfi_next_pointer(struct mp_bytes *b, const struct mp_cfi_section *s, uint8_t encoding,
			     bool relative);

/*
 * The bytes of an entry after its length; false at the end of the section. `*wide`: 64-bit DWARF.
 */
bool mp_cfi_next_entry(struct mp_bytes *all, struct mp_bytes *entry, bool *wide);

/*
 * Parses the head of an entry. 1: it is an FDE, and `b` is at its program; 0: it is a CIE, or its
 * CIE cannot be parsed. `cie` may have the one of the preceding entry.
 */
int mp_cfi_parse_fde(const struct mp_cfi_section *s, struct mp_bytes *b, bool wide,
		     struct mp_cfi_cie *cie, uint64_t *start, uint64_t *size);

/* The number of entries, most of which are those of functions. */
size_t mp_cfi_section_count(const struct mp_cfi_section *s);

/* Fills s->fdes, which has room for all entries. */
void mp_cfi_section_index(struct mp_cfi_section *s);

/* The function that contains an address; NULL: none. */
const struct mp_cfi_fde *mp_cfi_section_find(const struct mp_cfi_section *s, uint64_t addr);

#endif
