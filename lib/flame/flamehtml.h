/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flame graph as one HTML file with all frames, which a script draws on a canvas. Includes flame.
 */
#ifndef MP_FLAME_FLAMEHTML_H
#define MP_FLAME_FLAMEHTML_H

#include "lib/core/str.h"
#include "lib/flame/flame.h"

void mp_flamehtml(struct mp_buf *to, const struct mp_flame *f);

/* The functions below are for other pages that use the scripts of this one. */

/* Writes a page with raw texts where it has {TITLE}, twice, and {SUBTITLE}. */
void mp_flamehtml_page(struct mp_buf *to, const char *page, struct mp_str title,
		       struct mp_str subtitle);

/*
 * Write members of an object for lib/flame/graph.js: the kinds of frames and their colours; the
 * colours of differences and what they mean. `counts` as in struct mp_flame_sides.
 */
void mp_flamehtml_kinds(struct mp_buf *to, const struct mp_tree *t);
void mp_flamehtml_changes(struct mp_buf *to, bool counts);

#endif
