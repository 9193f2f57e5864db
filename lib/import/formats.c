// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/formats.h"

#define ADDRESS(name) &mp_import_##name,
static const struct mp_import_format *const formats[] = { MP_IMPORT_FORMATS(ADDRESS) };
#undef ADDRESS

enum { FORMATS = MP_ARRAY_SIZE(formats) };

const struct mp_import_format *mp_import_format_find(const char *name)
{
	size_t i;

	for (i = 0; i < FORMATS; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

void mp_import_format_names(struct mp_buf *to)
{
	size_t i;

	for (i = 0; i < FORMATS; i++) {
		if (i)
			mp_buf_printf(to, i + 1 < FORMATS ? ", " : " or ");
		mp_buf_str(to, mp_str(formats[i]->name));
	}
}
