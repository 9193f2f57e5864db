/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The page of two recordings: runs the pipelines of its parts, or prints them. Includes contrast,
 * recorded.
 */
#ifndef MP_SHOW_CONTRAST_PAGE_H
#define MP_SHOW_CONTRAST_PAGE_H

#include "lib/show/contrast.h"
#include "lib/show/recorded.h"

struct mp_contrast_page {
	struct mp_pipeline pipeline; /* mp-page with what was added so far */
	struct mp_recorded *recorded[2];
	const struct mp_stage *select; /* mp-select, as for mp_recorded_head() */
	const char *stem;	       /* of the names of files that are printed */
	char *base[2];		       /* of the part before: the files that are compared */
	enum mp_status status;
};

void mp_contrast_page_init(struct mp_contrast_page *page, const struct mp_contrast_side *sides);
void mp_contrast_page_release(struct mp_contrast_page *page);

/* Adds a text. */
void mp_contrast_page_text(struct mp_contrast_page *page, struct mp_str text, const char *title);

/* Runs the pipelines of a part into temporary files, which the page gets. */
void mp_contrast_page_add(struct mp_contrast_page *page, const struct mp_contrast *part,
			  const struct mp_contrast_side *sides);

/* Adds the lines for a shell that do so. */
void mp_contrast_page_print(struct mp_buf *to, struct mp_contrast_page *page,
			    const struct mp_contrasts *parts, const struct mp_contrast_side *sides);

#endif
