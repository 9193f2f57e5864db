// SPDX-License-Identifier: GPL-2.0-only
#include "lib/fold/merge.h"

#include <endian.h>
#include <stdlib.h>

size_t mp_fold_shared(struct mp_str a, struct mp_str b)
{
	size_t n = MP_MIN(a.len, b.len), i;
	uint64_t x, y;

	for (i = 0; i + sizeof(x) <= n; i += sizeof(x)) {
		memcpy(&x, a.p + i, sizeof(x));
		memcpy(&y, b.p + i, sizeof(y));
		if (x != y)
			return i + __builtin_ctzll(htole64(x ^ y)) / 8;
	}
	while (i < n && a.p[i] == b.p[i])
		i++;
	return i;
}

/*
 * Whether the line of one player comes before that of the other, or is equal. Both ranks concern the
 * same earlier line; that of the loser then concerns the winner.
 */
static bool beats(const struct mp_fold_merge *m, struct mp_fold_player *a, struct mp_fold_player *b)
{
	struct mp_str x, y;
	size_t at;

	if (a->rank != b->rank || a->rank == 0)
		return a->rank > b->rank;
	x = mp_str_skip(mp_buf_view(&m->runs[a->run]->line), a->rank - 1);
	y = mp_str_skip(mp_buf_view(&m->runs[b->run]->line), a->rank - 1);
	at = mp_fold_shared(x, y);
	if (at == x.len || (at < y.len && (unsigned char)x.p[at] < (unsigned char)y.p[at])) {
		b->rank += at;
		return true;
	}
	a->rank += at;
	return false;
}

/* Lets a player meet the loser of a node. Returns the winner. */
static struct mp_fold_player play(struct mp_fold_merge *m, size_t node, struct mp_fold_player one)
{
	struct mp_fold_player other = m->losers[node];

	if (beats(m, &one, &other)) {
		m->losers[node] = other;
		return one;
	}
	m->losers[node] = one;
	return other;
}

/* Reads the next line of a run, or frees the run. */
static struct mp_fold_player read_line(struct mp_fold_merge *m, size_t run)
{
	if (mp_fold_run_next(m->runs[run]))
		return (struct mp_fold_player){ run, 1 + m->runs[run]->kept };
	mp_fold_run_free(m->runs[run]);
	m->runs[run] = NULL;
	return (struct mp_fold_player){ run, 0 };
}

/* Plays all matches that lead to a node; the runs are nodes from n on. Returns the winner. */
static struct mp_fold_player play_all(struct mp_fold_merge *m, size_t node)
{
	if (node >= m->n)
		return read_line(m, node - m->n);
	m->losers[node] = play_all(m, 2 * node);
	return play(m, node, play_all(m, 2 * node + 1));
}

void mp_fold_merge_init(struct mp_fold_merge *m, struct mp_fold_run **runs, size_t n)
{
	*m = (struct mp_fold_merge){ .runs = runs, .n = n };
	m->losers = mp_alloc(MP_MAX(n, (size_t)1) * sizeof(*m->losers));
	if (n)
		m->first = play_all(m, 1);
}

void mp_fold_merge_next(struct mp_fold_merge *m)
{
	size_t node = (m->first.run + m->n) / 2;
	struct mp_fold_player player = read_line(m, m->first.run);

	for (; node; node /= 2)
		player = play(m, node, player);
	m->first = player;
}

void mp_fold_merge_release(struct mp_fold_merge *m)
{
	free(m->losers);
}
