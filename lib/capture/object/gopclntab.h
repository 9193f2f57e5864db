/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of functions that the linker of Go puts into every program (.gopclntab), also without
 * symbols and debug information: names, and the size of the stack frame at each address. Supports
 * Go 1.18 and later (src/debug/gosym/pclntab.go, src/runtime/symtab.go). Files are hostile input:
 * the results have a size in proportion to that of the table. Includes arch, str.
 */
#ifndef MP_CAPTURE_OBJECT_GOPCLNTAB_H
#define MP_CAPTURE_OBJECT_GOPCLNTAB_H

#include "lib/capture/host/arch.h"
#include "lib/core/str.h"

struct mp_gopclntab {
	const uint8_t *data; /* borrowed */
	size_t size;
	bool has_start_line;		/* Go 1.20 */
	uint8_t quantum;		/* size of the shortest instruction in bytes */
	uint64_t text;			/* addresses of functions are relative to this address */
	uint64_t n;			/* number of functions */
	size_t names, steps, functions; /* offsets of these parts */
};

/*
 * Parses the head of a table at the beginning of the data; `text` is the address of the code, for
 * tables that do not contain it. Returns false if it is of another version, or damaged.
 */
bool mp_gopclntab_init(struct mp_gopclntab *t, const void *data, size_t size, uint64_t text);

/*
 * Finds the table in other data; programs that the C linker makes position-independent have it in
 * the middle of .data.rel.ro. Returns its offset, or SIZE_MAX if it is not there.
 */
size_t mp_gopclntab_search(const void *data, size_t size);

/* Calls `each` for the functions, in order of address, until it returns false. */
typedef bool mp_gopclntab_fn(void *arg, uint64_t start, uint64_t size, const char *name);

void mp_gopclntab_each(const struct mp_gopclntab *t, mp_gopclntab_fn *each, void *arg);

/*
 * Writes the frames of all functions as a section .debug_frame for mp_cfi_give(), at most 64 KiB
 * more than `max` bytes. Functions that begin a thread or a goroutine are roots.
 */
void mp_gopclntab_frames(const struct mp_gopclntab *t, const struct mp_arch *arch,
			 struct mp_buf *to, size_t max);

#endif
