// SPDX-License-Identifier: GPL-2.0-only
#include "lib/diff/facts.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/stream/unit.h"

void mp_diff_facts_control(struct mp_diff_facts *f, const struct mp_ctl *ctl)
{
	json_int_t end;

	if (ctl->what == MP_CTL_HEADER && !f->header)
		f->header = json_incref(ctl->json);
	if (ctl->what != MP_CTL_END || !f->header)
		return;
	end = json_integer_value(json_object_get(ctl->json, "time")) -
	      json_integer_value(json_object_get(f->header, "clock_ns"));
	if (json_is_integer(json_object_get(ctl->json, "time")) &&
	    json_is_integer(json_object_get(f->header, "clock_ns")) && end > 0)
		f->length_ns = end;
}

void mp_diff_facts_release(struct mp_diff_facts *f)
{
	json_decref(f->header);
	f->header = NULL;
}

/* --- lengths and losses ----------------------------------------------------------------------- */

/* The mean length of runs, or 0 if one is not known. */
static double mean_length(const struct mp_diff_facts *facts, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		if (!facts[i].length_ns)
			return 0;
		sum += (double)facts[i].length_ns;
	}
	return sum / (double)n;
}

static void report_lengths(const struct mp_diff_facts *facts, const struct mp_diff_runs *r)
{
	double before = mean_length(facts, r->n_before);
	double after = mean_length(facts + r->n_before, r->n - r->n_before);
	char a[MP_UNIT_MAX], b[MP_UNIT_MAX];

	if (!before || !after || (before < 1.1 * after && after < 1.1 * before))
		return;
	mp_unit_put(a, "ns", before);
	mp_unit_put(b, "ns", after);
	mp_say("runs have different durations: %s before, %s after", a, b);
}

static uint64_t sum_lost(const struct mp_diff_facts *facts, size_t n)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum = mp_count_sum(sum, facts[i].lost);
	return sum;
}

static void report_losses(const struct mp_diff_facts *facts, const struct mp_diff_runs *r)
{
	uint64_t before = sum_lost(facts, r->n_before);
	uint64_t after = sum_lost(facts + r->n_before, r->n - r->n_before);

	if (before != after)
		mp_say("sides lost different numbers of events: %llu before, %llu after",
		       (unsigned long long)before, (unsigned long long)after);
}

/* --- what the headers say --------------------------------------------------------------------- */

/* A value of a header as text, which the caller frees. */
static char *text_of(const json_t *value)
{
	return json_is_string(value) ? mp_strdup(json_string_value(value))
				     : mp_asprintf("%lld", (long long)json_integer_value(value));
}

/* Compares a key of the headers with that of the first header that has it. */
static void report_key(const struct mp_diff_facts *facts, size_t n, const char *key,
		       const char *what)
{
	const struct mp_diff_facts *first = NULL;
	size_t i;

	for (i = 0; i < n; i++) {
		const json_t *value = json_object_get(facts[i].header, key), *other;
		char *a, *b;

		if (!json_is_string(value) && !json_is_integer(value))
			continue;
		if (!first)
			first = &facts[i];
		other = json_object_get(first->header, key);
		if (json_equal(value, other))
			continue;
		a = text_of(other);
		b = text_of(value);
		mp_say("runs have different %s: %s in '%s', %s in '%s'", what, a, first->name, b,
		       facts[i].name);
		free(a);
		free(b);
		return;
	}
}

/* --- first frames ----------------------------------------------------------------------------- */

enum { NAMED_MAX = 5, NAME_MAX_BYTES = 60 }; /* names of a side that are printed */

/* The weight of a first frame on both sides. */
struct first {
	uint32_t name;
	double before, after;
};

/* Heaviest on the one side first. */
static int by_weight(const void *a, const void *b)
{
	const struct first *x = a, *y = b;
	double p = x->before + x->after, q = y->before + y->after;

	if (p != q)
		return p > q ? -1 : 1;
	return x->name < y->name ? -1 : x->name > y->name;
}

/* The name of the first frame of each stack: stacks are in order, so these are together. */
static size_t add_first(const struct mp_diff_runs *r, struct first **v)
{
	size_t n = 0, cap = 0, path_cap = 0, stack, i;
	uint32_t *path = NULL;

	*v = NULL;
	for (stack = 0; stack < r->n_stacks; stack++) {
		const int64_t *weights = mp_diff_runs_of(r, stack);

		if (!mp_diff_runs_path(r, stack, &path, &path_cap))
			continue;
		if (!n || (*v)[n - 1].name != path[0]) {
			*v = mp_grow(*v, &cap, n + 1, sizeof(**v));
			(*v)[n++] = (struct first){ .name = path[0] };
		}
		for (i = 0; i < r->n_before; i++)
			(*v)[n - 1].before += (double)weights[i];
		for (; i < r->n; i++)
			(*v)[n - 1].after += (double)weights[i];
	}
	free(path);
	return n;
}

/* Prints the names that have at least 1 % of one side, and nothing of the other. */
static void report_side(const struct mp_diff_runs *r, const struct first *v, size_t n, bool before)
{
	struct mp_buf names = { NULL, 0, 0 };
	size_t named = 0, i;
	struct mp_str name;
	double total = 0;

	for (i = 0; i < n; i++)
		total += before ? v[i].before : v[i].after;
	for (i = 0; i < n; i++) {
		double here = before ? v[i].before : v[i].after;
		double there = before ? v[i].after : v[i].before;

		if (there != 0 || here < total / 100 || named++ >= NAMED_MAX)
			continue;
		name = mp_tree_name(&r->tree, v[i].name).name;
		mp_buf_printf(&names, "%s'%.*s' (%.1f %%)", named > 1 ? ", " : "",
			      (int)MP_MIN(name.len, (size_t)NAME_MAX_BYTES), name.p,
			      100 * here / total);
	}
	if (named)
		mp_say("first frames (tasks) only %s: %.*s%s", before ? "before" : "after",
		       MP_STR_ARGS(names), named > NAMED_MAX ? " and others" : "");
	mp_buf_release(&names);
}

static void report_first(const struct mp_diff_runs *r)
{
	struct first *v;
	size_t n = add_first(r, &v);

	if (n)
		qsort(v, n, sizeof(*v), by_weight);
	report_side(r, v, n, true);
	report_side(r, v, n, false);
	free(v);
}

void mp_diff_facts_report(const struct mp_diff_facts *facts, const struct mp_diff_runs *runs)
{
	report_lengths(facts, runs);
	report_losses(facts, runs);
	report_key(facts, runs->n, "cpus", "numbers of CPUs");
	report_key(facts, runs->n, "kernel", "kernels");
	report_key(facts, runs->n, "machine", "architectures");
	report_first(runs);
}
