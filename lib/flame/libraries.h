/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The libraries of functions: which file has the code of a name. Includes tree, palette.
 */
#ifndef MP_FLAME_LIBRARIES_H
#define MP_FLAME_LIBRARIES_H

#include "lib/draw/palette.h"
#include "lib/tree/tree.h"

/* Two libraries that are always there. Their colour is that of "other". */
enum { MP_FLAME_NO_LIBRARY, MP_FLAME_SEVERAL_LIBRARIES, MP_FLAME_FIRST_LIBRARY };

/* The slot of a library that has no colour of its own. */
enum { MP_FLAME_NO_SLOT = MP_SLOTS };

/* A name that is in a file. Its number changes when the tree is finished; those of nodes do not. */
struct mp_flame_placed {
	uint32_t node; /* a node with the name */
	uint32_t file; /* number; 0: unknown, UINT32_MAX: several */
};

struct mp_flame_libraries {
	/* set by mp_flame_libraries_finish(); libraries are in the order of their names */
	struct mp_str *names; /* raw */
	unsigned *slots;      /* of the palette, or MP_FLAME_NO_SLOT */
	size_t n;
	uint32_t *of; /* by number of a name in the tree: the number of its library */

	/* private */
	struct mp_map files; /* name -> number in the order of addition, from 1 */
	struct mp_map_entry **by_number;
	size_t by_number_cap;
	struct mp_flame_placed *placed; /* by number of a name in the tree that is not finished */
	size_t placed_cap;
	struct mp_buf hold;
};

void mp_flame_libraries_init(struct mp_flame_libraries *l);
void mp_flame_libraries_release(struct mp_flame_libraries *l);

/*
 * Notes the files of a stack, which `place` of its frames names (mp_fold_style.files); `node` is that of
 * its last frame. A name that several files have is in "several libraries".
 */
void mp_flame_libraries_add(struct mp_flame_libraries *l, const struct mp_tree *t, uint32_t node,
			    const struct mp_frame *frames, size_t n);

/*
 * After the last stack: gives each name its library. Kernel code of no known file is in "kernel", code of
 * just-in-time compilers in "JIT", and what else has no file in "unknown library".
 */
void mp_flame_libraries_finish(struct mp_flame_libraries *l, const struct mp_tree *t);

/* The colour of a slot of a library. */
struct mp_rgb mp_flame_library_colour(unsigned slot, enum mp_paper paper);

#endif
