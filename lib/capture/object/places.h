/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers requests of the kernel side about files with code and about symbols of the kernel.
 * Includes cut.
 */
#ifndef MP_CAPTURE_OBJECT_PLACES_H
#define MP_CAPTURE_OBJECT_PLACES_H

#include "lib/capture/host/cut.h"

extern const struct mp_cut_files mp_binary_answers;

#endif
