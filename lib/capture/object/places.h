/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers what the kernel side asks about files with code and about the kernel. Includes cut. */
#ifndef MP_CAPTURE_OBJECT_PLACES_H
#define MP_CAPTURE_OBJECT_PLACES_H

#include "lib/capture/host/cut.h"

extern const struct mp_cut_files mp_binary_answers;

#endif
