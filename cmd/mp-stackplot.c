// SPDX-License-Identifier: GPL-2.0-only
/* mp-stackplot: points or events as a stacked area plot. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/clock.h"
#include "lib/core/opt.h"
#include "lib/stackplot/stackdraw.h"
#include "lib/stream/choice.h"
#include "lib/stream/input.h"
#include "lib/stream/unit.h"

enum {
	OPT_BIN = MP_OPT_LONG,
	OPT_BINS,
	OPT_EACH,
	OPT_LABELS,
	OPT_MEAN,
	OPT_MISSING,
	OPT_PERCENT,
	OPT_SUM,
	OPT_TITLE,
	OPT_UNIT,
};

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "What is drawn" },
	{ 'x', "x", "FIELD", "axis (default: time of events, x of points)" },
	{ 'y', "y", "FIELD", "value (default: 1 for each event, y of points)" },
	MP_CHOICE_BY("label: an area for each value of FIELDS (default: "
		     "comm of events, info of points)"),
	MP_CHOICE_EVENT(MP_CHOICE_ADDED),
	MP_CHOICE_WEIGHT("add up FIELD, such as dur or .bytes (default: 1 for each); "
			 "dur over time: spread over the time it covers"),
	{ 0, NULL, NULL, "How values become areas" },
	{ OPT_SUM, "sum", NULL, "add up the values of a bin (default for events)" },
	{ OPT_MEAN, "mean", NULL,
	  "average them (default for points, and for mem:* "
	  "events, which are samples of a size)" },
	{ OPT_EACH, "each", "FIELDS",
	  "average for each value of FIELDS, then add these up "
	  "(default for events that are averaged: pid)" },
	{ OPT_MISSING, "missing", "HOW",
	  "where a label has no value: zero (default for sums), carry the one before (default "
	  "for averages), or rounds (default for mem:* events): zero, but as before where no label "
	  "has a value" },
	{ OPT_BIN, "bin", "WIDTH",
	  "least width of a bin, a duration if x is a time; rounded up to 1, 2, 10, 20, 100 ... "
	  "(default: as narrow as --bins has room for)" },
	{ OPT_BINS, "bins", "N", "at most N bins, 10 to 2000 (default: 500)" },
	{ OPT_LABELS, "labels", "N", "keep at least N labels while reading (default: 1000)" },
	{ 0, NULL, NULL, "The picture" },
	{ 'n', "top", "N",
	  "show the N heaviest labels, and the rest as "
	  "\"other\" (default: 10)" },
	{ OPT_PERCENT, "percent", NULL, "shares of each bin instead of values" },
	{ OPT_TITLE, "title", "TEXT", "title of the picture" },
	MP_UNIT_OPTION(OPT_UNIT, "values"),
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-stackplot",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Draw points or events as stacked areas over time, one SVG on stdout.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples =
		"  mp-record -e sched:sched_switch -g none -d 10 | mp-stackplot > switches.svg\n"
		"  mp-record -e sched:sched_stat_runtime -g none -d 10 |\n"
		"      mp-stackplot -y .runtime --unit ns --bin 100ms > cpu.svg\n"
		"  mp-stackplot --percent --top 5 points.mp > share.svg\n",
};

enum { UNSET = -1 };

static struct {
	struct mp_field x, y; /* fields of the axes; name.p == NULL: the default */
	struct mp_choice choice;
	struct mp_fields each;
	bool weighed; /* values are weights: --weight */
	int mean;     /* 0, 1, UNSET */
	int missing;  /* an enum mp_stack_fill, or UNSET */
	const char *bin;
	size_t bins, labels, top;
	bool percent;
	const char *title, *unit;
	struct mp_buf globs; /* of -e, comma-separated */
} options = { .mean = UNSET, .missing = UNSET, .bins = 500, .labels = 1000, .top = 10 };

/* The state of this run. */
static struct {
	struct mp_input in;
	struct mp_stackgrid grid;
	enum mp_kind kind; /* kind of the first data line; the picture shows this kind only */
	bool count;	   /* every record counts 1 */
	bool spread;	   /* spans are spread over the bins that they cover */
	bool is_time;
	bool sampled; /* values are read at an interval */
	bool is_run;  /* all events are spans in which a task ran */
	bool has_grid;
	/* the first header of the kind of records that is drawn; NULL: there is none */
	json_t *header;
	json_t *headers[2];
	struct mp_buf label, each;
} work;

static struct mp_field parse_axis(int code, const char *arg)
{
	struct mp_field f = mp_choice_field(&program, code, arg);

	if (f.id == MP_FIELD_STACK)
		mp_opt_bad(&program, code, arg, "a field with numbers");
	return f;
}

static void check_labels(const struct mp_fields *fields)
{
	size_t i;

	for (i = 0; i < fields->n; i++)
		if (fields->v[i].id == MP_FIELD_STACK)
			mp_usage("a stack cannot be a label");
}

static void set_option(int code, const char *arg)
{
	static const char *const missing[] = { "zero", "carry", "rounds", NULL };

	options.weighed |= code == 'w';
	if (code == 'e')
		mp_buf_printf(&options.globs, "%s%s", options.globs.len ? "," : "", arg);
	if (mp_choice_option(&options.choice, &program, code, arg))
		return;
	switch (code) {
	case 'x':
		options.x = parse_axis(code, arg);
		mp_choice_name(&options.choice, &options.x, "-x", MP_CHOICE_NUMBER);
		break;
	case 'y':
		options.y = parse_axis(code, arg);
		if (!mp_str_eq(options.y.name, MP_STR("count")))
			mp_choice_name(&options.choice, &options.y, "-y", MP_CHOICE_NUMBER);
		break;
	case OPT_EACH:
		mp_choice_fields(&options.each, arg, &options.choice.names, "--each");
		break;
	case OPT_SUM:
	case OPT_MEAN:
		if (options.mean == (code == OPT_SUM))
			mp_usage("--sum cannot be combined with --mean");
		options.mean = code == OPT_MEAN;
		break;
	case OPT_MISSING:
		options.missing = (int)mp_opt_word(&program, code, arg, missing);
		break;
	case OPT_BIN:
		options.bin = arg;
		break;
	case OPT_BINS:
		options.bins = mp_opt_number(&program, code, arg, 10, 2000);
		break;
	case OPT_LABELS:
		options.labels = mp_opt_number(&program, code, arg, 1, 100000);
		break;
	case 'n':
		options.top = mp_opt_number(&program, code, arg, 1, 100);
		break;
	case OPT_PERCENT:
		options.percent = true;
		break;
	case OPT_TITLE:
		options.title = arg;
		break;
	case OPT_UNIT:
		options.unit = arg;
		break;
	}
}

static void parse_options(int argc, char **argv)
{
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		set_option(code, arg);
	if (options.weighed && options.y.name.p)
		mp_usage("--weight cannot be combined with -y");
	if (options.weighed && options.mean == 1)
		mp_usage("--weight cannot be combined with --mean");
	check_labels(&options.choice.by);
	check_labels(&options.each);
}

/* --- what the first record decides ------------------------------------------------------------ */

static void default_field(struct mp_field *f, const char *name)
{
	if (!f->name.p)
		mp_field_parse(f, mp_str(name));
}

static void default_fields(struct mp_fields *fields, const char *name)
{
	struct mp_str bad;

	if (!fields->n)
		mp_fields_parse(fields, name, &bad);
}

static bool names(const struct mp_fields *fields, const char *name)
{
	size_t i;

	for (i = 0; i < fields->n; i++)
		if (mp_str_eq(fields->v[i].name, mp_str(name)))
			return true;
	return false;
}

static bool is_of_group(const struct mp_rec *rec, const char *group)
{
	return rec && rec->kind == MP_EVENT && rec->type.len > strlen(group) &&
	       memcmp(rec->type.p, group, strlen(group)) == 0;
}

static bool is_memory(const struct mp_rec *rec)
{
	return is_of_group(rec, "mem:");
}

static const char *x_unit(void)
{
	return mp_unit_of(work.header, &options.x);
}

static void set_bin(void)
{
	double width;
	uint64_t ns;

	if (!options.bin)
		return;
	if (work.is_time && mp_num_duration(options.bin, &ns) == 0 && ns > 0)
		width = (double)ns;
	else if (work.is_time || mp_num_decimal(mp_str(options.bin), &width) < 0 || width <= 0)
		mp_opt_bad(&program, OPT_BIN, options.bin,
			   work.is_time ? "a duration such as 1s or 20ms" : "a number above 0");
	mp_stackgrid_wide(&work.grid, width);
}

static void decide(enum mp_kind kind, const struct mp_rec *rec)
{
	bool events = kind == MP_EVENT;
	struct mp_stackgrid_style style = { .bins = options.bins, .rows = options.labels };

	work.kind = kind;
	work.header = work.headers[!events];
	if (options.weighed) {
		options.y = options.choice.weight;
		options.mean = 0;
	}
	work.count =
		(events && (!options.y.name.p || mp_str_eq(options.y.name, MP_STR("count")))) ||
		(options.weighed && !options.y.name.p);
	style.mean = options.mean;
	if (options.mean == UNSET)
		style.mean = !events || (is_memory(rec) && !work.count);
	work.sampled = (style.mean && (!events || is_memory(rec))) || is_of_group(rec, "stat:");
	work.is_run = true;
	style.fill = !style.mean      ? MP_STACK_ZERO
		     : is_memory(rec) ? MP_STACK_ROUNDS
				      : MP_STACK_CARRY;
	if (options.missing != UNSET)
		style.fill = (enum mp_stack_fill)options.missing;
	default_field(&options.x, events ? "time" : "x");
	default_field(&options.y, events ? "count" : "y");
	default_fields(&options.choice.by, events ? "comm" : "info");
	if (events && style.mean && !names(&options.choice.by, "pid") &&
	    !names(&options.choice.by, "tid"))
		default_fields(&options.each, "pid");
	work.is_time = strcmp(x_unit(), "ns") == 0;
	work.spread = options.weighed && events && options.x.id == MP_FIELD_TIME &&
		      mp_str_eq(options.y.name, MP_STR("dur"));
	mp_stackgrid_init(&work.grid, &style);
	work.has_grid = true;
	set_bin();
}

/* Notes a loss of events that the picture would have shown, if x is their time. */
static void handle_lost(const struct mp_ctl *ctl)
{
	uint64_t from = ctl->from_ns ? ctl->from_ns : ctl->time_ns;

	if (work.has_grid && work.kind == MP_EVENT && options.x.id == MP_FIELD_TIME &&
	    mp_choice_concerns(&options.choice.types, ctl))
		mp_stackgrid_lost(&work.grid, ctl->lost, (int64_t)from, (int64_t)ctl->time_ns);
}

static void handle_control(const struct mp_ctl *ctl)
{
	json_t **place = &work.headers[ctl->datatype == MP_POINT];

	if (ctl->what == MP_CTL_LOST)
		handle_lost(ctl);
	if (ctl->what != MP_CTL_HEADER || (ctl->datatype != MP_POINT && ctl->datatype != MP_EVENT))
		return;
	if (!*place)
		*place = json_incref(ctl->json);
	mp_choice_control(&options.choice, ctl);
}

/* --- records ---------------------------------------------------------------------------------- */

/* Joins values with blanks; a field that the record lacks becomes "[no FIELD]". */
static struct mp_str join(const struct mp_rec *rec, const struct mp_fields *fields,
			  struct mp_buf *room)
{
	struct mp_str values[MP_CHOICE_FIELDS_MAX];
	size_t i;

	if (fields->n == 0)
		return MP_STR("");
	if (rec->kind == MP_POINT) {
		for (i = 0; i < fields->n; i++)
			if (!mp_rec_get(rec, &fields->v[i], &values[i]))
				values[i].p = NULL;
	} else {
		mp_rec_names(rec, fields, values);
	}
	if (fields->n == 1 && values[0].p)
		return values[0];
	room->len = 0;
	for (i = 0; i < fields->n; i++) {
		if (i)
			mp_buf_byte(room, ' ');
		if (values[i].p)
			mp_buf_str(room, values[i]);
		else
			mp_buf_printf(room, "[no %.*s]", MP_STR_ARGS(fields->v[i].name));
	}
	return mp_buf_view(room);
}

static int fail(const char **why, const char *text)
{
	*why = text;
	return -1;
}

/* The value of a record: 0, or -1 with `*why`. */
static int value_of(const struct mp_rec *rec, double *y, const char **why)
{
	int64_t weight;
	int got;

	*y = 1;
	if (work.count)
		return 0;
	if (options.weighed) {
		got = mp_choice_weight(&options.y, rec, &weight, why);
		*y = (double)weight;
		return got == 1 ? 0 : -1;
	}
	got = mp_rec_number(rec, &options.y, y);
	if (got == 0)
		return fail(why, "no field for y");
	if (got < 0 || fabs(*y) > 1e200)
		return fail(why, mp_field_why(&options.y, "y is not a number"));
	return 0;
}

static int handle_span(const struct mp_rec *rec, struct mp_str label, struct mp_str each,
		       const char **why)
{
	int64_t dur;

	if (mp_choice_weight(&options.y, rec, &dur, why) < 1)
		return -1;
	if (dur < 0)
		return fail(why, "weight is negative");
	mp_stackgrid_spread(&work.grid, label, each, (int64_t)rec->time_ns - dur,
			    (int64_t)rec->time_ns);
	return 0;
}

/* Notes whether the span is one in which a task ran, as mp-sched writes them. */
static void look_at_state(const struct mp_rec *rec)
{
	static const struct mp_field state = MP_FIELD_OF(KEY, "state");
	struct mp_str value;

	work.is_run &= mp_rec_get(rec, &state, &value) && mp_str_eq(value, MP_STR("run"));
}

/* Adds a record. Returns 0, or -1 with `*why`. */
static int handle_value(const struct mp_rec *rec, const char **why)
{
	struct mp_str label, each;
	double x = 0, y = 0;
	int got;

	if (!work.spread && value_of(rec, &y, why) < 0)
		return -1;
	label = join(rec, &options.choice.by, &work.label);
	each = join(rec, &options.each, &work.each);
	if (memchr(label.p, '\t', label.len) || memchr(each.p, '\t', each.len))
		return fail(why, "bad escape or control byte in a label");
	if (work.spread) {
		look_at_state(rec);
		return handle_span(rec, label, each, why);
	}
	if (rec->kind == MP_EVENT && options.x.id == MP_FIELD_TIME) {
		mp_stackgrid_add_at(&work.grid, label, each, (int64_t)rec->time_ns, y);
		return 0;
	}
	got = mp_rec_number(rec, &options.x, &x);
	if (got == 0)
		return fail(why, "no field for x");
	if (got < 0)
		return fail(why, mp_field_why(&options.x, "x is not a number"));
	mp_stackgrid_add(&work.grid, label, each, x, y);
	return 0;
}

static int handle_record(const struct mp_rec *rec, const char **why)
{
	if (rec->kind == MP_EVENT && !mp_choice_take(&options.choice, rec))
		return 0;
	if (rec->kind == MP_POINT)
		mp_choice_look(&options.choice, rec);
	if (!work.has_grid)
		decide(rec->kind, rec);
	if (rec->kind != work.kind)
		return fail(why, work.kind == MP_EVENT ? "a point among events"
						       : "an event among points");
	return handle_value(rec, why);
}

/* --- the picture ------------------------------------------------------------------------------ */

static void put_names(struct mp_buf *to, const struct mp_fields *fields)
{
	size_t i;

	for (i = 0; i < fields->n; i++)
		mp_buf_printf(to, "%s%.*s", i ? "," : "", MP_STR_ARGS(fields->v[i].name));
}

/* The name of y, which the header may have. */
static struct mp_str y_name(void)
{
	const char *axis =
		json_string_value(json_array_get(json_object_get(work.header, "axes"), 1));

	if (work.count)
		return work.kind == MP_POINT ? MP_STR("points") : MP_STR("events");
	if (work.kind == MP_POINT && options.y.id == MP_FIELD_Y && axis)
		return mp_str(axis);
	return options.y.name;
}

/* Adds when the recording began: in UTC, or as the header has it if that is not a time. */
static void put_start(struct mp_buf *to)
{
	const char *start = json_string_value(json_object_get(work.header, "start"));
	char text[MP_RFC3339_MAX];
	uint64_t ns;

	if (!start)
		return;
	if (mp_rfc3339_parse(start, &ns) == 0) {
		mp_rfc3339_brief(text, ns);
		start = text;
	}
	mp_buf_printf(to, "; recording began %.64s", start);
}

static void make_subtitle(struct mp_buf *to, const struct mp_stackplot *s,
			  const struct mp_stackdraw *d)
{
	const struct mp_stackgrid_style *style = &work.grid.style;
	char width[MP_UNIT_MAX];

	if (options.percent)
		mp_buf_printf(to, "share of the ");
	if (d->rate)
		mp_buf_printf(to, "%.*s per time", MP_STR_ARGS(y_name()));
	else
		mp_buf_printf(to, "%s of %.*s", style->mean ? "average" : "sum",
			      MP_STR_ARGS(y_name()));
	if (s->n_bins) {
		mp_stackdraw_width(width, s, d);
		mp_buf_printf(to, " in bins of %s", width);
	}
	mp_buf_printf(to, ", by ");
	put_names(to, &options.choice.by);
	if (options.each.n) {
		mp_buf_printf(to, ", sum over ");
		put_names(to, &options.each);
	}
	if (style->fill == MP_STACK_CARRY)
		mp_buf_printf(to, "; missing values: as before");
	else if (style->mean)
		mp_buf_printf(to, "; missing values: 0");
	if (s->negative)
		mp_buf_printf(to, "; %llu %s below 0 drawn as 0", (unsigned long long)s->negative,
			      s->negative == 1 ? "value" : "values");
	put_start(to);
	if (work.in.lost)
		mp_buf_printf(to, "; %llu %s lost%s", (unsigned long long)work.in.lost,
			      work.in.lost == 1 ? "event was" : "events were",
			      s->losses.any ? ", in the marked bins" : "");
}

/* Whether the values are time on a CPU. */
static bool is_cpu_time(void)
{
	static const char *const fields[] = { ".runtime", "period" };
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(fields); i++)
		if (mp_str_eq(options.y.name, mp_str(fields[i])))
			return true;
	return work.spread && work.is_run;
}

/* Time per time: what the quotient is, or NULL if the values are not times. */
static const char *rate_of(const struct mp_stackdraw *d)
{
	if (!work.is_time || work.grid.style.mean || strcmp(d->unit, "ns") != 0)
		return NULL;
	return is_cpu_time() ? "CPUs" : "at once";
}

static void make_y_title(struct mp_buf *to, const struct mp_stackplot *s,
			 const struct mp_stackdraw *d)
{
	char width[MP_UNIT_MAX];

	mp_buf_printf(to, options.percent ? "share of the " : "");
	if (d->rate && is_cpu_time()) {
		mp_buf_printf(to, "CPUs busy");
	} else if (d->rate) {
		mp_buf_printf(to, "number at once (%.*s per time)", MP_STR_ARGS(y_name()));
	} else {
		mp_stackdraw_width(width, s, d);
		mp_buf_str(to, y_name());
		if (!d->mean)
			mp_buf_printf(to, " in %s", width);
	}
}

static void make_x_title(struct mp_buf *to)
{
	const char *axis =
		json_string_value(json_array_get(json_object_get(work.header, "axes"), 0));

	if (work.kind == MP_POINT && options.x.id == MP_FIELD_X && axis)
		mp_buf_str(to, mp_str(axis));
	else if (work.is_time && work.kind == MP_POINT)
		mp_buf_printf(to, "time");
	else
		mp_buf_str(to, options.x.name);
	if (work.is_time)
		mp_buf_printf(to, " since the first bin");
}

static void default_title(struct mp_buf *to, const struct mp_stackdraw *d)
{
	if (d->rate && is_cpu_time()) {
		mp_buf_printf(to, "CPUs busy");
	} else if (work.count && options.choice.types.taken == 1) {
		char *type = mp_types_list(&options.choice.types);

		mp_buf_str(to, mp_str(type));
		free(type);
	} else {
		mp_buf_str(to, y_name());
	}
	mp_buf_printf(to, " by ");
	put_names(to, &options.choice.by);
}

/* Writes the picture. Returns the status for main. */
static enum mp_status report(const struct mp_stackplot *s)
{
	mp_say_count(work.grid.dropped,
		     "label beyond those kept while reading was added to other (see --labels)",
		     "labels beyond those kept while reading were added to other (see --labels)");
	mp_say_count(s->negative, "value of a bin below 0 is drawn as 0",
		     "values of bins below 0 are drawn as 0");
	return work.grid.dropped || s->negative ? MP_LOSSY : MP_OK;
}

/* Where x comes from, for the command that selects a range of it. */
static void set_selection(struct mp_stackdraw *d, char **files)
{
	mp_buf_byte(&options.globs, '\0');
	d->x_field = options.x.name;
	d->events = options.globs.len > 1 ? options.globs.p : NULL;
	d->spread = work.spread;
	d->files = files;
}

static enum mp_status draw(struct mp_out *out, char **files)
{
	struct mp_buf title = { NULL, 0, 0 }, subtitle = { NULL, 0, 0 }, svg = { NULL, 0, 0 };
	struct mp_buf x_title = { NULL, 0, 0 }, y_title = { NULL, 0, 0 };
	struct mp_stackdraw d = { .percent = options.percent };
	enum mp_status status;
	struct mp_stackplot s;

	if (!work.has_grid)
		decide(work.headers[1] && !work.headers[0] ? MP_POINT : MP_EVENT, NULL);
	if (work.sampled)
		mp_stackgrid_merge_unsampled(&work.grid);
	if (!work.grid.style.mean && !options.bin)
		mp_stackgrid_merge_sparse(&work.grid);
	mp_stackgrid_finish(&work.grid, options.top, &s);
	status = report(&s);
	d.mean = work.grid.style.mean;
	d.is_time = work.is_time;
	d.x_unit = x_unit();
	d.unit = options.unit ? options.unit
		 : work.count ? ""
			      : mp_unit_of(work.header, &options.y);
	d.rate = rate_of(&d);
	set_selection(&d, files);
	make_y_title(&y_title, &s, &d);
	make_x_title(&x_title);
	d.y_title = mp_buf_view(&y_title);
	d.x_title = mp_buf_view(&x_title);
	make_subtitle(&subtitle, &s, &d);
	d.subtitle = mp_buf_view(&subtitle);
	default_title(&title, &d);
	d.title = options.title ? mp_str(options.title) : mp_buf_view(&title);
	mp_stackdraw_svg(&svg, &s, &d);
	mp_out_write(out, svg.p, svg.len);
	mp_stackplot_release(&s);
	mp_buf_release(&title);
	mp_buf_release(&subtitle);
	mp_buf_release(&x_title);
	mp_buf_release(&y_title);
	mp_buf_release(&svg);
	return status;
}

int main(int argc, char **argv)
{
	enum mp_status status, drawn = MP_OK;
	struct mp_out out;
	struct mp_rec rec;
	const char *why;

	mp_init("mp-stackplot");
	mp_choice_init(&options.choice, "keep them apart with --by type");
	parse_options(argc, argv);
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	mp_input_init(&work.in, argv + optind, MP_CONTROL | MP_EVENT | MP_POINT, &out);
	work.in.concerns = mp_choice_concerns;
	work.in.arg = &options.choice.types;
	while (mp_input_next(&work.in, &rec)) {
		if (rec.kind == MP_CONTROL)
			handle_control(&work.in.ctl);
		else if (handle_record(&rec, &why) < 0)
			mp_input_bad(&work.in, why);
	}
	status = mp_input_finish(&work.in);
	status = mp_choice_finish(&options.choice, status);
	if (work.has_grid || (!work.in.empty && !work.in.refused))
		drawn = draw(&out, argv + optind);
	mp_out_close(&out);
	mp_stackgrid_release(&work.grid);
	mp_buf_release(&options.globs);
	return MP_MAX(status, drawn);
}
