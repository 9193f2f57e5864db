// SPDX-License-Identifier: GPL-2.0-only
/* Folding any lines: the output can be read, and folds to itself. */
#include "lib/fold/fold.h"
#include "tests/fuzz/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_lines(struct mp_fold *f, const char *p, size_t size, bool must)
{
	const char *end = p + size, *lf, *why;
	struct mp_rec rec;

	for (; p < end && (lf = memchr(p, '\n', end - p)); p = lf + 1) {
		bool good = mp_rec_parse(&rec, p, lf - p, &why) == 0 && rec.kind != MP_CONTROL &&
			    rec.kind != MP_POINT;

		if (good)
			good = mp_fold_add(f, &rec, rec.kind == MP_EVENT ? 1 : rec.weight, &why) ==
			       0;
		if (must && !good)
			abort();
	}
}

static size_t write_fold(struct mp_fold *f, const struct mp_fold_style *style, char **text)
{
	struct mp_fold_lines lines;
	struct mp_out out;
	size_t len;

	memory_out_init(&out);
	mp_fold_lines_init(&lines, 1 << 20);
	mp_fold_write(f, style, &lines, &out);
	mp_fold_lines_release(&lines);
	*text = memory_out_close(&out, &len);
	return len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mp_field comm = MP_FIELD_OF(KEY, "comm");
	static const struct mp_fields by = { &comm, 1, 1 };
	struct mp_fold_style style = { .annotate = size & 1, .stream = (size & 6) == 2 };
	struct mp_fold first, second;
	char *text, *again;
	size_t len, len_again;

	mp_fold_init(&first, &by);
	mp_fold_init(&second, &by);
	add_lines(&first, (const char *)data, size, false);
	len = write_fold(&first, &style, &text);
	add_lines(&second, text, len, true);
	len_again = write_fold(&second, &style, &again);
	if (!first.overflow && (len != len_again || memcmp(text, again, len) != 0))
		abort();
	free(text);
	free(again);
	mp_fold_release(&first);
	mp_fold_release(&second);
	return 0;
}
