// SPDX-License-Identifier: GPL-2.0-only
#include "lib/diff/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/stream/unit.h"

/* A line that is being made, with room for what its parts need. */
struct line {
	struct mp_buf text;
	uint32_t *path;
	size_t path_cap;
};

static void release(struct line *l)
{
	mp_buf_release(&l->text);
	free(l->path);
}

static void write_line(struct line *l, struct mp_out *out)
{
	mp_buf_byte(&l->text, '\n');
	mp_out_write(out, l->text.p, l->text.len);
	l->text.len = 0;
}

static bool is_listed(const struct mp_diff_table *t, const struct mp_diff_row *row)
{
	return t->all || row->significant || t->diff->test == MP_DIFF_NONE;
}

/* --- names ------------------------------------------------------------------------------------ */

/* Adds a name for people. */
static void add_shown(struct mp_buf *to, struct mp_frame f)
{
	mp_esc_terminal(to, f.name.len ? f.name : MP_STR("(empty)"));
	if (f.mark != MP_MARK_NONE)
		mp_buf_printf(to, "_[%c]", f.mark);
}

/* Adds a name as folded text has it. */
static void add_exact(struct mp_buf *to, struct mp_frame f)
{
	mp_buf_reserve(to, 4 * f.name.len + 12);
	to->len = mp_frame_put_folded(to->p + to->len, f.name, f.mark) - to->p;
}

static void add_stack(struct line *l, const struct mp_diff_runs *r, size_t stack,
		      void (*add)(struct mp_buf *to, struct mp_frame f))
{
	size_t n = mp_diff_runs_path(r, stack, &l->path, &l->path_cap), i;

	for (i = 0; i < n; i++) {
		if (i)
			mp_buf_byte(&l->text, ';');
		add(&l->text, mp_tree_name(&r->tree, l->path[i]));
	}
}

/* Adds the values of a key, with blanks between them: for people, or as they are in the stream. */
static void add_key(struct line *l, struct mp_str key, bool shown)
{
	struct mp_buf text = { NULL, 0, 0 }, raw = { NULL, 0, 0 };
	size_t i;

	mp_buf_str(&text, key);
	for (i = 0; i < text.len; i++)
		if (text.p[i] == '\t')
			text.p[i] = ' ';
	if (shown) {
		mp_esc_undo(&raw, mp_buf_view(&text));
		mp_esc_terminal(&l->text, mp_buf_view(&raw));
	} else {
		mp_buf_str(&l->text, mp_buf_view(&text));
	}
	mp_buf_release(&raw);
	mp_buf_release(&text);
}

static void add_name(struct line *l, const struct mp_diff_table *t, const struct mp_diff_row *row,
		     void (*add)(struct mp_buf *to, struct mp_frame f))
{
	if (t->dists)
		add_key(l, mp_diff_dists_key(t->dists, row->id), add == add_shown);
	else if (row->of == MP_DIFF_ALL)
		mp_buf_str(&l->text, MP_STR("[all]"));
	else if (row->of == MP_DIFF_STACK)
		add_stack(l, t->runs, row->id, add);
	else
		add(&l->text, mp_tree_name(&t->runs->tree, row->id));
}

static const char *of_name(enum mp_diff_of of)
{
	static const char *const names[] = {
		[MP_DIFF_ALL] = "total",  [MP_DIFF_SELF] = "self", [MP_DIFF_TOTAL] = "total",
		[MP_DIFF_STACK] = "self", [MP_DIFF_MEAN] = "mean", [MP_DIFF_P50] = "p50",
		[MP_DIFF_P99] = "p99",
	};

	return names[of];
}

/* The heading of the column of names. */
static const char *name_of(const struct mp_diff_table *t)
{
	return t->dists ? "key" : t->diff->stacks ? "stack" : "function";
}

/* --- text ------------------------------------------------------------------------------------- */

enum { CELL_MAX = MP_UNIT_MAX + 1 }; /* a value with a sign */

static void put_value(char to[MP_UNIT_MAX], const struct mp_diff_table *t, double v)
{
	if (t->diff->measure == MP_DIFF_SHARE)
		snprintf(to, MP_UNIT_MAX, "%.2f %%", 100 * v);
	else
		mp_unit_put(to, t->unit, v);
}

static void put_change(char to[CELL_MAX], const struct mp_diff_table *t, double v)
{
	to[0] = '+';
	put_value(v > 0 ? to + 1 : to, t, v);
}

/* Adds a text, with blanks before it. */
static void add_cell(struct mp_buf *to, int width, const char *text)
{
	size_t start = to->len, len;

	mp_esc_terminal(to, mp_str(text));
	len = to->len - start;
	if (len >= (size_t)width)
		return;
	mp_buf_printf(to, "%*s", width - (int)len, "");
	memmove(to->p + to->len - len, to->p + start, len);
	memset(to->p + start, ' ', width - len);
}

static void add_ratio(struct mp_buf *to, const struct mp_diff_row *row)
{
	if (row->before == 0)
		mp_buf_printf(to, "%8s", "new");
	else if (row->after == 0)
		mp_buf_printf(to, "%8s", "gone");
	else if (row->before > 0 && row->after > 0 && row->after / row->before < 1e4)
		mp_buf_printf(to, "%8.3f", row->after / row->before);
	else
		mp_buf_printf(to, "%8s", "");
}

static void add_interval(struct mp_buf *to, const struct mp_diff_table *t,
			 const struct mp_diff_row *row)
{
	char low[CELL_MAX], high[CELL_MAX], both[2 * CELL_MAX + 3];

	put_change(low, t, row->difference - row->margin);
	put_change(high, t, row->difference + row->margin);
	snprintf(both, sizeof(both), "%s .. %s", low, high);
	add_cell(to, 25, both);
}

static void write_row(struct line *l, const struct mp_diff_table *t, const struct mp_diff_row *row,
		      struct mp_out *out)
{
	bool starred = t->all && row->significant;
	char cell[CELL_MAX];

	put_value(cell, t, row->before);
	add_cell(&l->text, 10, cell);
	put_value(cell, t, row->after);
	add_cell(&l->text, 11, cell);
	put_change(cell, t, row->difference);
	add_cell(&l->text, 12, cell);
	if (t->all && t->diff->test != MP_DIFF_NONE)
		mp_buf_str(&l->text, starred ? MP_STR(" *") : MP_STR("  "));
	if (t->diff->test == MP_DIFF_WELCH)
		add_interval(&l->text, t, row);
	add_ratio(&l->text, row);
	if (!t->diff->stacks)
		mp_buf_printf(&l->text, "  %-5s", of_name(row->of));
	mp_buf_str(&l->text, MP_STR("  "));
	add_name(l, t, row, add_shown);
	write_line(l, out);
}

static void write_names(struct line *l, const struct mp_diff_table *t, struct mp_out *out)
{
	mp_buf_printf(&l->text, "%10s%11s%12s", "before", "after", "difference");
	if (t->all && t->diff->test != MP_DIFF_NONE)
		mp_buf_str(&l->text, MP_STR("  "));
	if (t->diff->test == MP_DIFF_WELCH)
		mp_buf_printf(&l->text, "%25s", "interval");
	mp_buf_printf(&l->text, "%8s", "ratio");
	mp_buf_printf(&l->text, "%s  %s", t->diff->stacks ? "" : "  of   ", name_of(t));
	write_line(l, out);
}

static void add_side(struct mp_buf *to, const struct mp_diff_table *t, const char *name,
		     size_t first, size_t end)
{
	double sum = t->dists ? (double)mp_diff_dists_count(t->dists, first, end) : 0;
	char text[MP_UNIT_MAX];
	size_t i;

	for (i = first; !t->dists && i < end; i++)
		sum += (double)t->runs->total[i];
	mp_unit_put(text, t->dists ? "" : t->unit, sum);
	mp_buf_printf(to, "%s: %zu run%s with ", name, end - first, mp_plural(end - first));
	mp_esc_terminal(to, mp_str(text));
	if (t->dists || t->diff->samples)
		mp_buf_printf(to, " %s%s", t->dists ? "number" : "sample", sum == 1 ? "" : "s");
}

static void write_sides(struct line *l, const struct mp_diff_table *t, struct mp_out *out)
{
	static const char *const measures[] = {
		[MP_DIFF_SHARE] = "percent of each run (if one grows, others fall)",
		[MP_DIFF_ABSOLUTE] = "weight of a run",
		[MP_DIFF_WORK] = "weight per unit of work",
	};

	add_side(&l->text, t, "before", 0, t->runs->n_before);
	mp_buf_str(&l->text, MP_STR(", "));
	add_side(&l->text, t, "after", t->runs->n_before, t->runs->n);
	mp_buf_str(&l->text, MP_STR("; "));
	if (t->dists)
		mp_esc_terminal(&l->text, mp_str(t->dists->field));
	else
		mp_buf_str(&l->text, mp_str(measures[t->diff->measure]));
	write_line(l, out);
}

static void write_test(struct line *l, const struct mp_diff_table *t, struct mp_out *out)
{
	const struct mp_diff *d = t->diff;

	if (!d->n) {
		mp_buf_str(&l->text, MP_STR("nothing to compare"));
		write_line(l, out);
		return;
	}
	mp_buf_printf(&l->text, "%zu comparison%s", d->n, mp_plural(d->n));
	if (d->test == MP_DIFF_NONE)
		mp_buf_printf(
			&l->text,
			"; the error of the %s is not known, so nothing is called significant",
			t->dists ? "numbers" : "weights");
	else
		mp_buf_printf(&l->text, ", tested %s at %g %% for all together (Holm)",
			      d->test == MP_DIFF_WELCH ? "by Welch's t" : "as Poisson counts",
			      100 * MP_DIFF_ALPHA);
	write_line(l, out);
	if (d->test != MP_DIFF_WELCH) {
		mp_buf_str(&l->text, MP_STR("three or more runs on each side show how much runs "
					    "vary"));
		if (d->test == MP_DIFF_NONE && !t->dists)
			mp_buf_str(&l->text, MP_STR("; --samples if the weights are numbers of "
						    "samples"));
		write_line(l, out);
	}
	if (d->test != MP_DIFF_NONE && !d->n_significant) {
		mp_buf_str(&l->text, MP_STR("no significant difference"));
		write_line(l, out);
	}
}

void mp_diff_table_text(const struct mp_diff_table *t, struct mp_out *out)
{
	const struct mp_diff *d = t->diff;
	struct line l = { .path = NULL };
	size_t i;

	write_sides(&l, t, out);
	write_test(&l, t, out);
	if (d->n && is_listed(t, &d->rows[0])) {
		write_line(&l, out);
		write_names(&l, t, out);
	}
	for (i = 0; i < d->n; i++)
		if (is_listed(t, &d->rows[i]))
			write_row(&l, t, &d->rows[i], out);
	release(&l);
}

/* --- tab-separated values --------------------------------------------------------------------- */

static void add_number(struct mp_buf *to, double v, bool known)
{
	mp_buf_byte(to, '\t');
	if (known)
		mp_buf_printf(to, "%.9g", v);
}

void mp_diff_table_tsv(const struct mp_diff_table *t, struct mp_out *out)
{
	const struct mp_diff *d = t->diff;
	struct line l = { .path = NULL };
	size_t i;

	mp_buf_printf(&l.text, "%s%s", name_of(t), d->stacks ? "" : "\tof");
	mp_buf_str(&l.text,
		   MP_STR("\tbefore\tafter\tdifference\tratio\tlow\thigh\tp\tsignificant"));
	write_line(&l, out);
	for (i = 0; i < d->n; i++) {
		const struct mp_diff_row *row = &d->rows[i];
		bool welch = d->test == MP_DIFF_WELCH;

		if (!is_listed(t, row))
			continue;
		add_name(&l, t, row, add_exact);
		if (!d->stacks)
			mp_buf_printf(&l.text, "\t%s", of_name(row->of));
		add_number(&l.text, row->before, true);
		add_number(&l.text, row->after, true);
		add_number(&l.text, row->difference, true);
		add_number(&l.text, row->after / row->before, row->before > 0 && row->after >= 0);
		add_number(&l.text, row->difference - row->margin, welch);
		add_number(&l.text, row->difference + row->margin, welch);
		add_number(&l.text, row->p, d->test != MP_DIFF_NONE);
		mp_buf_str(&l.text, row->significant ? MP_STR("\tyes") : MP_STR("\tno"));
		write_line(&l, out);
	}
	release(&l);
}

/* --- folded text ------------------------------------------------------------------------------ */

static double sum_of(const int64_t *weights, size_t n)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += (double)weights[i];
	return sum;
}

uint64_t mp_diff_table_folded(const struct mp_diff_runs *runs, double factor, struct mp_out *out)
{
	struct line l = { .path = NULL };
	uint64_t negative = 0;
	size_t stack;

	for (stack = 0; stack < runs->n_stacks; stack++) {
		const int64_t *weights = mp_diff_runs_of(runs, stack);
		double before = round(sum_of(weights, runs->n_before) * factor);
		double after = sum_of(weights + runs->n_before, runs->n - runs->n_before);

		negative += before < 0 || after < 0;
		if (before <= 0 && after <= 0)
			continue;
		add_stack(&l, runs, stack, add_exact);
		mp_buf_printf(&l.text, " %.0f %.0f", MP_MAX(before, 0), MP_MAX(after, 0));
		write_line(&l, out);
	}
	release(&l);
	return negative;
}
