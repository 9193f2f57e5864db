/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Function symbols of an ELF file: .symtab, else .dynsym; those of its separate debug file, by
 * build id or debuglink; .gnu_debugdata; names for the PLT; and, for code without a symbol, where
 * its function begins by .eh_frame_hdr. Files are hostile
 * input. Includes map.
 */
#ifndef MP_CAPTURE_OBJECT_ELFSYM_H
#define MP_CAPTURE_OBJECT_ELFSYM_H

#include "lib/core/map.h"

struct mp_elfsym;

/*
 * Reads the symbols of an open file, which stays the caller's. `path` and `root` (may be "") are
 * where the file is, for its debuglink: root + path. NULL if it is no ELF file.
 */
struct mp_elfsym *mp_elfsym_load(int fd, const char *root, const char *path);

/* The same of an image in memory, such as the vDSO. */
struct mp_elfsym *mp_elfsym_load_image(const void *image, size_t size);
void mp_elfsym_free(struct mp_elfsym *e);

/*
 * The address that the symbols use, of an offset in the file; the offset itself if no segment has
 * it.
 */
uint64_t mp_elfsym_address(const struct mp_elfsym *e, uint64_t offset);

/*
 * The symbol at an address, mangled as it stands in the file. NULL if there is none: then `*start`,
 * if not 0, is where the function begins.
 */
const char *mp_elfsym_find(const struct mp_elfsym *e, uint64_t addr, uint64_t *start);

size_t mp_elfsym_count(const struct mp_elfsym *e);

#endif
