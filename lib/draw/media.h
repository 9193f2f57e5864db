/* SPDX-License-Identifier: GPL-2.0-only */
/* What a file with a picture is, by its first bytes. Includes str. */
#ifndef MP_DRAW_MEDIA_H
#define MP_DRAW_MEDIA_H

#include "lib/core/str.h"

/* How many bytes of a file are enough. */
enum { MP_MEDIA_HEAD = 512 };

enum mp_media { MP_MEDIA_TEXT, MP_MEDIA_HTML, MP_MEDIA_SVG };

/*
 * What begins with `head`: markup that our programs write has its first tag in a line of its own,
 * whereas a stack that looks like markup ends with its weight.
 */
enum mp_media mp_media_of(struct mp_str head);

#endif
