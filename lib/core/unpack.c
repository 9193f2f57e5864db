// SPDX-License-Identifier: GPL-2.0-only
#include "lib/core/unpack.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
	PACKED_BYTES = 64 << 10, /* bytes per read */
	GZIP_WINDOW = 15 + 16,	 /* the largest window, and gzip's header instead of zlib's */
};

static const char gzip_magic[] = { '\x1f', '\x8b', 8 }; /* 8: deflate, the only method */
static const char zstd_magic[] = { '\x28', '\xb5', '\x2f', '\xfd' };
/* a skippable frame, with which the output of pzstd(1) begins; the first one's low bits may be any */
static const char skippable_magic[] = { '\x50', '\x2a', '\x4d', '\x18' };

struct mp_unpack {
	ZSTD_DCtx *zstd; /* NULL: gzip */
	z_stream gzip;
	bool inside; /* within a compressed file: the input must not end here */
	bool full;   /* the decompressor has filled the room that it got: it may have more */
	bool ended;
	const char *fault; /* NULL: none so far */
	size_t start, end; /* compressed bytes that were read, and not used yet */
	char packed[PACKED_BYTES];
};

static bool begins(const char *data, size_t len, const char *magic, size_t magic_len)
{
	return len && memcmp(data, magic, MP_MIN(len, magic_len)) == 0;
}

static bool is_zstd(const char *data, size_t len)
{
	return begins(data, len, zstd_magic, sizeof(zstd_magic)) ||
	       (len && (data[0] & 0xf0) == skippable_magic[0] &&
		memcmp(data + 1, skippable_magic + 1, MP_MIN(len, sizeof(skippable_magic)) - 1) ==
			0);
}

bool mp_unpack_is_packed(const char *data, size_t len)
{
	return begins(data, len, gzip_magic, sizeof(gzip_magic)) || is_zstd(data, len);
}

static struct mp_unpack *new_unpack(const char *data, size_t len)
{
	struct mp_unpack *u = mp_zalloc(sizeof(*u));

	memcpy(u->packed, data, len);
	u->end = len;
	if (is_zstd(data, len)) {
		u->zstd = ZSTD_createDCtx();
		if (!u->zstd)
			mp_die("out of memory");
	} else if (inflateInit2(&u->gzip, GZIP_WINDOW) != Z_OK) {
		mp_die("out of memory");
	}
	return u;
}

struct mp_unpack *mp_unpack_begin(mp_unpack_read_fn *read, void *arg, char *to, size_t len,
				  size_t *n)
{
	size_t used = 0, more = 1;

	len = MP_MIN(len, (size_t)PACKED_BYTES);
	while (more && (!used || (used < MP_UNPACK_MAGIC && mp_unpack_is_packed(to, used)))) {
		more = read(arg, to + used, len - used);
		used += more;
	}
	if (used >= MP_UNPACK_MAGIC && mp_unpack_is_packed(to, used))
		return new_unpack(to, used);
	*n = used;
	return NULL;
}

static void set_damaged(struct mp_unpack *u)
{
	u->fault = u->zstd ? "zstd data is damaged" : "gzip data is damaged";
	u->ended = true;
}

/* Whether another compressed file begins after one that has ended. */
static bool check_next(struct mp_unpack *u)
{
	const char *data = u->packed + u->start;
	size_t len = u->end - u->start;

	if (u->zstd ? is_zstd(data, len) : begins(data, len, gzip_magic, sizeof(gzip_magic)))
		return true;
	u->fault = u->zstd ? "zstd data is followed by other data"
			   : "gzip data is followed by other data";
	u->ended = true;
	return false;
}

static size_t unpack_zstd(struct mp_unpack *u, char *to, size_t len)
{
	ZSTD_inBuffer in = { u->packed, u->end, u->start };
	ZSTD_outBuffer out = { to, len, 0 };
	size_t result = ZSTD_decompressStream(u->zstd, &out, &in);

	u->start = in.pos;
	if (!ZSTD_isError(result))
		u->inside = result != 0;
	else if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation)
		mp_die("out of memory");
	else
		set_damaged(u);
	if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
		u->fault = "zstd data needs more than 128 MiB of memory (decompress it with "
			   "zstd -d --long=31)";
	return out.pos;
}

static size_t unpack_gzip(struct mp_unpack *u, char *to, size_t len)
{
	z_stream *z = &u->gzip;
	int result;

	z->next_in = (unsigned char *)u->packed + u->start;
	z->avail_in = (unsigned)(u->end - u->start);
	z->next_out = (unsigned char *)to;
	z->avail_out = (unsigned)MP_MIN(len, (size_t)UINT32_MAX);
	len = z->avail_out;
	result = inflate(z, Z_NO_FLUSH);
	u->start = u->end - z->avail_in;
	if (result == Z_MEM_ERROR)
		mp_die("out of memory");
	else if (result != Z_OK && result != Z_BUF_ERROR && result != Z_STREAM_END)
		set_damaged(u);
	u->inside = result != Z_STREAM_END;
	if (result == Z_STREAM_END)
		inflateReset(z);
	return len - z->avail_out;
}

size_t mp_unpack_read(struct mp_unpack *u, mp_unpack_read_fn *read, void *arg, char *to, size_t len)
{
	size_t n = 0;

	while (!n && !u->ended) {
		if (u->start < u->end && !u->inside && !check_next(u))
			break;
		if (u->start < u->end || u->inside)
			n = u->zstd ? unpack_zstd(u, to, len) : unpack_gzip(u, to, len);
		if (n || u->ended || u->start < u->end)
			continue;
		u->start = 0;
		u->end = read(arg, u->packed, sizeof(u->packed));
		u->ended = !u->end;
		if (u->ended && u->inside)
			u->fault = u->zstd ? "zstd data is truncated" : "gzip data is truncated";
	}
	u->full = n == len;
	return n;
}

bool mp_unpack_pending(const struct mp_unpack *u)
{
	return !u->ended && (u->full || u->start < u->end);
}

const char *mp_unpack_fault(const struct mp_unpack *u)
{
	return u->fault;
}

void mp_unpack_free(struct mp_unpack *u)
{
	if (!u)
		return;
	if (u->zstd)
		ZSTD_freeDCtx(u->zstd);
	else
		inflateEnd(&u->gzip);
	free(u);
}
