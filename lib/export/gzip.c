// SPDX-License-Identifier: GPL-2.0-only
#include "lib/export/gzip.h"

#include <stdlib.h>

enum { LEVEL = 6, GZIP_WINDOW_BITS = 15 + 16, MEMORY = 8, PART = 64 << 10 };

/* Without memory the program ends here. */
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

void mp_export_gzip_init(struct mp_export_gzip *g, struct mp_out *out)
{
	*g = (struct mp_export_gzip){ .out = out, .z = { .zalloc = allocate, .zfree = release } };
	if (deflateInit2(&g->z, LEVEL, Z_DEFLATED, GZIP_WINDOW_BITS, MEMORY, Z_DEFAULT_STRATEGY) !=
	    Z_OK)
		mp_die("cannot compress: %s", g->z.msg ? g->z.msg : "wrong version of zlib");
}

static void run(struct mp_export_gzip *g, int flush)
{
	unsigned char part[PART];

	do {
		g->z.next_out = part;
		g->z.avail_out = sizeof(part);
		deflate(&g->z, flush);
		mp_out_write(g->out, part, sizeof(part) - g->z.avail_out);
	} while (!g->z.avail_out);
}

void mp_export_gzip_write(struct mp_export_gzip *g, const void *data, size_t len)
{
	while (len) {
		size_t n = MP_MIN(len, (size_t)1 << 30);

		g->z.next_in = (void *)data;
		g->z.avail_in = (unsigned)n;
		run(g, Z_NO_FLUSH);
		data = (const char *)data + n;
		len -= n;
	}
}

void mp_export_gzip_end(struct mp_export_gzip *g)
{
	run(g, Z_FINISH);
	deflateEnd(&g->z);
}
