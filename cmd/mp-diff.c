// SPDX-License-Identifier: GPL-2.0-only
/* mp-diff: compare call stacks, counts or distributions of two sets of recordings. */
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/opt.h"
#include "lib/diff/dists.h"
#include "lib/diff/facts.h"
#include "lib/diff/table.h"
#include "lib/fold/reader.h"
#include "lib/stream/input.h"
#include "lib/stream/unit.h"

enum {
	OPT_ABSOLUTE = MP_OPT_LONG,
	OPT_ALL,
	OPT_FOLDED,
	OPT_MIN,
	OPT_SELF,
	OPT_STACKS,
	OPT_TOTAL,
	OPT_TSV,
	OPT_WORK,
};

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "Input" },
	MP_FOLD_READER_EVENTS,
	MP_FOLD_READER_SAMPLES,
	MP_FOLD_READER_FRAMES,
	MP_FOLD_READER_EXACT,
	{ 0, NULL, NULL, "Comparison" },
	{ OPT_STACKS, "stacks", NULL, "compare stacks instead of functions" },
	{ OPT_SELF, "self", NULL, "only the weights of functions themselves" },
	{ OPT_TOTAL, "total", NULL, "only the weights of functions with all that they call" },
	{ OPT_ABSOLUTE, "absolute", NULL, "the weights of runs as they are, not as shares" },
	{ OPT_WORK, "work", "N,...",
	  "weights per unit of work: how much work each run did, or the runs of each side" },
	{ OPT_MIN, "min", "PERCENT",
	  "only what has at least PERCENT of all weight (default: 0.1)" },
	{ 0, NULL, NULL, "Output" },
	{ OPT_ALL, "all", NULL, "also list what does not differ significantly" },
	{ OPT_TSV, "tsv", NULL, "write tab-separated values" },
	{ OPT_FOLDED, "folded", NULL,
	  "write each stack with two weights, for a differential flame graph" },
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-diff",
	.synopsis = "[OPTION]... BEFORE... -- [AFTER]...",
	.summary = "List what differs between two sets of recordings: functions, stacks or keys.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-diff monday*.mp -- tuesday*.mp | head\n"
		    "  mp-diff --absolute --self old*.mp -- new*.mp\n"
		    "  mp-diff --folded monday.mp tuesday.mp | flamegraph.pl > diff.svg\n",
};

static struct {
	bool all, tsv, folded;
	/* an option that --folded has no use for, and one that distributions have not, or NULL */
	const char *table, *weights;
	struct mp_fields by; /* those of --by, as they are in a dump of mp-hist */
	const char *work;
	double *amounts; /* of work, for each run */
	char **inputs;	 /* of all runs, and NULL; those before are first */
	size_t n_before, n_after;
} options;

/* The state of this run. */
static struct {
	struct mp_fold_reader reader;
	struct mp_input in;
	struct mp_diff_runs runs;
	struct mp_diff_dists dists;  /* in place of weights, if the input has distributions */
	struct mp_diff_facts *facts; /* of each run */
	struct mp_diff diff;
	size_t run;    /* the one that is being read */
	uint64_t lost; /* in the runs before it */
} work = { .diff.min_share = 0.001 };

/* --- options ---------------------------------------------------------------------------------- */

static void set_measure(enum mp_diff_measure measure)
{
	if (work.diff.measure != MP_DIFF_SHARE && work.diff.measure != measure)
		mp_usage("--absolute cannot be combined with --work");
	work.diff.measure = measure;
}

/* An option of the table. */
static void set_table(int code, const char *arg)
{
	switch (code) {
	case OPT_ALL:
		options.all = true;
		options.table = "--all";
		break;
	case OPT_MIN:
		work.diff.min_share = mp_opt_percent(&program, code, arg) / 100;
		options.table = "--min";
		break;
	case OPT_SELF:
		work.diff.no_total = true;
		options.table = options.weights = "--self";
		break;
	case OPT_STACKS:
		work.diff.stacks = true;
		options.table = options.weights = "--stacks";
		break;
	case OPT_TOTAL:
		work.diff.no_self = true;
		options.table = options.weights = "--total";
		break;
	case OPT_TSV:
		options.tsv = true;
		options.table = "--tsv";
		break;
	}
}

static void set_option(int code, const char *arg)
{
	if (code == MP_FOLD_SAMPLES)
		options.table = options.weights = "--samples";
	if (mp_fold_reader_option(&work.reader, &program, code, arg))
		return;
	switch (code) {
	case OPT_ABSOLUTE:
		set_measure(MP_DIFF_ABSOLUTE);
		options.weights = "--absolute";
		break;
	case OPT_FOLDED:
		options.folded = true;
		options.weights = "--folded";
		break;
	case OPT_WORK:
		set_measure(MP_DIFF_WORK);
		options.work = arg;
		options.weights = "--work";
		break;
	default:
		set_table(code, arg);
	}
}

/* Sets how much work the runs did. */
static void set_work(void)
{
	size_t n_runs = options.n_before + options.n_after, n, i;
	double *amount = mp_opt_amounts(&program, OPT_WORK, options.work, &n), before, after;

	if (n == 2) {
		before = amount[0];
		after = amount[1];
		amount = mp_realloc(amount, n_runs * sizeof(*amount));
		for (i = 0; i < n_runs; i++)
			amount[i] = i < options.n_before ? before : after;
	} else if (n != n_runs) {
		mp_usage("--work has %zu numbers for %zu runs", n, n_runs);
	}
	work.diff.work = options.amounts = amount;
}

/* Puts the operands of both sides into one list; no AFTER is stdin. */
static void set_inputs(char **before, size_t n_before, char **after, size_t n_after)
{
	static char stdin_name[] = "-";
	size_t i;

	options.inputs = mp_zalloc((n_before + n_after + 2) * sizeof(*options.inputs));
	for (i = 0; i < n_before; i++)
		options.inputs[i] = before[i];
	for (i = 0; i < n_after; i++)
		options.inputs[n_before + i] = after[i];
	if (!n_after)
		options.inputs[n_before + n_after++] = stdin_name;
	options.n_before = n_before;
	options.n_after = n_after;
}

/* A dump of mp-hist has each field of a key as a field of the event, its type too. */
static void set_by(void)
{
	const struct mp_fields *by = &work.reader.choice.by;
	size_t i;

	for (i = 0; i < by->n; i++) {
		options.by.v = mp_grow(options.by.v, &options.by.cap, i + 1, sizeof(*options.by.v));
		options.by.v[options.by.n++] =
			(struct mp_field){ .id = MP_FIELD_KEY, .name = by->v[i].name };
	}
}

/* getopt(3) would remove the "--" between the sides, so it only gets the words before it. */
static void parse_options(int argc, char **argv)
{
	int sides = 1, code;
	char *arg;

	while (sides < argc && strcmp(argv[sides], "--") != 0)
		sides++;
	while ((code = mp_opt_next(&program, sides, argv, &arg)) != -1)
		set_option(code, arg);
	if (optind == sides)
		mp_usage("BEFORE is missing");
	if (sides < argc)
		set_inputs(argv + optind, sides - optind, argv + sides + 1, argc - sides - 1);
	else if (sides - optind <= 2)
		set_inputs(argv + optind, 1, argv + optind + 1, sides - optind - 1);
	else
		mp_usage("more than two operands need -- between the sides");
	if (options.folded && options.table)
		mp_usage("--folded cannot be combined with %s", options.table);
	if (work.diff.no_self && work.diff.no_total)
		mp_usage("--self cannot be combined with --total");
	if (work.diff.stacks && (work.diff.no_self || work.diff.no_total))
		mp_usage("--stacks cannot be combined with --self or --total");
	if (options.work)
		set_work();
	set_by();
	mp_fold_reader_begin(&work.reader);
}

/* --- input ------------------------------------------------------------------------------------ */

static void add_stack(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	(void)arg;
	mp_diff_runs_add(&work.runs, work.run, frames, n, weight);
}

/* Adds the events of the current run; the next record is of another run. */
static void end_run(size_t next)
{
	mp_fold_each(&work.reader.fold, &work.reader.style, add_stack, NULL);
	mp_fold_clear(&work.reader.fold);
	work.facts[work.run].lost = work.in.lost - work.lost;
	work.lost = work.in.lost;
	mp_fold_reader_next_input(&work.reader);
	work.run = next;
}

/*
 * Adds a line of a dump of mp-hist: a count, or a part of a distribution. Returns 0, or -1 with
 * `*why`.
 */
static int handle_dumped(const struct mp_rec *rec, const char **why)
{
	static const struct mp_field count = MP_FIELD_OF(KEY, "hist_n");
	static const struct mp_field weighed = MP_FIELD_OF(KEY, "hist_weight");
	struct mp_str value;
	int64_t weight;

	if (!mp_rec_get(rec, &count, &value))
		return mp_diff_dists_add(&work.dists, work.run, rec, why);
	if (mp_num_i64(value, &weight) < 0) {
		*why = "bad count";
		return -1;
	}
	work.reader.uncounted |= mp_rec_get(rec, &weighed, &value) && !work.reader.samples;
	return mp_fold_add(&work.reader.fold, rec, weight, why);
}

/* Adds a record: 0, or -1 with `*why`. */
static int handle_record(const struct mp_rec *rec, const char **why)
{
	struct mp_fold_reader *r = &work.reader;
	int64_t weight;
	int taken = mp_fold_reader_take(r, rec, &weight, why);

	if (taken < 1)
		return taken;
	if (rec->kind == MP_EVENT) {
		if (!r->choice.weight.name.p && mp_str_eq(rec->type, MP_STR("mp-hist")))
			return handle_dumped(rec, why);
		return mp_fold_add(&r->fold, rec, weight, why);
	}
	return mp_fold_pass(&r->fold, &r->style, rec, add_stack, NULL, why);
}

static void handle_control(const struct mp_ctl *ctl)
{
	mp_fold_reader_control(&work.reader, ctl);
	mp_diff_facts_control(&work.facts[work.run], ctl);
	if (ctl->what != MP_CTL_HEADER || ctl->datatype != MP_STACK)
		return;
	if (json_object_get(ctl->json, "grid"))
		mp_die("'%s': this is the grid of a heat map (mp-svg-heatmap --diff compares two)",
		       work.facts[work.run].name);
}

/* The name of an input in messages. */
static const char *input_name(size_t run)
{
	return strcmp(options.inputs[run], "-") == 0 ? "stdin" : options.inputs[run];
}

static void read_input(struct mp_out *out)
{
	struct mp_rec rec;
	const char *why;

	mp_input_init(&work.in, options.inputs, MP_CONTROL | MP_EVENT | MP_STACK | MP_FOLDED, out);
	work.in.concerns = mp_choice_concerns;
	work.in.arg = &work.reader.choice.types;
	while (mp_input_next(&work.in, &rec)) {
		if (mp_input_index(&work.in) != work.run)
			end_run(mp_input_index(&work.in));
		if (rec.kind == MP_CONTROL)
			handle_control(&work.in.ctl);
		else if (handle_record(&rec, &why) < 0)
			mp_input_bad(&work.in, why);
	}
	end_run(work.run);
	mp_diff_runs_finish(&work.runs);
}

/* --- output ----------------------------------------------------------------------------------- */

static double sum(const double *v, size_t n)
{
	double s = 0;
	size_t i;

	for (i = 0; i < n; i++)
		s += v[i];
	return s;
}

/*
 * The factor by which weights of the side before are multiplied to compare them with those after.
 */
static double factor(void)
{
	const struct mp_diff_runs *r = &work.runs;
	size_t n = r->n, i;
	double *v = mp_alloc(n * sizeof(*v)), before, after;

	for (i = 0; i < n; i++) {
		v[i] = 1;
		if (work.diff.measure == MP_DIFF_WORK)
			v[i] = work.diff.work[i];
		if (work.diff.measure == MP_DIFF_SHARE)
			v[i] = (double)r->total[i];
	}
	before = sum(v, r->n_before);
	after = sum(v + r->n_before, n - r->n_before);
	free(v);
	if (before <= 0)
		mp_die("the weights before add up to 0 or less: they have no shares (--absolute)");
	return after / before;
}

/* Writes folded text. Returns the status. */
static enum mp_status write_folded(struct mp_out *out)
{
	uint64_t negative = mp_diff_table_folded(&work.runs, factor(), out);

	mp_out_flush(out);
	mp_say_count(negative, "stack with a weight below 0 has 0 instead",
		     "stacks with a weight below 0 have 0 instead");
	return negative ? MP_LOSSY : MP_OK;
}

/* Makes the rows of the table. Returns how many keys are not compared. */
static size_t compare(struct mp_diff_table *table)
{
	struct mp_field field;
	size_t bad;

	if (!work.dists.field) {
		work.diff.samples = !work.reader.uncounted;
		if (mp_diff_make(&work.diff, &work.runs, &bad) < 0)
			mp_die("'%s': the weights add up to 0 or less: they have no shares "
			       "(--absolute)",
			       work.facts[bad].name);
		return 0;
	}
	if (mp_field_parse(&field, mp_str(work.dists.field)) == 0)
		table->unit = mp_unit_of(work.reader.origin, &field);
	table->dists = &work.dists;
	return mp_diff_dists_make(&work.dists, &work.diff);
}

static void write_table(struct mp_out *out)
{
	struct mp_diff_table table = {
		.diff = &work.diff,
		.runs = &work.runs,
		.unit = mp_fold_reader_unit(&work.reader),
		.all = options.all,
	};
	size_t lacking = compare(&table);

	if (options.tsv)
		mp_diff_table_tsv(&table, out);
	else
		mp_diff_table_text(&table, out);
	mp_out_flush(out);
	mp_say_count(lacking, "key that some run lacks is not compared",
		     "keys that some run lacks are not compared");
}

/* Writes the result, and then what limits it. Returns the status. */
static enum mp_status write_result(struct mp_out *out)
{
	enum mp_status status = MP_OK;

	if (work.dists.field && options.weights)
		mp_usage("%s cannot be combined with distributions of mp-hist", options.weights);
	if (work.dists.field && work.runs.n_stacks)
		mp_die("distributions of mp-hist cannot be compared with stacks or counts");
	if (options.folded)
		status = write_folded(out);
	else
		write_table(out);
	mp_diff_facts_report(work.facts, &work.runs);
	if (work.runs.overflow || work.reader.fold.overflow) {
		mp_say("a weight exceeds 64 bits and was held at the limit");
		status = MP_LOSSY;
	}
	return status;
}

static void release(void)
{
	size_t i;

	for (i = 0; i < work.runs.n; i++)
		mp_diff_facts_release(&work.facts[i]);
	free(work.facts);
	free(options.inputs);
	free(options.amounts);
	mp_fields_release(&options.by);
	mp_diff_dists_release(&work.dists);
	mp_diff_release(&work.diff);
	mp_diff_runs_release(&work.runs);
}

int main(int argc, char **argv)
{
	enum mp_status status, written = MP_OK;
	struct mp_out out;
	size_t i;

	mp_init("mp-diff");
	mp_fold_reader_init(&work.reader);
	work.reader.style.common_names = true;
	parse_options(argc, argv);
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	mp_diff_runs_init(&work.runs, options.n_before, options.n_after);
	mp_diff_dists_init(&work.dists, options.n_before, options.n_after,
			   options.by.n ? &options.by : NULL);
	work.facts = mp_zalloc(work.runs.n * sizeof(*work.facts));
	for (i = 0; i < work.runs.n; i++)
		work.facts[i].name = input_name(i);
	read_input(&out);
	status = mp_choice_finish(&work.reader.choice, mp_input_finish(&work.in));
	if (!work.in.empty && !work.in.refused)
		written = write_result(&out);
	mp_out_close(&out);
	release();
	return MP_MAX(status, written);
}
