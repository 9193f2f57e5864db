/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Converts addresses to frames of the stream: names from the kernel, files and just-in-time
 * compilers, demangled, escaped and marked. Includes demangle, dso, jits,
 * kallsyms, task.
 */
#ifndef MP_CAPTURE_STACK_SYMBOL_H
#define MP_CAPTURE_STACK_SYMBOL_H

#include "lib/capture/object/demangle.h"
#include "lib/capture/object/kallsyms.h"
#include "lib/capture/stack/dso.h"
#include "lib/capture/stack/jits.h"
#include "lib/capture/stack/task.h"

struct mp_symbols {
	struct mp_dsos dsos;
	struct mp_symtab kernel;
	bool has_kernel; /* the kernel's symbols were read */
	struct mp_kernel_text kernel_text;
	struct mp_map names; /* name in the file -> frame in the stream */
	struct mp_demangler *demangler;
	struct mp_buf cut; /* a truncated name */
	struct mp_jits jits;
	/* set by the caller: frames have places, see mp-stream(5); the kernel's build id, or "" */
	bool places;
	struct mp_str kernel_id; /* hexadecimal; borrowed */
	char *kernel_module;	 /* as mp_dso.module */
	uint64_t kernel_stream;	 /* as mp_dso.stream */
	/* number of the stream to which frames are written, by the caller: each has its own lines of modules */
	uint64_t stream;
	struct mp_buf modules;	  /* control lines of modules, for the caller to write and remove */
	uint64_t frames, unknown; /* frames in all, and those that have no name */
};

/* `opener` is borrowed. */
void mp_symbols_init(struct mp_symbols *s, struct mp_opener *opener);
void mp_symbols_release(struct mp_symbols *s);

/* Appends the frame of a kernel address. */
void mp_symbols_kernel(struct mp_symbols *s, uint64_t addr, struct mp_buf *to);

/*
 * Appends the name of a kernel function, not escaped, with "+0x" and the offset in it if `offset`.
 * Returns false if the address is in none.
 */
bool mp_symbols_kernel_name(struct mp_symbols *s, uint64_t addr, bool offset, struct mp_buf *to);

/* Whether a kernel address is in the function `name`. */
bool mp_symbols_kernel_is(struct mp_symbols *s, uint64_t addr, const char *name);

/*
 * Appends the frame of an address in a process. Returns false if the memory has no file: its code
 * and name may change, so the text is valid at `now_ns` only.
 */
bool mp_symbols_user(struct mp_symbols *s, struct mp_process *process, uint64_t addr,
		     uint64_t now_ns, struct mp_buf *to);

/*
 * How often the log of a just-in-time compiler says, up to a time, that other code is at an address:
 * texts of stacks that were made before may be wrong.
 */
uint64_t mp_symbols_changes(struct mp_symbols *s, const struct mp_space *space, uint64_t now_ns);

/* Appends the file and the offset of an address in a process, without reading any file. */
void mp_symbols_bare(struct mp_symbols *s, const struct mp_process *process, uint64_t addr,
		     struct mp_buf *to);

/* The `dso` function for mp_tasks_init(). */
struct mp_dso *mp_symbols_dso(void *symbols, const struct mp_proc_map *map, struct mp_tasks *tasks,
			      struct mp_process *process);

#endif
