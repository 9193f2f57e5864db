/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of an ELF file. What is needed is read once, into private memory: a mapped file could
 * be truncated meanwhile, and a second read could return something else. Files are hostile input:
 * the sizes that they state cost no more than the limit allows. Little-endian files only, as on all
 * supported architectures. Includes bytes, limit, str.
 */
#ifndef MP_CAPTURE_OBJECT_ELFIMAGE_H
#define MP_CAPTURE_OBJECT_ELFIMAGE_H

#include <elf.h>

#include "lib/capture/object/bytes.h"
#include "lib/capture/object/limit.h"
#include "lib/core/str.h"

enum { MP_ELF_STRING_MAX = 4096 };

struct mp_elf_image {
	int fd;		       /* borrowed; -1: the file is in memory */
	const uint8_t *memory; /* borrowed */
	uint64_t size;
	struct mp_limit *limit; /* borrowed */
	bool wide;		/* ELFCLASS64 */
	uint16_t machine;
	uint64_t entry;
	Elf64_Shdr *sections;
	size_t n_sections;
	Elf64_Phdr *segments;
	size_t n_segments;
	size_t names; /* number of the section with the names of sections; 0: there is none */
};

/*
 * Reads the headers of an open file, or (fd -1) of one in memory. False: it is not an ELF file, or
 * has more sections or segments than any linker makes.
 */
bool mp_elf_image_init(struct mp_elf_image *e, int fd, const void *memory, size_t size,
		       struct mp_limit *limit);
void mp_elf_image_release(struct mp_elf_image *e);

/* Reads exactly `size` bytes; false: the file does not have them. */
bool mp_elf_image_read(const struct mp_elf_image *e, uint64_t offset, void *to, size_t size);

/* A part of a file. */
struct mp_elf_data {
	uint8_t *p; /* on the heap */
	size_t size;
};

/*
 * Reads a section or another part. False: `sh` is NULL, the file does not have it, it is empty or
 * (`what` says what it is) above the limit.
 */
bool mp_elf_load(const struct mp_elf_image *e, const Elf64_Shdr *sh, const char *what,
		 struct mp_elf_data *data);
bool mp_elf_load_range(const struct mp_elf_image *e, uint64_t offset, uint64_t size,
		       const char *what, struct mp_elf_data *data);

/* Reads a section, and unpacks it if it is compressed. */
bool mp_elf_load_unpacked(const struct mp_elf_image *e, const Elf64_Shdr *sh, const char *what,
			  struct mp_elf_data *data);

/* Frees it and gives the bytes back. */
void mp_elf_drop(const struct mp_elf_image *e, struct mp_elf_data *data);

/*
 * The beginning of a string of a section: borrowed, at most MP_ELF_STRING_MAX bytes; may be empty.
 */
struct mp_str mp_elf_string(const struct mp_elf_data *strings, uint64_t offset);

/* The section with this number; NULL: there is none. */
const Elf64_Shdr *mp_elf_section(const struct mp_elf_image *e, uint64_t number);

/* Decodes symbol `i` of the data of a table; false: the table does not have it. */
bool mp_elf_symbol(const struct mp_elf_image *e, const struct mp_elf_data *table, uint64_t i,
		   Elf64_Sym *sym);

/* The defined functions of a symbol table. */
struct mp_elf_functions {
	const struct mp_elf_image *e;
	struct mp_elf_data strings, part; /* the part of the table that is in memory */
	uint64_t at, end;		  /* the rest of the table in the file */
	uint64_t next;			  /* index in the part */
};

/*
 * Begins to read the functions of a table; false: there is none, it is damaged, or it is above the
 * limit. To be ended with mp_elf_functions_end() in either case.
 */
bool mp_elf_functions_begin(struct mp_elf_functions *it, const struct mp_elf_image *e,
			    const Elf64_Shdr *sh);

/* The next function with a name, which is borrowed until the end; false at the end of the table. */
bool mp_elf_functions_next(struct mp_elf_functions *it, Elf64_Sym *sym, struct mp_str *name);
void mp_elf_functions_end(struct mp_elf_functions *it);

struct mp_elf_note {
	uint32_t type;
	struct mp_str name, desc; /* the name without its NUL */
};

/* The next note of a section with this alignment; false at the end, or if the rest is damaged. */
bool mp_elf_next_note(struct mp_bytes *b, uint64_t align, struct mp_elf_note *note);

#endif
