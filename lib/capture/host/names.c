// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/names.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/core/syscalls.h"
#include "lib/stream/meaning.h"

enum { DEVICE_MINOR_BITS = 20 }; /* of a dev_t in the kernel */

/* --- copies ----------------------------------------------------------------------------------- */

static void release_part(struct mp_names_part *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		free(p->v[i].text);
	free(p->v);
	free(p->delim);
	free(p->other);
}

void mp_names_free(struct mp_names *names)
{
	size_t i;

	if (!names)
		return;
	for (i = 0; i < names->n; i++)
		release_part(&names->v[i]);
	free(names->v);
	free(names);
}

static char *copy_text(const char *text)
{
	return text ? mp_strdup(text) : NULL;
}

struct mp_names *mp_names_copy(const struct mp_names *names)
{
	struct mp_names *copy;
	size_t i, j;

	if (!names)
		return NULL;
	copy = mp_memdup(names, sizeof(*names));
	copy->v = mp_memdup(names->v, names->n * sizeof(*names->v));
	for (i = 0; i < copy->n; i++) {
		struct mp_names_part *p = &copy->v[i];

		p->v = mp_memdup(p->v, p->n * sizeof(*p->v));
		for (j = 0; j < p->n; j++)
			p->v[j].text = mp_strdup(p->v[j].text);
		p->delim = copy_text(p->delim);
		p->other = copy_text(p->other);
	}
	return copy;
}

bool mp_names_usual(const struct mp_names *names)
{
	return names && names->v[0].kind != MP_NAMES_ERROR;
}

/* --- from a number to its name ----------------------------------------------------------------- */

/* Reads the number that a condition is about; returns false if it is outside the record. */
static bool read_number(const struct mp_names_when *w, const char *raw, uint32_t raw_len,
			uint64_t *v)
{
	*v = 0;
	if ((uint64_t)w->offset + w->size > raw_len)
		return false;
	memcpy(v, raw + w->offset, w->size);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	*v >>= 64 - 8 * w->size;
#endif
	return true;
}

static bool applies(const struct mp_names_when *w, const char *raw, uint32_t raw_len)
{
	uint64_t v;

	return !w->size || (read_number(w, raw, raw_len, &v) && (v == w->value) == w->equal);
}

bool mp_names_condition(const struct mp_names *names, const char *raw, uint32_t raw_len,
			uint64_t *number)
{
	const struct mp_names_when *first = NULL, *w;
	size_t i;

	*number = 0;
	for (i = 0; i < names->n; i++) {
		w = &names->v[i].when;
		if (!w->size)
			continue;
		if (first && (w->offset != first->offset || w->size != first->size))
			return false;
		first = w;
	}
	return !first || read_number(first, raw, raw_len, number);
}

static bool add_text(struct mp_buf *to, const char *text)
{
	if (text)
		mp_buf_add(to, text, strlen(text));
	return text != NULL;
}

static bool add_value(struct mp_buf *to, const struct mp_names_part *p, uint64_t number)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->v[i].value == number)
			return add_text(to, p->v[i].text);
	return add_text(to, p->other);
}

/* As the kernel's trace_print_flags_seq(), which shows bits without a name as a number. */
static bool add_flags(struct mp_buf *to, const struct mp_names_part *p, uint64_t number)
{
	uint64_t rest = number;
	size_t start = to->len, i;
	bool some = false;

	for (i = 0; i < p->n; i++) {
		const struct mp_names_entry *e = &p->v[i];

		if (e->value ? (rest & e->value) != e->value : number != 0)
			continue;
		if (some)
			add_text(to, p->delim);
		add_text(to, e->text);
		some = true;
		rest &= ~e->value;
	}
	if (some && rest)
		mp_buf_printf(to, "%s0x%llx", p->delim, (unsigned long long)rest);
	if (!some)
		to->len = start;
	return some;
}

static bool add_part(struct mp_buf *to, const struct mp_names_part *p, uint64_t number)
{
	switch (p->kind) {
	case MP_NAMES_VALUES:
		return add_value(to, p, number & p->mask);
	case MP_NAMES_FLAGS:
		return add_flags(to, p, number & p->mask);
	case MP_NAMES_DEVICE:
		mp_buf_printf(to, "%llu:%llu", (unsigned long long)(number >> DEVICE_MINOR_BITS),
			      (unsigned long long)(number & ((1 << DEVICE_MINOR_BITS) - 1)));
		return true;
	case MP_NAMES_SYSCALL:
		return mp_meaning_add(to, MP_MEANING_SYSCALL, number);
	case MP_NAMES_SIGNAL:
		return mp_meaning_add(to, MP_MEANING_SIGNAL, number);
	case MP_NAMES_ERROR:
		return mp_meaning_add(to, MP_MEANING_ERROR, number);
	default:
		return false;
	}
}

bool mp_names_add(struct mp_buf *to, const struct mp_names *names, uint64_t number, const char *raw,
		  uint32_t raw_len)
{
	size_t start = to->len, i;
	uint64_t named = 0;

	for (i = 0; i < names->n; i++) {
		const struct mp_names_part *p = &names->v[i];

		if (!applies(&p->when, raw, raw_len))
			continue;
		named |= p->mask;
		if (!add_part(to, p, number)) {
			to->len = start;
			return false;
		}
	}
	if (number & ~named)
		to->len = start;
	return to->len > start;
}

/* --- from a name to its number ----------------------------------------------------------------- */

static int find_entry(const struct mp_names_part *p, struct mp_str name, uint64_t *number)
{
	size_t i;

	for (i = 0; i < p->n; i++) {
		if (!mp_str_eq(name, mp_str(p->v[i].text)))
			continue;
		*number = p->v[i].value;
		return 0;
	}
	return -1;
}

/* Adds the bits of "A|B". */
static int find_flags(const struct mp_names_part *p, struct mp_str name, uint64_t *number)
{
	size_t delim = p->delim ? strlen(p->delim) : 0;
	const char *end;
	uint64_t bits;

	*number = 0;
	for (;;) {
		end = delim ? memmem(name.p, name.len, p->delim, delim) : NULL;
		if (find_entry(p,
			       (struct mp_str){ name.p, end ? (size_t)(end - name.p) : name.len },
			       &bits) < 0)
			return -1;
		*number |= bits;
		if (!end)
			return 0;
		name = mp_str_skip(name, end + delim - name.p);
	}
}

static int find_device(struct mp_str name, uint64_t *number)
{
	const char *colon = memchr(name.p, ':', name.len);
	uint64_t major, minor;

	if (!colon || mp_num_u64((struct mp_str){ name.p, colon - name.p }, &major) < 0 ||
	    mp_num_u64(mp_str_skip(name, colon + 1 - name.p), &minor) < 0 || major >> 12 ||
	    minor >> DEVICE_MINOR_BITS)
		return -1;
	*number = major << DEVICE_MINOR_BITS | minor;
	return 0;
}

/* Tries all numbers whose names a function of libc knows. */
static int find_by_trying(const struct mp_names_part *p, struct mp_str name, uint64_t *number)
{
	struct mp_buf text = { NULL, 0, 0 };
	int result = -1, i;

	for (i = 1; i < MP_MEANING_ERRORS && result < 0; i++) {
		*number = p->kind == MP_NAMES_ERROR ? (uint64_t)-i : (uint64_t)i;
		text.len = 0;
		if (add_part(&text, p, *number) && mp_str_eq(mp_buf_view(&text), name))
			result = 0;
	}
	mp_buf_release(&text);
	return result;
}

static int find_in_part(const struct mp_names_part *p, struct mp_str name, uint64_t *number)
{
	char *text;
	int found;

	switch (p->kind) {
	case MP_NAMES_VALUES:
		return find_entry(p, name, number);
	case MP_NAMES_FLAGS:
		return find_flags(p, name, number);
	case MP_NAMES_DEVICE:
		return find_device(name, number);
	case MP_NAMES_SYSCALL:
		text = mp_strndup(name.p, name.len);
		found = mp_syscall_number(text);
		free(text);
		*number = (uint64_t)found;
		return found < 0 ? -1 : 0;
	case MP_NAMES_SIGNAL:
	case MP_NAMES_ERROR:
		return find_by_trying(p, name, number);
	default:
		return -1;
	}
}

int mp_names_number(const struct mp_names *names, struct mp_str name, uint64_t *number)
{
	size_t i;

	for (i = 0; i < names->n; i++)
		if (find_in_part(&names->v[i], name, number) == 0)
			return 0;
	return -1;
}
