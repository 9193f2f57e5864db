/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Draws a stack of areas (stackgrid.h) as one SVG: axes, a legend in the order of the picture, and
 * a script that shows the values under the pointer or the arrow keys. Includes stackgrid, svg,
 * unit.
 */
#ifndef MP_STACKPLOT_STACKDRAW_H
#define MP_STACKPLOT_STACKDRAW_H

#include "lib/draw/svg.h"
#include "lib/stackplot/stackgrid.h"
#include "lib/stream/unit.h"

struct mp_stackdraw {
	struct mp_str title;	/* raw */
	struct mp_str subtitle; /* raw; may be empty */
	bool percent;		/* draws shares of the bin, not values */
	/* values are averages: the legend has the average of each layer, not its sum */
	bool mean;
	bool is_time;		   /* x in ns, shown as time since the first bin */
	const char *x_unit, *unit; /* units of x and of the values, see unit.h */
	/*
	 * values are time spent, and drawn as time per time: what that is, such as "CPUs"; or NULL
	 */
	const char *rate;
	struct mp_str y_title; /* raw */
	struct mp_str x_title; /* raw */
	/* for the command that selects a range of bins, see mp-select(1) */
	struct mp_str x_field;
	const char *events; /* globs of -e, or NULL */
	bool spread;	    /* spans are in all bins that they cover */
	char **files;	    /* operands, up to NULL */
};

void mp_stackdraw_svg(struct mp_buf *to, const struct mp_stackplot *s,
		      const struct mp_stackdraw *d);

/* Writes the width of a bin with its unit: "20 ms". */
void mp_stackdraw_width(char to[MP_UNIT_MAX], const struct mp_stackplot *s,
			const struct mp_stackdraw *d);

#endif
