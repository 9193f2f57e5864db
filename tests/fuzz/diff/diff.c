// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any lines as runs of two sides: the weights of functions themselves add up to those of the runs,
 * each number of a row is one, and no name becomes a column of TSV, a stack of folded text, or a
 * control byte for a terminal.
 */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>

#include "lib/diff/table.h"
#include "lib/fold/fold.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct mp_field comm = MP_FIELD_OF(KEY, "comm");
static const struct mp_fields by = { &comm, 1, 1 };

struct reading {
	struct mp_diff_runs runs;
	struct mp_diff_dists dists;
	size_t run;
};

static void add_stack(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	struct reading *r = arg;

	mp_diff_runs_add(&r->runs, r->run, frames, n, weight);
}

/* Each line is of the next run, in turn; events are of the first. */
static void add_lines(struct reading *r, const char *p, const char *end)
{
	struct mp_fold_style style = { .common_names = true };
	const char *lf, *why;
	struct mp_fold fold;
	struct mp_rec rec;

	mp_fold_init(&fold, &by);
	for (; p < end && (lf = memchr(p, '\n', end - p)); p = lf + 1) {
		r->run = (r->run + 1) % r->runs.n;
		if (mp_rec_parse(&rec, p, lf - p, &why) < 0)
			continue;
		if (rec.kind == MP_EVENT && mp_str_eq(rec.type, MP_STR("mp-hist")))
			mp_diff_dists_add(&r->dists, r->run, &rec, &why);
		else if (rec.kind == MP_EVENT)
			mp_fold_add(&fold, &rec, 1, &why);
		else if (rec.kind == MP_STACK || rec.kind == MP_FOLDED)
			mp_fold_pass(&fold, &style, &rec, add_stack, r, &why);
	}
	r->run = 0;
	mp_fold_each(&fold, &style, add_stack, r);
	mp_fold_release(&fold);
	mp_diff_runs_finish(&r->runs);
}

/* Of weights of 0 and more. */
static void check_sums(const struct mp_diff *d, const struct mp_diff_runs *r)
{
	size_t run, i;

	for (i = 0; i < r->n_stacks * r->n; i++)
		if (r->weights[i] < 0)
			return;
	for (run = 0; run < r->n; run++) {
		int64_t sum = 0;

		for (i = 0; i < d->n; i++)
			if (d->rows[i].of == MP_DIFF_SELF || d->rows[i].of == MP_DIFF_STACK)
				sum += d->rows[i].weights[run];
		/* a row that is all of the runs is not there */
		if (sum && sum != r->total[run])
			abort();
	}
}

static void check_rows(const struct mp_diff *d)
{
	size_t i;

	for (i = 0; i < d->n; i++) {
		const struct mp_diff_row *row = &d->rows[i];

		if (!isfinite(row->before) || !isfinite(row->after) || !isfinite(row->difference) ||
		    !(row->p >= 0 && row->p <= 1) || !(row->margin >= 0) ||
		    row->significant != (i < d->n_significant) ||
		    (row->significant && row->p > MP_DIFF_ALPHA))
			abort();
		/* the interval agrees with the test, but for rounding */
		if (d->test == MP_DIFF_WELCH && isfinite(row->margin) &&
		    row->significant != (fabs(row->difference) >= row->margin) &&
		    fabs(fabs(row->difference) - row->margin) > 1e-6 * row->margin)
			abort();
	}
}

/* What was written, of which the buffer has all if it is not too long. */
static void check_text(struct mp_out *out, int tabs)
{
	size_t in_line = 0, i;

	for (i = 0; i < out->len; i++) {
		unsigned char c = out->buf[i];

		in_line = c == '\n' ? 0 : in_line + (c == '\t');
		if ((c < ' ' && c != '\n' && !(c == '\t' && tabs)) || in_line > (size_t)tabs)
			abort();
	}
	out->len = 0;
}

static void check_output(const struct mp_diff *d, const struct reading *r, bool numbers)
{
	struct mp_diff_table t = { .diff = d, .runs = &r->runs, .unit = "ns", .all = true };
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct mp_out out;

	if (numbers)
		t.dists = &r->dists;
	mp_out_init(&out, fd, "null");
	mp_diff_table_text(&t, &out);
	check_text(&out, 0);
	mp_diff_table_tsv(&t, &out);
	check_text(&out, d->stacks ? 8 : 9);
	mp_diff_table_folded(&r->runs, 1.5, &out);
	check_text(&out, 0);
	mp_out_close(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const double work[] = { 1, 2, 3, 0.5, 1e9, 7, 7, 7 };
	struct mp_diff d = { .work = work };
	struct reading r = { .run = 0 };
	size_t bad;

	if (size < 2)
		return 0;
	d.measure = data[0] % 3;
	d.samples = data[0] & 4;
	d.stacks = data[0] & 8;
	d.min_share = data[0] & 16 ? 0.01 : 0;
	mp_diff_runs_init(&r.runs, 1 + data[1] % 4, 1 + data[1] / 4 % 4);
	mp_diff_dists_init(&r.dists, 1 + data[1] % 4, 1 + data[1] / 4 % 4,
			   data[0] & 32 ? &by : NULL);
	add_lines(&r, (const char *)data + 2, (const char *)data + size);
	if (mp_diff_make(&d, &r.runs, &bad) == 0) {
		if (d.min_share == 0 && !r.runs.overflow)
			check_sums(&d, &r.runs);
		check_rows(&d);
		check_output(&d, &r, false);
	}
	mp_diff_release(&d);
	if (r.dists.field) {
		mp_diff_dists_make(&r.dists, &d);
		check_rows(&d);
		check_output(&d, &r, true);
		mp_diff_release(&d);
	}
	mp_diff_dists_release(&r.dists);
	mp_diff_runs_release(&r.runs);
	return 0;
}
