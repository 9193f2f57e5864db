/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The values of a field that divides a heat map, each of which has a plane of the grid: panels, or
 * hues. Includes grid.
 */
#ifndef MP_HEATMAP_GROUP_H
#define MP_HEATMAP_GROUP_H

#include "lib/heatmap/grid.h"

/*
 * When there are MP_GROUPS_MAX of them, the lighter half is merged into plane 0, which is that of
 * "other".
 */
enum { MP_GROUPS_MAX = 48 };

struct mp_group {
	struct mp_str name; /* owned; escaped as in the stream */
	uint64_t weight;    /* UINT64_MAX if it is larger */
	size_t plane;
};

struct mp_groups {
	struct mp_group v[MP_GROUPS_MAX];
	size_t n;
	size_t last; /* the group of the previous record */
	/* names that were merged into "other"; one that occurs again is counted again */
	uint64_t merged;
};

/* Selects the plane of a name for a record of this weight. */
void mp_groups_select(struct mp_groups *groups, struct mp_grid *g, struct mp_str name,
		      uint64_t weight);

/* Puts the groups in order: the heaviest first; of equals by name. */
void mp_groups_sort(struct mp_groups *groups);
void mp_groups_release(struct mp_groups *groups);

#endif
