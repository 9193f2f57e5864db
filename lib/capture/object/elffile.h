/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An ELF file looked through for the sections that matter here, and the debug file that belongs to
 * it. For elfsym.c and elfcfi.c, which with this are the users of libelf. Includes segments.
 */
#ifndef MP_CAPTURE_OBJECT_ELFFILE_H
#define MP_CAPTURE_OBJECT_ELFFILE_H

#include <gelf.h>

#include "lib/capture/object/segments.h"

enum { MP_BUILD_ID_MAX = 20 };

struct mp_elf {
	Elf *elf; /* borrowed */
	Elf_Scn *symtab, *dynsym, *debugdata, *debuglink;
	Elf_Scn *plt, *plt_sec, *rela_plt;
	Elf_Scn *eh_frame, *eh_frame_hdr, *debug_frame;
	unsigned char build_id[MP_BUILD_ID_MAX];
	size_t build_id_len;
};

/* Looks through the section headers; false if it is no ELF file. */
bool mp_elf_begin(struct mp_elf *f, Elf *elf);

void mp_elf_segments(Elf *elf, struct mp_segments *segments);

/* Takes what it wants of a debug file, which is valid during the call; false: look on. */
typedef bool mp_elf_take(void *arg, const struct mp_elf *debug);

/*
 * Looks for the debug file of `f`, by build id, then by debuglink. `path` (NULL: there is none) and
 * `root` are where the file itself is: root + path. Returns whether one was taken.
 */
bool mp_elf_debug_file(const struct mp_elf *f, const char *root, const char *path,
		       mp_elf_take *take, void *arg);

#endif
