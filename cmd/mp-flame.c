// SPDX-License-Identifier: GPL-2.0-only
/* mp-flame: the stacks of events, stacks and folded text as a flame graph. */
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/clock.h"
#include "lib/core/opt.h"
#include "lib/flame/chartsvg.h"
#include "lib/flame/flamehtml.h"
#include "lib/flame/flamesvg.h"
#include "lib/flame/flametext.h"
#include "lib/flame/weights.h"
#include "lib/fold/reader.h"
#include "lib/stream/input.h"

enum {
	OPT_ABSOLUTE = MP_OPT_LONG,
	OPT_COLOUR,
	OPT_DIFF,
	OPT_ICICLE,
	OPT_MIN,
	OPT_SELF,
	OPT_SVG,
	OPT_TEXT,
	OPT_TIME,
	OPT_TITLE,
	OPT_UNIT,
	OPT_WIDTH,
	OPT_WORK,
};

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "What is drawn" },
	MP_FOLD_READER_EVENTS,
	MP_FOLD_READER_FRAMES,
	MP_FOLD_READER_REVERSE,
	{ OPT_TIME, "time", NULL,
	  "a flame chart: in the order of time, with a row of stacks for each task" },
	{ 0, NULL, NULL, "Differences" },
	{ OPT_DIFF, "diff", NULL,
	  "compare two files, or both weights in each line of one, as mp-diff writes" },
	{ OPT_ABSOLUTE, "absolute", NULL, "compare weights as they are, not as shares" },
	{ OPT_WORK, "work", "N,N|EVENT",
	  "compare weights per unit of work: how much each side did, or what counts it" },
	{ OPT_SELF, "self", NULL,
	  "compare the weights of frames themselves, without their callees" },
	MP_FOLD_READER_SAMPLES,
	MP_FOLD_READER_EXACT,
	{ 0, NULL, NULL, "The picture" },
	{ OPT_SVG, "svg", NULL, "a static SVG for documents, mail and print" },
	{ OPT_TEXT, "text", NULL, "text for a terminal, heaviest frames first" },
	{ OPT_ICICLE, "icicle", NULL, "the root at the top" },
	{ OPT_COLOUR, "colour", "BY",
	  "kind (default: user, kernel, JIT, inlined), name of the function, library, or, the "
	  "default of --diff, change" },
	{ OPT_MIN, "min", "PERCENT",
	  "with --text, join frames below PERCENT of the total (default: 1)" },
	{ OPT_TITLE, "title", "TEXT", "title of the picture" },
	MP_UNIT_OPTION(OPT_UNIT, "weights"),
	{ OPT_WIDTH, "width", "N",
	  "width in px with --svg (default: 1200), in columns with --text (default: 100)" },
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-flame",
	.synopsis = "[OPTION]... [FILE]...\n       mp-flame --diff [OPTION]... BEFORE AFTER",
	.summary = "Draw the stacks of events, stacks and folded text as a flame graph on stdout.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-record -F 999 -d 10 | mp-flame > cpu.html\n"
		    "  mp-flame --by comm,tid --weight period --svg cpu.mp > cpu.svg\n"
		    "  mp-flame --text --reverse monday.folded tuesday.folded\n"
		    "  mp-flame --diff before.mp after.mp > change.html\n",
};

enum form { HTML, SVG, TEXT };

static struct {
	enum form form;
	bool has_form;
	bool icicle;
	bool has_colour;
	enum mp_flame_colours colours;
	bool diff, time;
	bool two_weights; /* each line has the weights of both sides */
	bool unnamed;	  /* the files of the sides have no names */
	bool exact;
	const char *work;	/* glob for the types of events that count work, or NULL */
	const char *needs_diff; /* an option that only --diff uses, or NULL */
	double min_percent;	/* below 0: not given */
	const char *title, *unit;
	size_t width; /* 0: not given */
} options = { .min_percent = -1 };

/* The state of this run. */
static struct {
	struct mp_fold_reader reader;
	struct mp_input in;
	struct mp_tree tree;
	struct mp_flame_sides sides;
	struct mp_flame_libraries libraries;
	struct mp_flame_weights weights;
	struct mp_glob counter;	     /* of options.work */
	struct mp_flame_chart chart; /* with --time, in place of the tree */
	size_t input;		     /* number of the current input */
	uint64_t events, stacks;     /* how many were added; folded text counts as stacks */
	uint64_t skipped;	     /* lines that should have been added */
} work;

static void set_form(enum form form)
{
	if (options.has_form && options.form != form)
		mp_usage("--svg cannot be combined with --text");
	options.has_form = true;
	options.form = form;
}

static void set_measure(enum mp_flame_measure measure)
{
	if (work.sides.measure != MP_FLAME_SHARE && work.sides.measure != measure)
		mp_usage("--absolute cannot be combined with --work");
	work.sides.measure = measure;
}

static void set_work(const char *arg)
{
	size_t n, i;
	double *v;

	if (strspn(arg, "0123456789.,-+") == 0) {
		options.work = arg;
		mp_glob_init(&work.counter, mp_str(arg));
		return;
	}
	v = mp_opt_amounts(&program, OPT_WORK, arg, &n);
	if (n != MP_FLAME_SIDES)
		mp_opt_bad(&program, OPT_WORK, arg, "two numbers above 0");
	for (i = 0; i < n; i++)
		work.sides.side[i].work = v[i];
	free(v);
}

/* An option that only --diff uses. Returns false if it is another. */
static bool set_diff_option(int code, const char *arg)
{
	switch (code) {
	case OPT_ABSOLUTE:
		options.needs_diff = "--absolute";
		set_measure(MP_FLAME_ABSOLUTE);
		return true;
	case OPT_SELF:
		options.needs_diff = "--self";
		work.sides.own = true;
		return true;
	case OPT_WORK:
		options.needs_diff = "--work";
		set_measure(MP_FLAME_WORK);
		set_work(arg);
		return true;
	case MP_FOLD_SAMPLES:
		options.needs_diff = "--samples";
		return false;
	case MP_FOLD_EXACT:
		options.needs_diff = "--exact";
		options.exact = true;
		return true;
	default:
		return false;
	}
}

static void set_option(int code, const char *arg)
{
	static const char *const colours[] = { "kind", "name", "library", "change", NULL };

	if (code == 'w') {
		mp_flame_weights_option(&work.weights, &work.reader, &program, arg);
		return;
	}
	if (set_diff_option(code, arg) || mp_fold_reader_option(&work.reader, &program, code, arg))
		return;
	switch (code) {
	case OPT_DIFF:
		options.diff = true;
		break;
	case OPT_TIME:
		options.time = true;
		break;
	case OPT_SVG:
		set_form(SVG);
		break;
	case OPT_TEXT:
		set_form(TEXT);
		break;
	case OPT_ICICLE:
		options.icicle = true;
		break;
	case OPT_COLOUR:
		options.has_colour = true;
		options.colours = mp_opt_word(&program, code, arg, colours);
		break;
	case OPT_MIN:
		options.min_percent = mp_opt_percent(&program, code, arg);
		break;
	case OPT_TITLE:
		options.title = arg;
		break;
	case OPT_UNIT:
		options.unit = arg;
		break;
	case OPT_WIDTH:
		options.width = mp_opt_number(&program, code, arg, 40, MP_FLAMESVG_WIDTH_MAX);
		break;
	}
}

static void check_diff(int operands)
{
	if (!options.diff && options.needs_diff)
		mp_usage("%s is only for --diff", options.needs_diff);
	if (!options.diff && options.colours == MP_FLAME_BY_CHANGE)
		mp_usage("--colour change is only for --diff");
	if (!options.diff)
		return;
	if (operands > MP_FLAME_SIDES)
		mp_usage("--diff compares two files (mp-diff --folded joins several)");
	if (!options.has_colour)
		options.colours = MP_FLAME_BY_CHANGE;
	work.reader.style.common_names = !options.exact;
}

/* What a shell or mp-show passes is a descriptor, whose path names nothing. */
static bool has_name(const char *path)
{
	return !mp_str_starts(mp_str(path), MP_STR("/dev/fd/")) &&
	       !mp_str_starts(mp_str(path), MP_STR("/proc/self/fd/"));
}

/* Names the sides by their files. */
static void set_sides(char **operands)
{
	bool has_two = operands[0] && operands[1];
	size_t i;

	options.two_weights = options.diff && !has_two;
	work.sides.side[MP_FLAME_BEFORE].name = "before";
	work.sides.side[MP_FLAME_AFTER].name = "after";
	for (i = 0; has_two && i < MP_FLAME_SIDES; i++) {
		options.unnamed |= !has_name(operands[i]);
		work.sides.side[i].name = strcmp(operands[i], "-") == 0 ? "stdin" : operands[i];
	}
}

/* --time draws events as they came, for which the tasks need numbers. */
static void check_time(void)
{
	struct mp_choice *choice = &work.reader.choice;

	if (!options.time)
		return;
	if (options.diff)
		mp_usage("--time cannot be combined with --diff");
	if (options.form == TEXT)
		mp_usage("--time cannot be combined with --text");
	if (work.weights.n)
		mp_usage("--time cannot be combined with --weight");
	if (work.reader.style.reverse)
		mp_usage("--time cannot be combined with --reverse");
	if (!choice->by.n && !work.reader.no_comm)
		mp_choice_fields(&choice->by, "comm,tid", NULL, NULL);
	options.icicle = !options.icicle;
}

static bool has_weights(void)
{
	return work.weights.n == MP_FLAME_WEIGHTS;
}

static void check_weights(void)
{
	if (!has_weights())
		return;
	if (options.form != HTML)
		mp_usage("two fields of --weight cannot be combined with --svg or --text");
	if (options.diff)
		mp_usage("two fields of --weight cannot be combined with --diff");
	if (options.unit)
		mp_usage("two fields of --weight cannot be combined with --unit");
	work.sides.measure = MP_FLAME_ABSOLUTE;
}

static void parse_options(int argc, char **argv)
{
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		set_option(code, arg);
	check_diff(argc - optind);
	check_time();
	check_weights();
	if (options.min_percent >= 0 && options.form != TEXT)
		mp_usage("--min is only for --text");
	if (options.width && options.form == HTML)
		mp_usage("--width is only for --svg and --text");
	if (options.icicle && options.form == TEXT)
		mp_usage("--icicle cannot be combined with --text");
	if (options.has_colour && options.form == TEXT)
		mp_usage("--colour cannot be combined with --text");
	if (options.form == SVG && options.width && options.width < MP_FLAMESVG_WIDTH_MIN)
		mp_usage("--width is at least %d px for --svg", MP_FLAMESVG_WIDTH_MIN);
	work.reader.style.files = options.form == HTML || options.colours == MP_FLAME_BY_LIBRARY;
	mp_fold_reader_begin(&work.reader);
	mp_flame_weights_begin(&work.weights, &work.reader);
}

/* The side that is read. */
static unsigned current_side(void)
{
	return work.input ? MP_FLAME_AFTER : MP_FLAME_BEFORE;
}

static void add_stack(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	const unsigned *side = arg;
	uint32_t node;

	if (side)
		node = mp_flame_sides_add(&work.sides, &work.tree, *side, frames, n, weight);
	else
		node = mp_tree_add(&work.tree, frames, n, weight);
	mp_flame_libraries_add(&work.libraries, &work.tree, node, frames, n);
}

/*
 * Adds a line of mp-diff --folded: in folded text, what precedes the weight of the side after ends
 * with a blank and the weight of the side before. Returns 0, or -1 with `*why`.
 */
static int add_two(const struct mp_rec *rec, int64_t after, const char **why)
{
	const char *blank = memrchr(rec->body.p, ' ', rec->body.len);
	struct mp_fold_reader *r = &work.reader;
	struct mp_rec stack = *rec;
	int64_t weights[MP_FLAME_SIDES] = { 0, after };
	size_t len = blank ? (size_t)(blank - rec->body.p) : 0;
	unsigned i;

	if (rec->kind != MP_FOLDED || !blank ||
	    mp_num_i64(mp_str_skip(rec->body, len + 1), &weights[MP_FLAME_BEFORE]) < 0) {
		*why = "not a stack with two weights (--diff compares two files, or reads what "
		       "mp-diff --folded writes)";
		return -1;
	}
	stack.body.len = len;
	for (i = 0; i < MP_FLAME_SIDES; i++) {
		stack.weight = weights[i];
		if (mp_fold_pass(&r->fold, &r->style, &stack, add_stack, &i, why) < 0)
			return -1;
	}
	return 0;
}

/* Adds a record that has a weight. */
static int add_weighed(const struct mp_rec *rec, int64_t weight, const char **why)
{
	struct mp_fold_reader *r = &work.reader;
	unsigned side = current_side();

	if (options.two_weights)
		return add_two(rec, weight, why);
	return mp_fold_pass(&r->fold, &r->style, rec, add_stack, options.diff ? &side : NULL, why);
}

/* The time that an event covers. */
struct times {
	uint64_t begin_ns, end_ns;
};

static void add_event(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	const struct times *times = arg;
	uint32_t node;

	(void)weight;
	node = mp_flame_chart_add(&work.chart, frames, n, work.reader.choice.by.n, times->begin_ns,
				  times->end_ns);
	mp_flame_libraries_add(&work.libraries, &work.chart.tree, node, frames, n);
}

/* Adds an event with its time: a span begins its duration before. Returns 0, or -1 with `*why`. */
static int add_timed(const struct mp_rec *rec, const char **why)
{
	static const struct mp_field dur = MP_FIELD_OF(KEY, "dur");
	struct mp_fold_reader *r = &work.reader;
	struct times times = { rec->time_ns, rec->time_ns };
	struct mp_str value;
	uint64_t ns;

	if (mp_rec_get(rec, &dur, &value)) {
		if (mp_num_u64(value, &ns) < 0 || ns > rec->time_ns) {
			*why = "bad dur";
			return -1;
		}
		times.begin_ns -= ns;
	}
	return mp_fold_pass(&r->fold, &r->style, rec, add_event, &times, why);
}

/* Adds an event that counts work: the value of a counter, or 1. Returns 0, or -1 with `*why`. */
static int count_work(const struct mp_rec *rec, const char **why)
{
	static const struct mp_field counter = MP_FIELD_OF(KEY, ".value");
	struct mp_str text;
	double v = 1;

	if (mp_rec_get(rec, &counter, &text) && (mp_num_decimal(text, &v) < 0 || v < 0)) {
		*why = "bad value of the counter of --work";
		return -1;
	}
	work.sides.side[current_side()].work += v;
	return 0;
}

/*
 * Adds a record: 0, or -1 with `*why`. The stacks of events repeat, so they are added up first;
 * most lines that have a weight differ, so they go to the tree at once, which is smaller than their
 * text.
 */
static int handle_record(const struct mp_rec *rec, const char **why)
{
	struct mp_fold_reader *r = &work.reader;
	int64_t weight;
	int taken;

	if (options.work && rec->kind == MP_EVENT && mp_glob_match(&work.counter, rec->type))
		return count_work(rec, why);
	taken = mp_fold_reader_take(r, rec, &weight, why);
	if (has_weights()) {
		work.events += taken != 0;
		return mp_flame_weights_add(&work.weights, r, rec, taken, weight, why);
	}
	if (taken < 1)
		return taken;
	if (options.time)
		taken = add_timed(rec, why);
	else if (rec->kind == MP_EVENT && !options.two_weights)
		taken = mp_fold_add(&r->fold, rec, weight, why);
	else
		taken = add_weighed(rec, weight, why);
	work.events += taken == 0 && rec->kind == MP_EVENT;
	work.stacks += taken == 0 && rec->kind != MP_EVENT;
	return taken;
}

/* Adds the events of the current side, or of both weights. */
static void add_events(void)
{
	unsigned side = current_side();
	bool sided = options.diff || has_weights();

	mp_fold_each(&work.reader.fold, &work.reader.style, add_stack, sided ? &side : NULL);
	mp_fold_clear(&work.reader.fold);
	side = MP_FLAME_AFTER;
	if (has_weights())
		mp_fold_each(&work.weights.fold, &work.reader.style, add_stack, &side);
}

static void next_side(void)
{
	add_events();
	mp_fold_reader_next_input(&work.reader);
	work.input = mp_input_index(&work.in);
}

/* Computes what the tree needs to be drawn. */
static void finish_tree(void)
{
	unsigned bad;

	if (options.time)
		mp_flame_chart_finish(&work.chart);
	if (!options.diff && !has_weights()) {
		mp_tree_finish(&work.tree);
		return;
	}
	for (bad = 0; options.work && bad < MP_FLAME_SIDES; bad++)
		if (work.sides.side[bad].work <= 0)
			mp_die("'%s': no event matches --work '%s', or their values add up to 0",
			       work.sides.side[bad].name, options.work);
	work.sides.counts = options.diff && !work.reader.uncounted;
	if (mp_flame_sides_finish(&work.sides, &work.tree, &bad) < 0)
		mp_die("'%s': the weights add up to 0 or less: they have no shares (--absolute)",
		       work.sides.side[bad].name);
}

static void read_input(char **operands, struct mp_out *out)
{
	struct mp_rec rec;
	const char *why;

	mp_input_init(&work.in, operands,
		      MP_CONTROL | MP_EVENT |
			      (options.time || has_weights() ? 0 : MP_STACK | MP_FOLDED),
		      out);
	work.in.places = work.reader.style.files;
	work.in.concerns = mp_choice_concerns;
	work.in.arg = &work.reader.choice.types;
	while (mp_input_next(&work.in, &rec)) {
		if (options.diff && mp_input_index(&work.in) != work.input)
			next_side();
		if (rec.kind == MP_CONTROL) {
			mp_fold_reader_control(&work.reader, &work.in.ctl);
		} else if (handle_record(&rec, &why) < 0) {
			mp_input_bad(&work.in, why);
			work.skipped++;
		}
	}
	add_events();
	mp_fold_report(&work.reader.fold);
	finish_tree();
}

/* --- what the picture says -------------------------------------------------------------------- */

static void put_fields(struct mp_buf *to, const struct mp_fields *fields)
{
	size_t i;

	for (i = 0; i < fields->n; i++)
		mp_buf_printf(to, "%s%.*s", i ? "," : "", MP_STR_ARGS(fields->v[i].name));
}

static void put_globs(struct mp_buf *to, const char *what, const struct mp_fold_globs *globs)
{
	size_t i;

	for (i = 0; i < globs->n; i++)
		mp_buf_printf(to, "%s%.*s", i ? ", " : what, MP_STR_ARGS(globs->v[i].pattern));
}

static void make_title(struct mp_buf *to)
{
	const struct mp_types *types = &work.reader.choice.types;

	if (options.title) {
		mp_buf_str(to, mp_str(options.title));
	} else if (types->taken) {
		char *list = mp_types_list(types);

		mp_buf_str(to, mp_str(list));
		free(list);
	} else if (options.diff) {
		mp_buf_str(to, MP_STR("Flame graph of differences"));
	} else {
		mp_buf_str(to, MP_STR("Flame graph"));
	}
}

static uint64_t count_stacks(const struct mp_tree *t)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < t->n; i++)
		n += t->nodes[i].self > 0;
	return n;
}

/* Writes the weights of both sides, how they are compared, and what is known of their errors. */
static void put_sides(struct mp_buf *to, const struct mp_flame *f)
{
	static const char *const measures[] = {
		[MP_FLAME_SHARE] = "shares of each side",
		[MP_FLAME_ABSOLUTE] = "weights as they are",
		[MP_FLAME_WORK] = "weights per unit of work",
	};
	char text[MP_UNIT_MAX];
	unsigned i;

	for (i = 0; i < MP_FLAME_SIDES; i++) {
		const struct mp_flame_side *side = &f->sides->side[i];

		mp_flame_put_weight(text, f, side->total[0]);
		mp_buf_printf(to, "%s%s", i ? ", after " : "before ", text);
		if (!options.two_weights && !options.unnamed)
			mp_buf_printf(to, " (%s)", side->name);
	}
	mp_buf_printf(to, "; %s", measures[f->sides->measure]);
	if (f->sides->measure == MP_FLAME_WORK)
		mp_buf_printf(to, ", of which there were %.6g before and %.6g after",
			      f->sides->side[MP_FLAME_BEFORE].work,
			      f->sides->side[MP_FLAME_AFTER].work);
	mp_buf_printf(to, "%s", f->sides->own ? "; frames without what they called" : "");
	if (!f->sides->counts)
		mp_buf_printf(to,
			      "; the errors of these weights are unknown, so that no "
			      "difference is %s",
			      options.form == TEXT ? "marked ~" : "grey");
	else if (options.form == TEXT)
		mp_buf_printf(to, "; ~: no significant difference");
}

/* Writes the totals of two weights; the name of the first precedes. */
static void put_both(struct mp_buf *to, const struct mp_flame *f)
{
	const struct mp_flame_side *side = f->weights.sides->side;
	struct mp_flame one = *f;
	char text[MP_UNIT_MAX];

	mp_flame_put_weight(text, &one, side[0].total[0]);
	mp_buf_printf(to, "%s; %.*s: ", text, MP_STR_ARGS(f->weights.names[1]));
	one.unit = f->weights.units[1];
	mp_flame_put_weight(text, &one, side[1].total[0]);
	mp_buf_printf(to, "%s", text);
}

static void put_totals(struct mp_buf *to, const struct mp_flame *f)
{
	uint64_t stacks = count_stacks(f->tree);
	char text[MP_UNIT_MAX];

	if (f->sides) {
		put_sides(to, f);
	} else if (f->weights.sides) {
		put_both(to, f);
	} else {
		mp_flame_put_weight(text, f, f->tree->nodes[0].total);
		mp_buf_printf(to, "%s", text);
	}
	mp_buf_printf(to, "%s%llu stack%s", f->sides ? "; " : " in ", (unsigned long long)stacks,
		      mp_plural(stacks));
}

static void put_times(struct mp_buf *to)
{
	const struct mp_flame_chart *c = &work.chart;
	char text[MP_UNIT_MAX];

	mp_unit_put(text, "ns", (double)(c->end_ns - c->begin_ns));
	mp_buf_printf(to, "%zu event%s of %zu task%s in %s", c->events, mp_plural(c->events),
		      c->tasks, mp_plural(c->tasks), text);
}

static void make_subtitle(struct mp_buf *to, const struct mp_flame *f)
{
	const struct mp_fold_style *style = &work.reader.style;
	/* folded text does not say what it counts */
	bool named = work.events || work.reader.stacks;
	struct mp_str weight = named ? mp_fold_reader_weight(&work.reader) : MP_STR("total");

	if (f->chart) {
		put_times(to);
	} else {
		mp_buf_printf(to, "%.*s: ", MP_STR_ARGS(weight));
		put_totals(to, f);
	}
	if (work.reader.choice.by.n && work.events) {
		mp_buf_printf(to, ", by ");
		put_fields(to, &work.reader.choice.by);
	}
	if (style->reverse)
		mp_buf_printf(to, "; leaf first");
	put_globs(to, "; focus ", &style->focus);
	put_globs(to, "; ignore ", &style->ignore);
	put_globs(to, "; show from ", &style->show_from);
	if (style->kernel_only || style->user_only)
		mp_buf_printf(to, "; only %s frames", style->kernel_only ? "kernel" : "user");
	if (work.in.lost)
		mp_buf_printf(to, "; %llu %s lost", (unsigned long long)work.in.lost,
			      work.in.lost == 1 ? "event was" : "events were");
}

/* Says why there is nothing to draw. */
static void make_nothing(struct mp_buf *to)
{
	const struct mp_types *types = &work.reader.choice.types;

	if (work.reader.fold.excluded && !work.reader.fold.visited)
		mp_buf_printf(to, "Nothing to draw: --focus, --ignore and --show-from exclude "
				  "every stack.");
	else if (work.events + work.stacks)
		mp_buf_printf(to, "Nothing to draw: the weights of all stacks are 0 or less.");
	else if (work.skipped)
		mp_buf_printf(to, "Nothing to draw: all lines were skipped.");
	else if (types->seen.n && !types->taken)
		mp_buf_printf(to, "Nothing to draw: no event matches -e.");
	else
		mp_buf_printf(to, "Nothing to draw: the input has no events and no stacks.");
}

static void choose_weights(struct mp_flame *f)
{
	size_t i;

	f->weights.sides = &work.sides;
	for (i = 0; i < MP_FLAME_WEIGHTS; i++) {
		f->weights.names[i] = mp_flame_weights_name(&work.weights, &work.reader, i);
		f->weights.units[i] = mp_flame_weights_unit(&work.weights, &work.reader, i);
	}
}

static void draw(struct mp_out *out)
{
	struct mp_buf title = { NULL, 0, 0 }, subtitle = { NULL, 0, 0 }, nothing = { NULL, 0, 0 };
	struct mp_flame f = {
		.tree = &work.tree,
		.sides = options.diff ? &work.sides : NULL,
		.icicle = options.icicle,
		.colours = options.colours,
	};
	struct mp_buf picture = { NULL, 0, 0 };

	if (has_weights())
		choose_weights(&f);
	if (options.time) {
		f.tree = &work.chart.tree;
		f.chart = &work.chart;
	}
	if (work.reader.style.files) {
		mp_flame_libraries_finish(&work.libraries, f.tree);
		f.libraries = &work.libraries;
	}
	f.unit = options.time	? "ns"
		 : options.unit ? options.unit
				: mp_fold_reader_unit(&work.reader);
	make_title(&title);
	make_subtitle(&subtitle, &f);
	make_nothing(&nothing);
	f.title = mp_buf_view(&title);
	f.subtitle = mp_buf_view(&subtitle);
	f.nothing = mp_buf_view(&nothing);
	if (options.form == TEXT)
		mp_flametext(&picture, &f,
			     &(struct mp_flametext){
				     options.min_percent < 0 ? 1 : options.min_percent,
				     options.width ? options.width : 100,
			     });
	else if (options.form == HTML)
		mp_flamehtml(&picture, &f);
	else if (options.time)
		mp_flame_chartsvg(&picture, &f, options.width ? (double)options.width : 1200);
	else
		mp_flamesvg(&picture, &f, options.width ? (double)options.width : 1200);
	mp_out_write(out, picture.p, picture.len);
	mp_buf_release(&title);
	mp_buf_release(&subtitle);
	mp_buf_release(&nothing);
	mp_buf_release(&picture);
}

/* Reports what cannot be drawn as it is. */
static enum mp_status report(void)
{
	bool overflow = work.tree.overflow || work.sides.overflow || work.reader.fold.overflow ||
			work.weights.fold.overflow;
	uint64_t negative = work.tree.negative + work.sides.negative;

	mp_say_count(negative, "stack with a weight below 0 is not drawn",
		     "stacks with a weight below 0 are not drawn");
	if (overflow)
		mp_say("a weight exceeds 64 bits and was held at the limit");
	return negative || overflow ? MP_LOSSY : MP_OK;
}

int main(int argc, char **argv)
{
	enum mp_status status, drawn;
	struct mp_out out;

	mp_init("mp-flame");
	mp_fold_reader_init(&work.reader);
	mp_tree_init(&work.tree);
	mp_flame_chart_init(&work.chart);
	mp_flame_libraries_init(&work.libraries);
	parse_options(argc, argv);
	set_sides(argv + optind);
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	read_input(argv + optind, &out);
	status = mp_choice_finish(&work.reader.choice, mp_input_finish(&work.in));
	drawn = report();
	if (work.events + work.stacks || (!work.in.empty && !work.in.refused))
		draw(&out);
	mp_out_close(&out);
	mp_flame_sides_release(&work.sides);
	mp_flame_chart_release(&work.chart);
	mp_flame_libraries_release(&work.libraries);
	mp_flame_weights_release(&work.weights);
	mp_tree_release(&work.tree);
	return MP_MAX(status, drawn);
}
