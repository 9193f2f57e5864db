// SPDX-License-Identifier: GPL-2.0-only
#include "lib/heatmap/group.h"

#include <stdlib.h>

static int by_weight(const void *a, const void *b)
{
	const struct mp_group *x = a, *y = b;

	if (x->weight != y->weight)
		return x->weight < y->weight ? 1 : -1;
	return mp_str_cmp(x->name, y->name);
}

void mp_groups_sort(struct mp_groups *groups)
{
	qsort(groups->v, groups->n, sizeof(groups->v[0]), by_weight);
	groups->last = 0;
}

/* Merges the lighter half into "other", and makes its planes free. */
static void prune(struct mp_groups *groups, struct mp_grid *g)
{
	mp_groups_sort(groups);
	while (groups->n > MP_GROUPS_MAX / 2) {
		struct mp_group *last = &groups->v[--groups->n];

		mp_grid_merge_plane(g, last->plane);
		free((void *)last->name.p);
		groups->merged++;
	}
}

/* A plane that no group has, from 1 on. */
static size_t free_plane(const struct mp_groups *groups)
{
	bool taken[MP_GROUPS_MAX + 1] = { true };
	size_t i;

	for (i = 0; i < groups->n; i++)
		taken[groups->v[i].plane] = true;
	for (i = 1; taken[i]; i++)
		;
	return i;
}

static size_t find(struct mp_groups *groups, struct mp_grid *g, struct mp_str name)
{
	size_t i;

	for (i = 0; i < groups->n; i++)
		if (mp_str_eq(groups->v[i].name, name))
			return i;
	if (groups->n == MP_GROUPS_MAX)
		prune(groups, g);
	i = free_plane(groups);
	groups->v[groups->n] =
		(struct mp_group){ { mp_strndup(name.p, name.len), name.len }, 0, i };
	return groups->n++;
}

void mp_groups_select(struct mp_groups *groups, struct mp_grid *g, struct mp_str name,
		      uint64_t weight)
{
	struct mp_group *group;

	name.len = MP_MIN(name.len, (size_t)MP_GRID_NAME_MAX);
	if (!groups->n || !mp_str_eq(groups->v[groups->last].name, name))
		groups->last = find(groups, g, name);
	group = &groups->v[groups->last];
	group->weight = mp_count_sum(group->weight, weight);
	mp_grid_select_plane(g, group->plane);
}

void mp_groups_release(struct mp_groups *groups)
{
	size_t i;

	for (i = 0; i < groups->n; i++)
		free((void *)groups->v[i].name.p);
	groups->n = 0;
}
