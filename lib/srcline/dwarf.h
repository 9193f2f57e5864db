/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads ELF files and their DWARF with libdw. All of it runs only in processes of jail.h, since
 * files are hostile input and libdw trusts them. Includes jail.
 */
#ifndef MP_SRCLINE_DWARF_H
#define MP_SRCLINE_DWARF_H

#include "lib/srcline/jail.h"

enum { MP_DWARF_FRAMES_MAX = 64 }; /* at one address; further ones are omitted */

struct mp_dwarf {
	/* set by the caller; borrowed */
	int fd;	      /* the file with the debug information */
	int alt;      /* the file that it refers to (dwz); -1: none */
	bool kernel;  /* addresses count from _stext */
	bool symbols; /* name functions without debug information by the symbol table */

	struct mp_dwarf_state *state; /* private */
};

/*
 * An mp_jail_fn; `arg` is a struct mp_dwarf. The question is any byte. The answer is what the file
 * says of itself: four texts, each with its NUL, which may be empty: the build id in hexadecimal
 * digits, the name of its debug file, the name of its alternate debug file, and that one's build
 * id; then a byte, which is 1 if it has debug information.
 */
mp_jail_fn mp_dwarf_probe;

/*
 * An mp_jail_fn; `arg` is a struct mp_dwarf. The question is a uint64_t, an address. The answer
 * has a text with its NUL for each frame at this address, the function first and then what is
 * inlined there: LINE, a blank, PATH, LF, NAME. LINE is 0 and PATH or NAME empty where unknown, as
 * they are for a name from the symbol table. Neither line information nor a name: one NUL.
 */
mp_jail_fn mp_dwarf_lines;

#endif
