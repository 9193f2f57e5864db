/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The expressions of a selection as the text of a filter, for the header of the output: `filters`
 * in mp-stream(5). Includes expr.
 */
#ifndef MP_SELECT_FILTERTEXT_H
#define MP_SELECT_FILTERTEXT_H

#include "lib/stream/expr.h"

struct mp_select_filters {
	struct mp_expr **exprs; /* borrowed */
	size_t n;
	bool invert;  /* events for which not all hold */
	bool thinned; /* and of these, only some */
};

/* The events of a type that pass. */
enum mp_select_passed { MP_SELECT_NONE, MP_SELECT_SOME, MP_SELECT_ALL };

/*
 * Says which events of this type (NULL: of any type) pass, which has the fields that a header lists
 * (NULL: unknown). If some pass, adds the filter that they have passed, in the kernel's syntax,
 * with `?` for each condition that it cannot express.
 */
enum mp_select_passed mp_select_filter_text(struct mp_buf *to, const struct mp_select_filters *f,
					    const char *type, json_t *fields);

#endif
