/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads the call frame information of an ELF file: .eh_frame, found by its section or by the
 * program header that leads to it, and .debug_frame, of the file itself or of its debug file,
 * compressed or not; for Go programs .gopclntab instead of both. Includes cfi, opener, segments.
 */
#ifndef MP_CAPTURE_OBJECT_ELFCFI_H
#define MP_CAPTURE_OBJECT_ELFCFI_H

#include "lib/capture/host/opener.h"
#include "lib/capture/object/cfi.h"
#include "lib/capture/object/segments.h"

/*
 * These functions take the arguments of mp_elfsym_load(). `*segments` gets the segments of the
 * file. Return NULL if the file has no call frame information, or is for an architecture that is
 * not supported.
 */
struct mp_cfi *mp_elfcfi_load(int fd, struct mp_opener *o, const struct mp_open_mapping *m,
			      struct mp_segments *segments, struct mp_limit *limit);
struct mp_cfi *mp_elfcfi_load_image(const void *image, size_t size, struct mp_segments *segments);

#endif
