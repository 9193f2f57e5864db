// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/formats.h"

#define ADDRESS(name) &mp_import_##name,
const struct mp_import_format *const mp_import_formats[] = { MP_IMPORT_FORMATS(ADDRESS) };
#undef ADDRESS

const struct mp_import_format *mp_import_format_find(const char *name)
{
	size_t i;

	for (i = 0; i < MP_IMPORT_N_FORMATS; i++)
		if (strcmp(mp_import_formats[i]->name, name) == 0)
			return mp_import_formats[i];
	return NULL;
}

const struct mp_import_format *mp_import_format_of(const char *data, size_t len)
{
	size_t i;

	for (i = 0; i < MP_IMPORT_N_FORMATS; i++)
		if (mp_import_formats[i]->is_binary && mp_import_formats[i]->is_binary(data, len))
			return mp_import_formats[i];
	return NULL;
}

void mp_import_format_names(struct mp_buf *to)
{
	size_t i;

	for (i = 0; i < MP_IMPORT_N_FORMATS; i++) {
		if (i)
			mp_buf_printf(to, i + 1 < MP_IMPORT_N_FORMATS ? ", " : " or ");
		mp_buf_str(to, mp_str(mp_import_formats[i]->name));
	}
}
