// SPDX-License-Identifier: GPL-2.0-only
#include "lib/diff/dists.h"

#include <math.h>
#include <stdlib.h>

#include "lib/diff/variance.h"

void mp_diff_dists_init(struct mp_diff_dists *d, size_t n_before, size_t n_after,
			const struct mp_fields *by)
{
	struct mp_buf text = { NULL, 0, 0 };
	size_t i;

	*d = (struct mp_diff_dists){ .n = n_before + n_after, .n_before = n_before, .by = by };
	mp_map_init(&d->keys, sizeof(uint32_t));
	if (by)
		d->missing = mp_alloc(by->n * sizeof(*d->missing));
	for (i = 0; by && i < by->n; i++, text.len = 0) {
		mp_buf_printf(&text, "[no %.*s]", MP_STR_ARGS(by->v[i].name));
		d->missing[i] = mp_arena_str(&d->texts, mp_buf_view(&text));
	}
	mp_buf_release(&text);
}

void mp_diff_dists_release(struct mp_diff_dists *d)
{
	size_t i;

	for (i = 0; i < d->keys.n * d->n; i++)
		mp_loghist_release(&d->hists[i]);
	free(d->hists);
	free(d->key);
	free(d->parts);
	free(d->missing);
	mp_arena_release(&d->texts);
	free(d->field);
	mp_map_release(&d->keys);
	*d = (struct mp_diff_dists){ .n = 0 };
}

struct mp_str mp_diff_dists_key(const struct mp_diff_dists *d, uint32_t key)
{
	return d->key[key]->key;
}

/* The histograms of a key: one of each run. */
static struct mp_loghist *hists_of(const struct mp_diff_dists *d, uint32_t key)
{
	const uint32_t *number = mp_map_value(d->key[key]);

	return d->hists + *number * d->n;
}

uint64_t mp_diff_dists_count(const struct mp_diff_dists *d, size_t run, size_t end)
{
	uint64_t sum = 0;
	size_t i, at;

	for (i = 0; i < d->keys.n; i++)
		for (at = run; at < end; at++)
			sum = mp_count_sum(sum, d->hists[i * d->n + at].n);
	return sum;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* The values of the fields of a key, or of all fields that are not of mp-hist itself. */
static size_t find_key(struct mp_diff_dists *d, const struct mp_rec *rec)
{
	struct mp_str rest = rec->body, name, value;
	size_t n = 0, i;

	if (d->by) {
		d->parts = mp_grow(d->parts, &d->parts_cap, d->by->n, sizeof(*d->parts));
		mp_rec_names(rec, d->by, d->parts);
		for (i = 0; i < d->by->n; i++)
			if (!d->parts[i].p)
				d->parts[i] = d->missing[i];
		return d->by->n;
	}
	while (mp_rec_next_field(&rest, &name, &value)) {
		if (mp_str_starts(name, MP_STR("hist_")))
			continue;
		d->parts = mp_grow(d->parts, &d->parts_cap, n + 1, sizeof(*d->parts));
		d->parts[n++] = value;
	}
	return n;
}

/* The histograms for a line, one of each run; NULL: its key has a bad escape. */
static struct mp_loghist *hists_for(struct mp_diff_dists *d, const struct mp_rec *rec)
{
	struct mp_map_entry *e;
	uint32_t *number;
	size_t n = find_key(d, rec), i;
	bool fresh;

	for (i = 0; i < n; i++)
		if (mp_esc_check(d->parts[i]) < 0)
			return NULL;
	e = mp_map_put(&d->keys, d->parts, n, &fresh);
	number = mp_map_value(e);
	if (fresh) {
		*number = d->keys.n - 1;
		d->key = mp_grow(d->key, &d->key_cap, d->keys.n, sizeof(struct mp_map_entry *));
		d->key[*number] = e;
		d->hists = mp_grow(d->hists, &d->hists_cap, d->keys.n, d->n * sizeof(*d->hists));
		memset(d->hists + *number * d->n, 0, d->n * sizeof(*d->hists));
	}
	return d->hists + *number * d->n;
}

int mp_diff_dists_add(struct mp_diff_dists *d, size_t run, const struct mp_rec *rec,
		      const char **why)
{
	static const struct mp_field measured = MP_FIELD_OF(KEY, "hist_field");
	static const struct mp_field part = MP_FIELD_OF(KEY, "hist_part");
	static const struct mp_field linear = MP_FIELD_OF(KEY, "hist_linear");
	static const struct mp_field over = MP_FIELD_OF(KEY, "hist_over");
	struct mp_loghist *hists;
	struct mp_str field, text;

	if (mp_rec_get(rec, &linear, &text) || mp_rec_get(rec, &over, &text))
		return 0;
	if (!mp_rec_get(rec, &part, &text) || !mp_rec_get(rec, &measured, &field)) {
		*why = "neither a count nor a distribution of mp-hist";
		return -1;
	}
	if (!d->field)
		d->field = mp_strndup(field.p, field.len);
	if (!mp_str_eq(field, mp_str(d->field))) {
		*why = "a distribution of another field than the first one";
		return -1;
	}
	hists = hists_for(d, rec);
	if (!hists) {
		*why = "bad escape or control byte";
		return -1;
	}
	if (mp_loghist_read(&hists[run], text) < 0) {
		*why = "bad distribution";
		return -1;
	}
	return 0;
}

/* --- comparing -------------------------------------------------------------------------------- */

/* The relative error of a percentile, see loghist.h, which is assumed for means, too. */
static const double known_to = 0.004;

static double value_of(const struct mp_loghist *h, enum mp_diff_of of)
{
	switch (of) {
	case MP_DIFF_P50:
		return mp_loghist_percentile(h, 0.5);
	case MP_DIFF_P99:
		return mp_loghist_percentile(h, 0.99);
	default:
		return mp_loghist_mean(h);
	}
}

static void set_side(struct mp_diff_side *s, const struct mp_loghist *hists, size_t n,
		     enum mp_diff_of of)
{
	double squares = 0;
	size_t i;

	*s = (struct mp_diff_side){ .n = n };
	for (i = 0; i < n; i++)
		s->mean += value_of(&hists[i], of) / (double)n;
	for (i = 0; i < n; i++) {
		double off = value_of(&hists[i], of) - s->mean;

		squares += off * off;
	}
	s->variance = n > 1 ? squares / (double)(n - 1) : 0;
	s->sampling = known_to * s->mean * known_to * s->mean;
}

/* The rows of one kind for the keys, with their errors if there are enough runs. */
static void add_rows(const struct mp_diff_dists *d, const uint32_t *keys, size_t n,
		     enum mp_diff_of of, struct mp_diff *to, struct mp_compare_error *errors)
{
	struct mp_diff_pair *pairs = mp_zalloc(n * sizeof(*pairs));
	size_t i;

	for (i = 0; i < n; i++) {
		const struct mp_loghist *hists = hists_of(d, keys[i]);
		struct mp_diff_side *side = pairs[i].side;

		set_side(&side[0], hists, d->n_before, of);
		set_side(&side[1], hists + d->n_before, d->n - d->n_before, of);
		pairs[i].scale = fabs(side[0].mean + side[1].mean) / 2;
		pairs[i].common = true;
	}
	if (to->test == MP_DIFF_WELCH)
		mp_diff_variances(pairs, n, MP_DIFF_NUMBERS);
	for (i = 0; i < n; i++)
		errors[i] = mp_diff_add_tested(to, of, keys[i], &pairs[i]);
	free(pairs);
}

/* The keys that are compared. Returns how many; those that some run lacks are in `*lacking`. */
static size_t choose_keys(const struct mp_diff_dists *d, double min_share, uint32_t *keys,
			  size_t *lacking)
{
	double least = min_share * (double)mp_diff_dists_count(d, 0, d->n);
	size_t n = 0, i, run;

	*lacking = 0;
	for (i = 0; i < d->keys.n; i++) {
		const struct mp_loghist *hists = hists_of(d, i);
		bool in_all = true;
		double sum = 0;

		for (run = 0; run < d->n; run++) {
			in_all &= hists[run].n > 0;
			sum += (double)hists[run].n;
		}
		*lacking += !in_all && sum >= least;
		if (in_all && sum >= least)
			keys[n++] = i;
	}
	return n;
}

static int by_key(const void *a, const void *b)
{
	return mp_str_cmp((*(struct mp_map_entry *const *)a)->key,
			  (*(struct mp_map_entry *const *)b)->key);
}

size_t mp_diff_dists_make(struct mp_diff_dists *d, struct mp_diff *to)
{
	uint32_t *keys = mp_alloc(d->keys.n * sizeof(*keys));
	struct mp_compare_error *errors;
	enum mp_diff_of of;
	size_t n, lacking;

	to->measure = MP_DIFF_NUMBER;
	to->test = d->n_before >= 3 && d->n - d->n_before >= 3 ? MP_DIFF_WELCH : MP_DIFF_NONE;
	if (d->keys.n)
		qsort(d->key, d->keys.n, sizeof(struct mp_map_entry *), by_key);
	n = choose_keys(d, to->min_share, keys, &lacking);
	errors = mp_alloc(3 * n * sizeof(*errors));
	for (of = MP_DIFF_MEAN; of <= MP_DIFF_P99; of++)
		add_rows(d, keys, n, of, to, errors + to->n);
	mp_diff_decide(to, errors);
	free(errors);
	free(keys);
	return lacking;
}
