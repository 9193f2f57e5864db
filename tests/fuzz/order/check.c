// SPDX-License-Identifier: GPL-2.0-only
/* Whole streams: each line of a stream that the validator calls valid can be parsed. */
#include "lib/order/check.h"
#include "lib/stream/rec.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void all_lines_parse(const char *p, size_t size)
{
	const char *end = p + size, *lf, *why;
	struct mp_rec rec;

	for (; p < end && (lf = memchr(p, '\n', end - p)); p = lf + 1)
		if (mp_rec_parse(&rec, p, lf - p, &why) < 0 || mp_rec_check(&rec, &why) < 0)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memory_file(data, size), out_fd = memory_file("", 0);
	struct mp_out out;

	mp_out_init(&out, out_fd, "out");
	if (mp_check(fd, "in", &out) == MP_OK)
		all_lines_parse((const char *)data, size);
	mp_out_close(&out);
	close(fd);
	return 0;
}
