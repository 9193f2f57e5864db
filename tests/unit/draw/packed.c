// SPDX-License-Identifier: GPL-2.0-only
#include "lib/draw/packed.h"

#include <stdlib.h>
#include <zlib.h>

#include "tests/unit/tap.h"

static unsigned value_of(char c)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"
				      "ghijklmnopqrstuvwxyz0123456789+/";

	return strchr(letters, c) - letters;
}

/* Decodes base64 in place, strictly. Returns the length, or -1. */
static long decode(char *p, size_t len)
{
	size_t padding = len < 4 ? 0 : (p[len - 1] == '=') + (p[len - 2] == '='), i;
	char *to = p;

	for (i = 0; i < len; i += 4) {
		bool last = i + 4 == len;
		unsigned v = value_of(p[i]) << 18 | value_of(p[i + 1]) << 12;

		v |= last && padding == 2 ? 0 : value_of(p[i + 2]) << 6;
		v |= last && padding >= 1 ? 0 : value_of(p[i + 3]);
		*to++ = (char)(v >> 16);
		*to++ = (char)(v >> 8);
		*to++ = (char)v;
	}
	return len % 4 ? -1 : to - p - (long)padding;
}

static bool comes_back(struct mp_str data)
{
	uLongf len = data.len + 1;
	char *got = mp_alloc(data.len + 1);
	struct mp_buf text = { NULL, 0, 0 };
	long packed;
	bool same;

	mp_buf_byte(&text, '>');
	mp_packed_put(&text, data);
	packed = decode(text.p + 1, text.len - 1);
	same = text.p[0] == '>' && packed >= 0 &&
	       uncompress((void *)got, &len, (void *)(text.p + 1), packed) == Z_OK &&
	       len == data.len && memcmp(got, data.p, len) == 0;
	mp_buf_release(&text);
	free(got);
	return same;
}

int main(void)
{
	enum { LARGE = 3000000 };
	char *bytes = mp_alloc(LARGE);
	struct mp_buf text = { NULL, 0, 0 };
	uint32_t seed = 5;
	size_t i;

	for (i = 0; i < LARGE; i++) {
		seed = seed * 1664525 + 1013904223;
		bytes[i] = (char)(seed >> 24);
	}
	for (i = 0; i < 8; i++)
		ok(comes_back((struct mp_str){ bytes, i }), "%zu bytes come back", i);
	ok(comes_back((struct mp_str){ bytes, LARGE }),
	   "bytes that cannot be compressed come back");
	memset(bytes, 'x', LARGE);
	ok(comes_back((struct mp_str){ bytes, LARGE }), "equal bytes come back");
	mp_packed_put(&text, (struct mp_str){ bytes, LARGE });
	ok(text.len < LARGE / 100, "equal bytes become few");
	mp_buf_release(&text);
	free(bytes);
	return tap_done();
}
