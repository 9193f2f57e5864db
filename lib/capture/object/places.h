/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers requests of the kernel side about files with code. Includes cut.
 */
#ifndef MP_CAPTURE_OBJECT_PLACES_H
#define MP_CAPTURE_OBJECT_PLACES_H

#include "lib/capture/host/cut.h"

/*
 * Finds places in an open file, whose path is request->file. Returns 0, or -1 with `*error` (owned
 * by the caller): there is no such place.
 */
int mp_binary_places(const struct mp_cut_place_request *request, int fd,
		     struct mp_cut_places *answer, char **error);

#endif
