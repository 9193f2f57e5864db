// SPDX-License-Identifier: GPL-2.0-only
/* Compressed data: what is read does not depend on how many bytes come at a time. */
#include <stdlib.h>
#include <string.h>

#include "lib/core/str.h"
#include "lib/core/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 4096, OUTPUT_MAX = 1 << 20 };

struct source {
	const uint8_t *data;
	size_t size, at, piece;
};

static size_t read_piece(void *arg, char *to, size_t len)
{
	struct source *s = arg;

	len = MP_MIN(len, MP_MIN(s->piece, s->size - s->at));
	if (len)
		memcpy(to, s->data + s->at, len);
	s->at += len;
	return len;
}

/* Reads all, or the first MiB. Returns whether there was a fault. */
static bool read_all(const uint8_t *data, size_t size, size_t piece, struct mp_buf *to)
{
	struct source s = { data, size, 0, piece };
	char *room = mp_alloc(ROOM);
	size_t n = 0;
	struct mp_unpack *u = mp_unpack_begin(read_piece, &s, room, ROOM, &n);
	bool fault;

	if (u)
		n = mp_unpack_read(u, read_piece, &s, room, ROOM);
	while (n && to->len < OUTPUT_MAX) {
		mp_buf_add(to, room, n);
		n = u ? mp_unpack_read(u, read_piece, &s, room, ROOM) : read_piece(&s, room, ROOM);
	}
	fault = u && mp_unpack_fault(u);
	mp_unpack_free(u);
	free(room);
	return fault;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mp_buf whole = { NULL, 0, 0 }, pieces = { NULL, 0, 0 };
	bool fault = read_all(data, size, SIZE_MAX, &whole);
	bool fault_of_pieces = read_all(data, size, 1 + size % 7, &pieces);
	size_t len = MP_MIN(MP_MIN(whole.len, pieces.len), (size_t)OUTPUT_MAX);

	if (len && memcmp(whole.p, pieces.p, len) != 0)
		abort();
	/* libzstd may find damage before it has delivered what precedes it */
	if (whole.len < OUTPUT_MAX && pieces.len < OUTPUT_MAX &&
	    (fault != fault_of_pieces || (!fault && whole.len != pieces.len)))
		abort();
	mp_buf_release(&whole);
	mp_buf_release(&pieces);
	return 0;
}
