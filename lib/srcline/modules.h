/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The modules of a stream, each with its file and the process that reads it. Includes ctl, dwarf,
 * files, map.
 */
#ifndef MP_SRCLINE_MODULES_H
#define MP_SRCLINE_MODULES_H

#include "lib/core/io.h"
#include "lib/core/map.h"
#include "lib/srcline/dwarf.h"
#include "lib/srcline/files.h"
#include "lib/stream/ctl.h"
#include "lib/stream/esc.h"

enum { MP_SRCLINE_PATHS_MAX = 4 };

enum mp_srcline_state {
	MP_SRCLINE_NEW,
	MP_SRCLINE_FOUND,
	MP_SRCLINE_PARTIAL, /* found, but not the alternate debug file that it refers to */
	MP_SRCLINE_MISSING, /* no file of this build */
	MP_SRCLINE_BARE,    /* no debug information */
	MP_SRCLINE_OTHER,   /* only a file of another build */
	MP_SRCLINE_CLASH,   /* modules of two builds have the name */
	MP_SRCLINE_BROKEN,  /* the file could not be read */
};

struct mp_srcline_module {
	struct mp_str label;		 /* as in frames: "nginx:8f3a9c0d", escaped */
	char id[MP_BUILD_ID_DIGITS + 1]; /* the complete build id, or "" */
	char *paths[MP_SRCLINE_PATHS_MAX];
	size_t n_paths;
	enum mp_srcline_state state;
	struct mp_dwarf dwarf;
	struct mp_jail jail;
	uint64_t used; /* value of mp_srcline_modules.clock at its last use */
};

struct mp_srcline_modules {
	struct mp_srcline_places places; /* set by the caller */
	struct mp_map by_label;		 /* -> struct mp_srcline_module * */
	uint64_t clock;
	size_t running;		  /* processes */
	uint64_t refused, broken; /* modules: MP_SRCLINE_OTHER, MP_SRCLINE_BROKEN */
};

void mp_srcline_modules_init(struct mp_srcline_modules *m);
void mp_srcline_modules_release(struct mp_srcline_modules *m);

/* Handles a control line that describes a module; ignores other ones. */
void mp_srcline_modules_note(struct mp_srcline_modules *m, json_t *line);

/*
 * What is at a place, as mp_dwarf_lines() answers. Returns the length of the answer; 0: there is no
 * line information.
 */
size_t mp_srcline_modules_lines(struct mp_srcline_modules *m, const struct mp_place *place,
				char answer[MP_JAIL_ANSWER_MAX]);

/* Reports the modules and the named files that gave nothing. Returns the status for main. */
enum mp_status mp_srcline_modules_report(const struct mp_srcline_modules *m);

#endif
