/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Addresses to frames of the stream: names of kernel, files, just-in-time compilers, demangled,
 * escaped and marked. Includes dso, kallsyms, perfmap, task.
 */
#ifndef MP_CAPTURE_STACK_SYMBOL_H
#define MP_CAPTURE_STACK_SYMBOL_H

#include "lib/capture/stack/dso.h"
#include "lib/capture/object/kallsyms.h"
#include "lib/capture/object/perfmap.h"
#include "lib/capture/stack/task.h"

struct mp_symbols {
	struct mp_dsos dsos;
	struct mp_symtab kernel;
	bool has_kernel;	  /* read */
	struct mp_map names;	  /* raw name -> frame text */
	struct mp_map jits;	  /* pid -> struct mp_perfmap */
	uint64_t frames, unknown; /* looked up, and without a name */
};

void mp_symbols_init(struct mp_symbols *s);
void mp_symbols_release(struct mp_symbols *s);

/* Reads the kernel's symbols now (50 ms) rather than at the first kernel frame. */
void mp_symbols_load_kernel(struct mp_symbols *s);

/* Adds the frame of a kernel address. */
void mp_symbols_kernel(struct mp_symbols *s, uint64_t addr, struct mp_buf *to);

/* Whether a kernel address is in the function of a name. */
bool mp_symbols_kernel_is(struct mp_symbols *s, uint64_t addr, const char *name);

/*
 * Adds the frame of an address in a process. Returns false if it is in memory without a file, where
 * code and its name may change: then the text is good for this moment (`now_ns`) only.
 */
bool mp_symbols_user(struct mp_symbols *s, const struct mp_process *process, uint64_t addr,
		     uint64_t now_ns, struct mp_buf *to);

/* For mp_tasks_init(). */
struct mp_dso *mp_symbols_dso(void *symbols, const struct mp_proc_map *map, pid_t pid);

#endif
