// SPDX-License-Identifier: GPL-2.0-only
#include "lib/draw/packed.h"

#include <stdlib.h>
#include <zlib.h>

enum { LEVEL = 3, WINDOW_BITS = 15, MEMORY = 9 };

static void *allocate(void *unused, unsigned n, unsigned size)
{
	(void)unused;
	return mp_zalloc((size_t)n * size);
}

static void release(void *unused, void *p)
{
	(void)unused;
	free(p);
}

/*
 * Compresses into at most `limit` bytes; returns false if that is not enough. With allocate(), nothing
 * else can fail.
 */
static bool compress_all(struct mp_buf *to, struct mp_str data, size_t limit)
{
	z_stream z = { .zalloc = allocate, .zfree = release };
	int result = Z_OK;
	size_t bound;

	if (deflateInit2(&z, LEVEL, Z_DEFLATED, WINDOW_BITS, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		mp_die("cannot compress: %s", z.msg ? z.msg : "wrong version of zlib");
	bound = MP_MIN(deflateBound(&z, data.len), limit);
	mp_buf_reserve(to, bound);
	z.next_in = (void *)data.p;
	z.next_out = (void *)to->p;
	do {
		z.avail_in = MP_MIN(data.len - z.total_in, (size_t)1 << 30);
		z.avail_out = MP_MIN(bound - z.total_out, (size_t)1 << 30);
		if (z.avail_out == 0)
			break;
		result = deflate(&z, z.total_in + z.avail_in == data.len ? Z_FINISH : Z_NO_FLUSH);
	} while (result != Z_STREAM_END);
	to->len = z.total_out;
	deflateEnd(&z);
	return result == Z_STREAM_END;
}

static void put_base64(struct mp_buf *to, struct mp_str data)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"
				      "ghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = (const void *)data.p;
	size_t i;
	char *end;

	mp_buf_reserve(to, data.len / 3 * 4 + 4);
	end = to->p + to->len;
	for (i = 0; i < data.len; i += 3) {
		size_t left = data.len - i;
		uint32_t v = (uint32_t)p[i] << 16 | (left > 1 ? p[i + 1] << 8 : 0) |
			     (left > 2 ? p[i + 2] : 0);

		*end++ = letters[v >> 18];
		*end++ = letters[v >> 12 & 63];
		*end++ = left > 1 ? letters[v >> 6 & 63] : '=';
		*end++ = left > 2 ? letters[v & 63] : '=';
	}
	to->len = end - to->p;
}

bool mp_packed_put_within(struct mp_buf *to, struct mp_str data, size_t limit)
{
	struct mp_buf packed = { NULL, 0, 0 };
	bool fits = compress_all(&packed, data, limit / 4 * 3);

	if (fits)
		put_base64(to, mp_buf_view(&packed));
	mp_buf_release(&packed);
	return fits;
}

void mp_packed_put(struct mp_buf *to, struct mp_str data)
{
	mp_packed_put_within(to, data, SIZE_MAX);
}
