/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A timeline as one HTML file, which a script draws on a canvas. Includes timeline.
 */
#ifndef MP_TIMELINE_TIMELINEHTML_H
#define MP_TIMELINE_TIMELINEHTML_H

#include "lib/core/io.h"
#include "lib/timeline/timeline.h"

struct mp_timeline_page {
	struct mp_str title, subtitle; /* raw; the subtitle says why a picture is empty */
	const char *file;	       /* the only input, for commands; NULL: unknown */
};

void mp_timelinehtml(struct mp_out *out, struct mp_timeline *t,
		     const struct mp_timeline_page *page);

#endif
