// SPDX-License-Identifier: GPL-2.0-only
/* A table of names, then events with these names: what is written is as valid as what was read. */
#include <stdlib.h>

#include "lib/stream/taskname.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *p = (const char *)data, *end = p + size, *lf, *why;
	struct mp_buf buf = { NULL, 0, 0 };
	struct mp_tasknames names;
	struct mp_str line;
	struct mp_rec rec;

	mp_tasknames_init(&names);
	names.merge_system = size & 1;
	names.append_tid = size & 2;
	for (; p < end && (lf = memchr(p, '\n', end - p)); p = lf + 1) {
		if (mp_rec_parse(&rec, p, lf - p, &why) < 0 || rec.kind != MP_EVENT) {
			mp_tasknames_row(&names, (struct mp_str){ p, lf - p });
			continue;
		}
		if (mp_rec_check(&rec, &why) < 0)
			continue;
		line = mp_tasknames_apply(&names, &rec, &buf);
		if (mp_rec_parse(&rec, line.p, line.len, &why) < 0 || mp_rec_check(&rec, &why) < 0)
			abort();
	}
	mp_tasknames_release(&names);
	mp_buf_release(&buf);
	return 0;
}
