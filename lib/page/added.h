/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pictures and texts that other programs made of the same recording, which a page shows below what
 * it draws itself. Includes media.
 */
#ifndef MP_PAGE_ADDED_H
#define MP_PAGE_ADDED_H

#include "lib/draw/media.h"

/* The most bytes that a file may have. */
enum { MP_PAGE_ADDED_MAX = 8 << 20 };

struct mp_page_part {
	struct mp_str title; /* raw; borrowed */
	bool beside;	     /* it is to the right of the part before it */
	enum mp_media media;
	struct mp_buf content;
};

struct mp_page_added {
	struct mp_page_part *v;
	size_t n, cap;
};

/*
 * Reads a file, given as "FILE" or "FILE=TITLE". Returns 0, or -1 with a message if it is too long;
 * a file that cannot be read ends the program. `beside`: it is to the right of the one before it.
 */
int mp_page_added_read(struct mp_page_added *a, const char *arg, bool beside);
void mp_page_added_release(struct mp_page_added *a);

/* Writes the contents as elements, packed; and what the script must know of them, as a list. */
void mp_page_added_data(struct mp_buf *to, const struct mp_page_added *a);
void mp_page_added_list(struct mp_buf *to, const struct mp_page_added *a);

#endif
