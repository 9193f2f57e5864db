/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording as one HTML file: its strip over time, flame graph, histogram and tables, which a
 * script links, and below it pictures and texts of other programs. Includes added, cells, tree,
 * rec.
 */
#ifndef MP_PAGE_PAGE_H
#define MP_PAGE_PAGE_H

#include "lib/page/added.h"
#include "lib/page/cells.h"
#include "lib/stream/rec.h"
#include "lib/tree/tree.h"

struct mp_page {
	const struct mp_tree *tree;  /* finished; weights are numbers of events */
	struct mp_page_cells *cells; /* finished; stacks are nodes of the tree */
	/* not escaped; `nothing`: why there is nothing to show */
	struct mp_str title, subtitle, nothing;
	const struct mp_fields *by; /* the fields of a task, the first frames of each stack */
	struct mp_str measure;	    /* the field that was measured; len 0: none */
	const char *unit;	    /* of its numbers */
	bool weighed;		    /* its sums are the first widths of the flame graph */
	const char *types;	    /* argument of -e, or NULL */
	char *const *files;	    /* operands */
	const struct mp_page_added *added;
	bool only_parts; /* no recording was read */
};

/*
 * Appends the page. Its packed data have at most `limit` bytes, for which bins become wider if they
 * must.
 */
void mp_page_html(struct mp_buf *to, const struct mp_page *p, size_t limit);

#endif
