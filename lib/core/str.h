/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bytes: borrowed slices, a growable buffer, numbers to text and back.
 * Includes base only.
 */
#ifndef MP_CORE_STR_H
#define MP_CORE_STR_H

#include <string.h>

#include "lib/core/base.h"

/* A slice of somebody else's bytes; not NUL-terminated. */
struct mp_str {
	const char *p;
	size_t len;
};

#define MP_STR(literal) ((struct mp_str){ literal, sizeof(literal) - 1 })
/* For printf's "%.*s". */
#define MP_STR_ARGS(s) (int)(s).len, (s).p

static inline struct mp_str mp_str(const char *text)
{
	return (struct mp_str){ text, strlen(text) };
}

static inline bool mp_str_eq(struct mp_str a, struct mp_str b)
{
	/* an empty slice may have no address, which memcmp() does not allow */
	return a.len == b.len && (!a.len || memcmp(a.p, b.p, a.len) == 0);
}

static inline bool mp_str_starts(struct mp_str s, struct mp_str head)
{
	return s.len >= head.len && memcmp(s.p, head.p, head.len) == 0;
}

static inline bool mp_str_ends(struct mp_str s, struct mp_str tail)
{
	return s.len >= tail.len && memcmp(s.p + s.len - tail.len, tail.p, tail.len) == 0;
}

/* The slice without its first `n` bytes; it has at least `n`. */
static inline struct mp_str mp_str_skip(struct mp_str s, size_t n)
{
	return (struct mp_str){ s.p + n, s.len - n };
}

/* The slice without white space at its start and end. */
struct mp_str mp_str_trim(struct mp_str s);

/* Compares bytes, like strcmp(): a prefix comes first. */
int mp_str_cmp(struct mp_str a, struct mp_str b);

/*
 * The character at the start of some bytes, and its length; if it is not well-formed UTF-8 (Unicode
 * 15, table 3-7), -1 and the length 1.
 */
int32_t mp_str_utf8(struct mp_str s, size_t *len);
#define MP_REPLACEMENT "\xef\xbf\xbd" /* U+FFFD, for what is not */

/* A buffer that grows; zeroed memory is a valid empty one. `p` is NULL until the first byte. */
struct mp_buf {
	char *p;
	size_t len;
	size_t cap;
};

void mp_buf_reserve(struct mp_buf *b, size_t more);
void mp_buf_release(struct mp_buf *b);
void mp_buf_printf(struct mp_buf *b, const char *fmt, ...) MP_PRINTF(2, 3);

static inline void mp_buf_add(struct mp_buf *b, const void *data, size_t len)
{
	if (b->cap - b->len < len)
		mp_buf_reserve(b, len);
	if (len)
		memcpy(b->p + b->len, data, len);
	b->len += len;
}

static inline void mp_buf_byte(struct mp_buf *b, char c)
{
	mp_buf_add(b, &c, 1);
}

static inline void mp_buf_str(struct mp_buf *b, struct mp_str s)
{
	mp_buf_add(b, s.p, s.len);
}

static inline struct mp_str mp_buf_view(const struct mp_buf *b)
{
	return (struct mp_str){ b->p ? b->p : "", b->len };
}

/*
 * Numbers to text. Each writes at `to`, which has room for MP_NUM_MAX bytes, and returns the end;
 * no NUL is written.
 */
enum { MP_NUM_MAX = 24 };

char *mp_put_u64(char *to, uint64_t v);
char *mp_put_i64(char *to, int64_t v);
char *mp_put_hex(char *to, uint64_t v); /* writes 0x before the digits */

/*
 * Text to numbers: the whole slice is the number, else -1. The stream has decimal numbers without
 * leading zeros, but readers accept leading zeros.
 */
int mp_num_u64(struct mp_str s, uint64_t *v);
int mp_num_i64(struct mp_str s, int64_t *v); /* the number may have a sign */
/*
 * parses a decimal number, perhaps with a sign, or 0x and hexadecimal digits (above 2^63 it wraps)
 */
int mp_num_any(struct mp_str s, int64_t *v);
/* parses decimal numbers as X and Y of a point have them; the result is finite */
int mp_num_decimal(struct mp_str s, double *v);

/* Option arguments, with a range: -1 if the text is not a number or out of range. */
int mp_num_range(const char *text, uint64_t min, uint64_t max, uint64_t *v);

/*
 * Parses a duration such as "10s", "500ms", "2.5m", "1h", "20us" or "7ns"; a bare number is
 * seconds. The result is in ns.
 */
int mp_num_duration(const char *text, uint64_t *ns);

/* Parses a size such as "64K", "16M", "1G" or "512" (powers of 1024). The result is in bytes. */
int mp_num_size(const char *text, uint64_t *bytes);

#endif
