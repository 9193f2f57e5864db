/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A flame graph as one HTML file with all frames, which a script draws on a canvas. Includes flame.
 */
#ifndef MP_FLAME_FLAMEHTML_H
#define MP_FLAME_FLAMEHTML_H

#include "lib/core/str.h"
#include "lib/flame/flame.h"

void mp_flamehtml(struct mp_buf *to, const struct mp_flame *f);

#endif
