/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finds the sections of an ELF file that elfsym.c and elfcfi.c read, and the debug file that
 * belongs to it. Includes elfimage, opener, segments.
 */
#ifndef MP_CAPTURE_OBJECT_ELFFILE_H
#define MP_CAPTURE_OBJECT_ELFFILE_H

#include "lib/capture/host/opener.h"
#include "lib/capture/object/elfimage.h"
#include "lib/capture/object/segments.h"

enum { MP_BUILD_ID_MAX = 20 };

struct mp_elf {
	struct mp_elf_image image;
	/* NULL: there is none */
	const Elf64_Shdr *symtab, *dynsym, *debugdata, *debuglink;
	const Elf64_Shdr *plt, *plt_sec, *rela_plt;
	const Elf64_Shdr *eh_frame, *eh_frame_hdr, *debug_frame;
	/* of Go programs; the table may be in go_relro */
	const Elf64_Shdr *text, *gopclntab, *go_relro, *go_info;
	unsigned char build_id[MP_BUILD_ID_MAX];
	size_t build_id_len;
};

/*
 * Reads the headers of an open file, or (fd -1) of one in memory, and finds the sections. False: it
 * is not an ELF file, or has more sections than any linker makes.
 */
bool mp_elf_open(struct mp_elf *f, int fd, const void *memory, size_t size, struct mp_limit *limit);
void mp_elf_close(struct mp_elf *f);

/*
 * Fills `table` from the table of functions of a Go program, which is in `data`; the caller drops
 * these.
 */
struct mp_gopclntab;
bool mp_elf_gopclntab(const struct mp_elf *f, struct mp_elf_data *data, struct mp_gopclntab *table);

void mp_elf_segments(const struct mp_elf *f, struct mp_segments *segments);

/*
 * Reads a debug file, which is valid during the call. Returns false if it lacks what is needed, so
 * that the next one is tried.
 */
typedef bool mp_elf_debug_fn(void *arg, const struct mp_elf *debug);

/*
 * Searches for the debug file of `f`, by build id, then by debuglink, and calls `take` with it. `m`
 * is a mapping of the file of `f`. Returns whether `take` accepted one.
 */
bool mp_elf_debug_file(const struct mp_elf *f, struct mp_opener *o, const struct mp_open_mapping *m,
		       mp_elf_debug_fn *take, void *arg);

#endif
