// SPDX-License-Identifier: GPL-2.0-only
#include "lib/draw/media.h"

enum mp_media mp_media_of(struct mp_str head)
{
	const char *lf = memchr(head.p, '\n', MP_MIN(head.len, (size_t)MP_MEDIA_HEAD));
	struct mp_str text;

	if (!lf || lf == head.p || lf[-1] != '>')
		return MP_MEDIA_TEXT;
	text = mp_str_trim(head);
	if (mp_str_starts(text, MP_STR("<!DOCTYPE html")) ||
	    mp_str_starts(text, MP_STR("<!doctype html")) || mp_str_starts(text, MP_STR("<html")))
		return MP_MEDIA_HTML;
	if (mp_str_starts(text, MP_STR("<?xml")) || mp_str_starts(text, MP_STR("<svg")))
		return MP_MEDIA_SVG;
	return MP_MEDIA_TEXT;
}
