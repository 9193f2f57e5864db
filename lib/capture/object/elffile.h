/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the sections of an ELF file that elfsym.c and elfcfi.c read, and the debug file that
 * belongs to it. Includes opener, segments.
 */
#ifndef MP_CAPTURE_OBJECT_ELFFILE_H
#define MP_CAPTURE_OBJECT_ELFFILE_H

#include <gelf.h>

#include "lib/capture/host/opener.h"
#include "lib/capture/object/segments.h"

enum { MP_BUILD_ID_MAX = 20 };

struct mp_elf {
	Elf *elf; /* borrowed */
	Elf_Scn *symtab, *dynsym, *debugdata, *debuglink;
	Elf_Scn *plt, *plt_sec, *rela_plt;
	Elf_Scn *eh_frame, *eh_frame_hdr, *debug_frame;
	/* of Go programs; the table may be in go_relro */
	Elf_Scn *text, *gopclntab, *go_relro, *go_info;
	unsigned char build_id[MP_BUILD_ID_MAX];
	size_t build_id_len;
};

/* A regular file, to be closed with elf_end(); NULL: it cannot be read. */
Elf *mp_elf_open(int fd);

/*
 * Fills `table` from the table of functions of a Go program; it points into the data of the file.
 */
struct mp_gopclntab;
bool mp_elf_gopclntab(const struct mp_elf *f, struct mp_gopclntab *table);

/* Finds the sections; false if it is not an ELF file, or NULL. */
bool mp_elf_begin(struct mp_elf *f, Elf *elf);

void mp_elf_segments(Elf *elf, struct mp_segments *segments);

/*
 * Reads a debug file, which is valid during the call. False: it lacks what is needed, so try the
 * next one.
 */
typedef bool mp_elf_debug_fn(void *arg, const struct mp_elf *debug);

/*
 * Searches the debug file of `f`, by build id, then by debuglink, and calls `take` with it. `m` is a
 * mapping of the file of `f`. Returns whether `take` accepted one.
 */
bool mp_elf_debug_file(const struct mp_elf *f, struct mp_opener *o, const struct mp_open_mapping *m,
		       mp_elf_debug_fn *take, void *arg);

#endif
