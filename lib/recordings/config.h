/* SPDX-License-Identifier: GPL-2.0-only */
/* A user's choices for mp-show, in ~/.config/mp/show. Includes str, map. */
#ifndef MP_RECORDINGS_CONFIG_H
#define MP_RECORDINGS_CONFIG_H

#include "lib/core/map.h"

struct mp_config {
	uint64_t keep;	     /* how many recordings are kept */
	uint64_t keep_ns;    /* how long */
	bool open;	     /* the picture is opened */
	char *as;	     /* the form of a picture; NULL: what the collector says */
	struct mp_map shown; /* of collectors, to char *: a form or a pipeline */
};

/* Reads the file. A wrong line ends the program with a message. */
void mp_config_read(struct mp_config *c);
void mp_config_release(struct mp_config *c);

/* What the user wants to see of a collector; NULL: nothing was chosen. */
const char *mp_config_shown(const struct mp_config *c, struct mp_str collector);

#endif
