/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Loads the function symbols of an ELF file: from .symtab, or else from .dynsym, its separate debug
 * file and .gnu_debugdata. Go programs without .symtab have names in .gopclntab. Stubs of the PLT
 * get names. For code without a symbol, .eh_frame_hdr
 * says where its function begins. Files are hostile input. Includes limit, map, opener.
 */
#ifndef MP_CAPTURE_OBJECT_ELFSYM_H
#define MP_CAPTURE_OBJECT_ELFSYM_H

#include "lib/capture/host/opener.h"
#include "lib/capture/object/limit.h"
#include "lib/core/map.h"

struct mp_elfsym;

/*
 * Reads the symbols of an open file, which the caller closes, and of its debug file, which `o`
 * opens by the mapping of the file. NULL if it is not an ELF file. What is above the limit is
 * omitted.
 */
struct mp_elfsym *mp_elfsym_load(int fd, struct mp_opener *o, const struct mp_open_mapping *m,
				 struct mp_limit *limit);

/* Reads the symbols of a file that is in memory, such as the vDSO. */
struct mp_elfsym *mp_elfsym_load_image(const void *image, size_t size);
void mp_elfsym_free(struct mp_elfsym *e);

/*
 * Converts an offset in the file to the address that symbols have; returns the offset itself if no
 * segment contains it.
 */
uint64_t mp_elfsym_address(const struct mp_elfsym *e, uint64_t offset);

/*
 * The symbol at an address, mangled, if it is mangled in the file. Returns NULL if there is none;
 * then `*start` is the beginning of the function, or 0 if that is unknown.
 */
const char *mp_elfsym_find(const struct mp_elfsym *e, uint64_t addr, uint64_t *start);

/*
 * Whether a process or thread begins in the code at an address, according to its symbol or the
 * entry point of the file. `leaf`: the frame is the innermost one; then only the beginning of a
 * process counts, since the functions in which threads begin are called as well (clone).
 */
bool mp_elfsym_is_root(const struct mp_elfsym *e, uint64_t addr, bool leaf);

/* The build id of the file, up to MP_BUILD_ID_MAX bytes; empty: it has none. */
struct mp_str mp_elfsym_build_id(const struct mp_elfsym *e);

/* The bytes of memory in use. */
size_t mp_elfsym_bytes(const struct mp_elfsym *e);

#endif
