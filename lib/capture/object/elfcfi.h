/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call frame information of an ELF file: .eh_frame, by its section or by the program header that
 * leads to it; .debug_frame, compressed or not, its own or that of its debug file. Includes cfi, segments.
 */
#ifndef MP_CAPTURE_OBJECT_ELFCFI_H
#define MP_CAPTURE_OBJECT_ELFCFI_H

#include "lib/capture/object/cfi.h"
#include "lib/capture/object/segments.h"

/*
 * As mp_elfsym_load(); NULL if there is none, or the file is of another kind of machine. `*segments`
 * gets those of the file.
 */
struct mp_cfi *mp_elfcfi_load(int fd, const char *root, const char *path,
			      struct mp_segments *segments);
struct mp_cfi *mp_elfcfi_load_image(const void *image, size_t size, struct mp_segments *segments);

#endif
