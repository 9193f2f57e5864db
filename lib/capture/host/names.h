/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names that the kernel's print formats give to numbers: what the writer needs to write them,
 * and the way back, for filters. Includes str only.
 */
#ifndef MP_CAPTURE_HOST_NAMES_H
#define MP_CAPTURE_HOST_NAMES_H

#include "lib/core/str.h"

enum mp_names_kind {
	MP_NAMES_VALUES, /* the name of the first entry with that value (__print_symbolic) */
	MP_NAMES_FLAGS,	 /* the names of all bits that are set (__print_flags) */
	MP_NAMES_DEVICE, /* "major:minor" of a dev_t of the kernel */
	MP_NAMES_SYSCALL,
	MP_NAMES_SIGNAL,
	MP_NAMES_ERROR, /* "ENOENT" of -2; results that are not errors have no name */
	/* these are made by format/value_name.c */
	MP_NAMES_SYMBOL,   /* function of the kernel and offset (%pS) */
	MP_NAMES_FUNCTION, /* only the function (%ps) */
	MP_NAMES_IPV4,	   /* 4 bytes */
	MP_NAMES_IPV6,	   /* 16 bytes */
	MP_NAMES_SOCKET,   /* struct sockaddr: address and port (%pISpc) */
	MP_NAMES_KINDS,
};

struct mp_names_entry {
	uint64_t value;
	char *text;
};

/*
 * The condition of a part: it applies if another number of the record is `value` or, with `equal`
 * false, if it is not.
 */
struct mp_names_when {
	uint32_t offset, size; /* place of that number in the raw record; size 0: always applies */
	uint64_t value;
	bool equal;
};

struct mp_names_part {
	enum mp_names_kind kind;
	struct mp_names_when when;
	uint64_t mask;		  /* VALUES, FLAGS: the bits of the number that are named */
	struct mp_names_entry *v; /* VALUES, FLAGS */
	size_t n;
	char *delim; /* FLAGS: between names */
	char *other; /* VALUES: the name of all other values; NULL: they have none */
};

/*
 * The names of a field's numbers. A name is the parts that apply, one after the other. A number
 * with bits that no part names has no name.
 */
struct mp_names {
	struct mp_names_part *v;
	size_t n;
};

/* Bounds, far above what formats have. */
enum { MP_NAMES_PARTS_MAX = 8, MP_NAMES_ENTRIES_MAX = 4096, MP_NAMES_TEXT_MAX = 256 };

/* The copy is the caller's, for mp_names_free(). NULL gives NULL. */
struct mp_names *mp_names_copy(const struct mp_names *names);
void mp_names_free(struct mp_names *names);

/* Whether most numbers of the field have names. Results have not: only those that are errors do. */
bool mp_names_usual(const struct mp_names *names);

/*
 * Adds the name of a number of the raw record, which has `raw_len` bytes. Returns false, and adds
 * nothing, if it has none, or if the name is of a kind that format/value_name.c makes.
 */
bool mp_names_add(struct mp_buf *to, const struct mp_names *names, uint64_t number, const char *raw,
		  uint32_t raw_len);

/*
 * Gets the other number of the raw record on which the name depends, 0 if it depends on none.
 * Returns false if there are several, or if that number is outside the record.
 */
bool mp_names_condition(const struct mp_names *names, const char *raw, uint32_t raw_len,
			uint64_t *number);

/*
 * Finds the number with a name: the inverse of mp_names_add() for the kinds that are made here.
 * All parts are assumed to apply, whatever their conditions. Returns 0, or -1 if no number has this
 * name.
 */
int mp_names_number(const struct mp_names *names, struct mp_str name, uint64_t *number);

#endif
