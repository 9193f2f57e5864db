// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/cfisection.h"

#include <stdlib.h>

enum {
	LETTERS_MAX = 16,    /* of an augmentation, with NUL; compilers write up to six */
	CIE_CODE_MAX = 1024, /* bytes of instructions in a CIE; compilers write about ten */
};

/* Encodings of pointers in .eh_frame: their size, and what they are relative to. */
enum {
	ENC_ULEB = 0x01,
	ENC_UDATA2 = 0x02,
	ENC_UDATA4 = 0x03,
	ENC_UDATA8 = 0x04,
	ENC_SLEB = 0x09,
	ENC_SDATA2 = 0x0a,
	ENC_SDATA4 = 0x0b,
	ENC_SDATA8 = 0x0c,
	ENC_FORMAT = 0x0f,
	ENC_PCREL = 0x10,
	ENC_RELATIVE = 0x70,
	ENC_OMIT = 0xff,
};

uint64_t mp_cfi_next_pointer(struct mp_bytes *b, const struct mp_cfi_section *s, uint8_t encoding,
			     bool relative)
{
	uint64_t here = s->addr + (b->p - s->data), v;

	switch (encoding & ENC_FORMAT) {
	case 0:
	case ENC_UDATA8:
	case ENC_SDATA8:
		v = mp_bytes_fixed(b, 8);
		break;
	case ENC_UDATA2:
		v = mp_bytes_fixed(b, 2);
		break;
	case ENC_UDATA4:
		v = mp_bytes_fixed(b, 4);
		break;
	case ENC_SDATA2:
		v = mp_bytes_signed(b, 2);
		break;
	case ENC_SDATA4:
		v = mp_bytes_signed(b, 4);
		break;
	case ENC_ULEB:
		v = mp_bytes_uleb(b);
		break;
	case ENC_SLEB:
		v = mp_bytes_sleb(b);
		break;
	default:
		b->failed = true;
		return 0;
	}
	if (!relative)
		return v;
	if ((encoding & ENC_RELATIVE) == ENC_PCREL)
		return v + here;
	b->failed |= encoding & ~ENC_FORMAT;
	return v;
}

bool mp_cfi_next_entry(struct mp_bytes *all, struct mp_bytes *entry, bool *wide)
{
	uint64_t len = mp_bytes_fixed(all, 4);

	*wide = len == UINT32_MAX;
	if (*wide)
		len = mp_bytes_fixed(all, 8);
	if (all->failed || len > (uint64_t)(all->end - all->p))
		return false;
	*entry = (struct mp_bytes){ all->p, all->p + len, false };
	all->p += len;
	return true;
}

/*
 * Parses the augmentation data that the letters ("zRPLS") announce. False if a letter is unknown
 * and the size of the data is not given.
 */
static bool parse_augmentation(struct mp_cfi_cie *c, struct mp_bytes *b,
			       const struct mp_cfi_section *s, const char *letters)
{
	const uint8_t *end;
	uint64_t len;

	if (!letters[0])
		return true;
	if (letters[0] != 'z')
		return false; /* "eh" of gcc 2: a pointer follows */
	c->has_size = true;
	len = mp_bytes_uleb(b);
	if (b->failed || len > (uint64_t)(b->end - b->p))
		return false;
	end = b->p + len;
	while (*++letters) {
		if (*letters == 'R') {
			c->encoding = mp_bytes_fixed(b, 1);
		} else if (*letters == 'L') {
			mp_bytes_fixed(b, 1);
		} else if (*letters == 'P') {
			uint8_t encoding = mp_bytes_fixed(b, 1);

			mp_cfi_next_pointer(b, s, encoding, false);
		} else if (*letters == 'S') {
			c->signal = true;
		} else if (*letters == MP_CFI_OTHER_STACK) {
			c->other_stack = true;
		} else if (*letters != s->arch->sign_key) {
			break;
		}
	}
	b->p = end;
	return !b->failed;
}

static bool parse_cie(struct mp_cfi_cie *c, const struct mp_cfi_section *s, size_t at)
{
	struct mp_bytes all = { s->data + at, s->data + s->size, false }, b;
	const char *letters;
	uint64_t id, version;
	bool wide;

	*c = (struct mp_cfi_cie){ .at = at };
	if (!mp_cfi_next_entry(&all, &b, &wide))
		return false;
	id = mp_bytes_fixed(&b, wide ? 8 : 4);
	if (id != (s->eh_frame ? 0 : wide ? UINT64_MAX : UINT32_MAX))
		return false;
	version = mp_bytes_fixed(&b, 1);
	letters = (const char *)b.p;
	if ((version != 1 && version != 3 && version != 4) ||
	    !memchr(b.p, 0, MP_MIN(b.end - b.p, LETTERS_MAX)))
		return false;
	b.p += strlen(letters) + 1;
	if (version == 4) {
		if (mp_bytes_fixed(&b, 1) != 8) /* size of an address */
			return false;
		mp_bytes_fixed(&b, 1); /* size of a segment selector */
	}
	c->code_align = mp_bytes_uleb(&b);
	c->data_align = mp_bytes_sleb(&b);
	c->ra_reg = version == 1 ? mp_bytes_fixed(&b, 1) : mp_bytes_uleb(&b);
	if (c->ra_reg >= s->arch->cfi_regs || !parse_augmentation(c, &b, s, letters))
		return false;
	c->code = b.p;
	c->code_end = b.end;
	c->too_long = b.end - b.p > CIE_CODE_MAX;
	return !b.failed && !c->too_long;
}

int mp_cfi_parse_fde(const struct mp_cfi_section *s, struct mp_bytes *b, bool wide,
		     struct mp_cfi_cie *cie, uint64_t *start, uint64_t *size)
{
	size_t id_at = b->p - s->data, at;
	uint64_t id = mp_bytes_fixed(b, wide ? 8 : 4);

	if (b->failed || id == (s->eh_frame ? 0 : wide ? UINT64_MAX : UINT32_MAX))
		return 0;
	/* in .eh_frame, the distance from here back to the CIE */
	at = s->eh_frame ? id_at - id : id;
	if (at >= s->size)
		return 0;
	if (at != cie->at && !parse_cie(cie, s, at)) {
		cie->at = SIZE_MAX;
		return 0;
	}
	*start = mp_cfi_next_pointer(b, s, cie->encoding, true);
	*size = mp_cfi_next_pointer(b, s, cie->encoding & ENC_FORMAT, false);
	if (cie->has_size)
		mp_bytes_skip(b, mp_bytes_uleb(b));
	return !b->failed;
}

static int by_start(const void *a, const void *b)
{
	const struct mp_cfi_fde *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

size_t mp_cfi_section_count(const struct mp_cfi_section *s)
{
	struct mp_bytes all = { s->data, s->data + s->size, false }, b;
	size_t n = 0;
	bool wide;

	while (mp_cfi_next_entry(&all, &b, &wide))
		n += b.p < b.end;
	return n;
}

void mp_cfi_section_index(struct mp_cfi_section *s)
{
	struct mp_bytes all = { s->data, s->data + s->size, false }, b;
	struct mp_cfi_cie cie = { .at = SIZE_MAX };
	uint64_t start, size;
	bool wide, sorted = true;
	size_t at;

	for (at = 0; mp_cfi_next_entry(&all, &b, &wide); at = all.p - s->data) {
		if (b.p == b.end)
			continue; /* a terminator: more entries may follow */
		if (!mp_cfi_parse_fde(s, &b, wide, &cie, &start, &size) || size == 0 ||
		    size > UINT32_MAX || start + size < start) {
			s->limited |= cie.too_long;
			continue;
		}
		sorted &= !s->n || s->fdes[s->n - 1].start <= start;
		s->fdes[s->n++] = (struct mp_cfi_fde){ start, size, at };
	}
	if (!sorted)
		qsort(s->fdes, s->n, sizeof(*s->fdes), by_start);
}

const struct mp_cfi_fde *mp_cfi_section_find(const struct mp_cfi_section *s, uint64_t addr)
{
	size_t n = MP_COUNT_FIRST(s->n, i, s->fdes[i].start <= addr);
	const struct mp_cfi_fde *last = n ? &s->fdes[n - 1] : NULL;

	return last && addr - last->start < last->size ? last : NULL;
}
