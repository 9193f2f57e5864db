/* SPDX-License-Identifier: GPL-2.0-only */
/* Output that is compressed as gzip(1) does, without a name or a time. Includes io. */
#ifndef MP_EXPORT_GZIP_H
#define MP_EXPORT_GZIP_H

#include <zlib.h>

#include "lib/core/io.h"

struct mp_export_gzip {
	struct mp_out *out; /* borrowed */
	z_stream z;
};

void mp_export_gzip_init(struct mp_export_gzip *g, struct mp_out *out);
void mp_export_gzip_write(struct mp_export_gzip *g, const void *data, size_t len);

/* Ends the compressed data and frees the memory. */
void mp_export_gzip_end(struct mp_export_gzip *g);

#endif
