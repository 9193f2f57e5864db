// SPDX-License-Identifier: GPL-2.0-only
/* mp-hist: distributions of numbers, and counts, by key. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/core/opt.h"
#include "lib/core/screen.h"
#include "lib/hist/crosstab.h"
#include "lib/hist/measure.h"
#include "lib/hist/output.h"
#include "lib/stream/input.h"
#include "lib/stream/unit.h"

enum {
	OPT_BUCKETS = MP_OPT_LONG,
	OPT_DUMP,
	OPT_JSON,
	OPT_LIVE,
	OPT_OVER,
	OPT_POINTS,
	OPT_SORT,
	OPT_SUM,
	OPT_TSV,
};

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "What is measured" },
	{ 'f', "field", "FIELD",
	  "the distribution of FIELD (default: dur of events, "
	  "y of points)" },
	{ 'c', "count", "FIELDS", "count by FIELDS, greatest first, without distributions" },
	{ OPT_SUM, "sum", "FIELDS", "with --count also the sum of each of FIELDS" },
	MP_CHOICE_EVENT(MP_CHOICE_ADDED),
	MP_CHOICE_WEIGHT("weight of each event or point (default: 1)"),
	{ 0, NULL, NULL, "Keys" },
	MP_CHOICE_BY("a table for each value of FIELDS"),
	{ 'a', "across", "FIELD", "count in a two-way table: --by down, FIELD across" },
	{ 't', "top", "N",
	  "show N keys and merge the rest into one (default for text: 10; 0: "
	  "all)" },
	{ OPT_SORT, "sort", "ORDER",
	  "sort keys by name, or by a statistic: count (default), sum, min, mean, stddev, p50, "
	  "p90, p99, p99.9 or max; with --over also over or over_share" },
	MP_CHOICE_INTERVAL("tables for each interval, as soon as it is over"),
	{ 0, NULL, NULL, "Tables" },
	{ 'l', "linear", "[WIDTH]",
	  "rows of equal width (1000, 100us, 64K) instead of powers "
	  "of two; without WIDTH one that suits the numbers" },
	{ OPT_BUCKETS, "buckets", "N", "show at most N rows if WIDTH is not given (default: 20)" },
	{ 's', "summary", NULL, "a line of statistics for each key, no tables" },
	{ OPT_OVER, "over", "VALUE",
	  "with each key how many numbers are at least VALUE (4ms, 64K, 1000), and which percentage" },
	{ 0, NULL, NULL, "Output" },
	MP_SCREEN_LIVE(OPT_LIVE),
	{ OPT_TSV, "tsv", NULL, "tab-separated: rows of the tables, or --summary" },
	{ OPT_JSON, "json", NULL, "write an object for each key, one to a line" },
	{ OPT_POINTS, "points", "[STATS]",
	  "points of mp-stream(5): time, value, key. STATS are of "
	  "count sum min mean stddev p50 p90 p99 p99.9 max over over_share" },
	{ OPT_DUMP, "dump", NULL, "write complete counts, which mp-hist can read again and merge" },
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-hist",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Show how numbers of events and points are distributed, or count events by key.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples =
		"  mp-hist disk.mp\n"
		"  mp-sched sched.mp | mp-hist --by comm,state --summary\n"
		"  mp-hist --over 4ms --by comm --summary --sort over disk.mp\n"
		"  mp-record -g none -e 'syscalls:sys_enter_*' -d 10 | mp-hist --count type,comm\n"
		"  mp-record -qg none -e 'syscalls:sys_enter_*' | mp-hist --live -c type,comm\n"
		"  mp-hist --dump web1.mp > web1.dump; mp-hist web1.dump web2.dump\n",
};

enum format { TEXT, TSV, JSON, POINTS, DUMP };

static struct {
	bool across;
	uint64_t live_ns; /* the time between two pictures; 0: none */
	bool has_top;
	uint64_t top;
	enum mp_dist_order order;
	enum format format;
	struct mp_dist_style style;
} options = { .style = { .rows = 20 } };

static struct {
	struct mp_measure m;
	struct mp_input in;
	struct mp_out out;
	json_t *origin;	   /* the first header of the input */
	uint64_t least_ns; /* the least time of all records; only without --interval */
	bool started;	   /* the first lines of the output were written */
	uint64_t lines;
	uint64_t overlong;
	uint64_t records; /* how many were measured */
	uint64_t began_ns;
	struct mp_screen screen;
} work = { .least_ns = UINT64_MAX };

/* Parses a number: "1000", "100us" for ns, or "64K" for bytes. Returns false if it is not one. */
static bool read_number(const char *arg, double *to)
{
	uint64_t v;

	if (mp_num_decimal(mp_str(arg), to) == 0)
		return true;
	if (mp_num_duration(arg, &v) < 0 && mp_num_size(arg, &v) < 0)
		return false;
	*to = (double)v;
	return true;
}

static void set_over(const char *arg)
{
	work.m.dists.has_over = true;
	if (!read_number(arg, &work.m.dists.over))
		mp_opt_bad(&program, OPT_OVER, arg, "a number, a time or a size");
}

static void set_linear(const char *arg)
{
	double *width = &work.m.dists.width;

	options.style.linear = true;
	if (arg)
		read_number(arg, width);
	if (arg && !(*width >= 1e-300 && *width <= 1e300))
		mp_opt_bad(&program, 'l', arg, "a width above 0");
}

static void set_stats(const char *list)
{
	while (list && *list) {
		size_t len = strcspn(list, ",");
		enum mp_stat s = MP_STAT_COUNT;

		while (s < MP_STATS &&
		       !mp_str_eq(mp_str(mp_dist_stat_name(s)), (struct mp_str){ list, len }))
			s++;
		if (s == MP_STATS)
			mp_opt_bad(&program, OPT_POINTS, list, "a list of statistics");
		options.style.stats |= 1u << s;
		list += len + (list[len] == ',');
	}
}

static void add_sums(const char *list)
{
	struct mp_fields *sums = &work.m.dists.sums;

	mp_choice_fields(sums, list, &work.m.choice.names, "--sum");
	if (sums->n > MP_DIST_SUMS_MAX)
		mp_usage("--sum takes at most %d fields", MP_DIST_SUMS_MAX);
}

static void set_format(enum format format)
{
	if (options.format != TEXT && options.format != format)
		mp_usage("--tsv, --json, --points and --dump cannot be combined");
	options.format = format;
}

static void set_option(int code, char *arg, struct mp_field *across)
{
	static const char *const orders[] = { "count",	"sum",	"name",	      "min", "mean",
					      "stddev", "p50",	"p90",	      "p99", "p99.9",
					      "max",	"over", "over_share", NULL };

	if (mp_choice_option(&work.m.choice, &program, code, arg))
		return;
	switch (code) {
	case 'a':
		*across = mp_choice_field(&program, code, arg);
		mp_choice_name(&work.m.choice, across, "--across", MP_CHOICE_KEY);
		options.across = true;
		break;
	case 'c':
		mp_choice_fields(&work.m.choice.by, arg, &work.m.choice.names, "--count");
		work.m.dists.counting = true;
		break;
	case 'f':
		work.m.field = mp_choice_field(&program, code, arg);
		mp_choice_name(&work.m.choice, &work.m.field, "--field", MP_CHOICE_NUMBER);
		break;
	case 'l':
		set_linear(arg);
		break;
	case 's':
		options.style.summary = true;
		break;
	case 't':
		options.top = mp_opt_number(&program, code, arg, 0, SIZE_MAX);
		options.has_top = true;
		break;
	case OPT_BUCKETS:
		options.style.rows = mp_opt_number(&program, code, arg, 2, 200);
		break;
	case OPT_DUMP:
		set_format(DUMP);
		break;
	case OPT_JSON:
		set_format(JSON);
		break;
	case OPT_LIVE:
		options.live_ns = arg ? mp_opt_duration(&program, code, arg) : MP_SCREEN_EVERY_NS;
		break;
	case OPT_OVER:
		set_over(arg);
		break;
	case OPT_POINTS:
		set_format(POINTS);
		set_stats(arg);
		break;
	case OPT_SORT:
		options.order = (enum mp_dist_order)mp_opt_word(&program, code, arg, orders);
		break;
	case OPT_SUM:
		add_sums(arg);
		break;
	case OPT_TSV:
		set_format(TSV);
		break;
	}
}

static void append_field(const struct mp_field *f)
{
	struct mp_fields *by = &work.m.choice.by;

	by->v = mp_grow(by->v, &by->cap, by->n + 1, sizeof(*f));
	by->v[by->n++] = *f;
}

/*
 * Completes the key. A dump keeps types apart, so that its reader can refuse a mixture or choose,
 * as if it read events.
 */
static void settle_key(const struct mp_field *across)
{
	const struct mp_field type = MP_FIELD_OF(TYPE, "type");
	const struct mp_fields *by = &work.m.choice.by;
	bool has_type;
	size_t i, j;

	if (options.across)
		append_field(across);
	for (i = 0; i < by->n; i++)
		for (j = 0; j < i; j++)
			if (mp_str_eq(by->v[i].name, by->v[j].name))
				mp_usage("field '%.*s' is named twice", MP_STR_ARGS(by->v[i].name));
	has_type = mp_choice_has_type(by);
	work.m.choice.types.mixed |= has_type;
	for (i = 0; i < by->n && options.format == DUMP; i++)
		if (by->v[i].computed)
			mp_usage("--dump cannot be combined with the computed key '%.*s' (dump its "
				 "fields, or compute it when the dump is read)",
				 MP_STR_ARGS(by->v[i].name));
	if (options.format == DUMP && !has_type)
		append_field(&type);
}

/* The statistics of points if none were named. */
static unsigned usual_stats(void)
{
	if (work.m.dists.counting)
		return 1u << MP_STAT_COUNT;
	if (work.m.dists.has_over)
		return 1u << MP_STAT_OVER_SHARE;
	return 1u << MP_STAT_P50 | 1u << MP_STAT_P90 | 1u << MP_STAT_P99 | 1u << MP_STAT_MAX;
}

static void check_over(void)
{
	bool asked = options.order == MP_DIST_BY_OVER || options.order == MP_DIST_BY_OVER_SHARE ||
		     options.style.stats >> MP_STATS_ALWAYS;

	if (asked && !work.m.dists.has_over)
		mp_usage("over and over_share need --over VALUE");
	if (work.m.dists.has_over && (work.m.dists.counting || options.across))
		mp_usage("--over cannot be combined with --count or --across");
}

static void check_options(void)
{
	bool sums = work.m.dists.sums.n;

	check_over();
	if (sums && (!work.m.dists.counting || options.across))
		mp_usage("--sum needs --count, and cannot be combined with --across");
	if (sums && (options.format == DUMP || options.format == POINTS))
		mp_usage("--sum cannot be combined with --dump or --points");
	if (options.live_ns && options.format != TEXT)
		mp_usage("--live cannot be combined with --tsv, --json, --points or --dump");
	if (options.live_ns && work.m.choice.interval.length_ns)
		mp_usage("--live cannot be combined with --interval");
	if (options.across && (work.m.field.name.p || options.style.linear))
		mp_usage("--across cannot be combined with --field or --linear");
	if (options.across && !work.m.choice.by.n)
		mp_usage("--across needs --by FIELDS for the rows");
	if (work.m.dists.counting && (work.m.field.name.p || options.style.linear))
		mp_usage("--count cannot be combined with --field or --linear");
	if (work.m.dists.counting && !work.m.choice.by.n)
		mp_usage("--count needs the fields to count by");
}

static size_t text_columns(void)
{
	const char *env = getenv("COLUMNS");
	struct winsize size;
	uint64_t n;

	if (!isatty(STDOUT_FILENO))
		return 80;
	options.style.truncate = true;
	if (env && mp_num_range(env, 20, 10000, &n) == 0)
		return n;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20 ? size.ws_col : 80;
}

static void parse_options(int argc, char **argv)
{
	struct mp_field across = { .name = { NULL, 0 } };
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		set_option(code, arg, &across);
	check_options();
	work.m.dists.counting |= options.across;
	work.m.dists.linear = options.style.linear;
	settle_key(&across);
	if (!options.has_top && options.format == TEXT)
		options.top = 10;
	if (!options.style.stats)
		options.style.stats = usual_stats();
	if (work.m.dists.counting && options.style.stats != 1u << MP_STAT_COUNT)
		mp_usage("--count and --across have only the count as a statistic");
	options.style.counting = work.m.dists.counting;
	options.style.has_over = work.m.dists.has_over;
	options.style.over = work.m.dists.over;
	options.style.columns = text_columns();
	options.style.by = &work.m.choice.by;
	options.style.sums = &work.m.dists.sums;
	mp_measure_start(&work.m);
}

/*
 * Writes the header of a stream, which depends only on that of the input, and on nothing that
 * changes from run to run.
 */
static void write_header(void)
{
	static const char *const kept[] = { "start", "clock", "clock_ns", "realtime_ns",
					    "boot",  "host",  "kernel" };
	bool points = options.format == POINTS;
	struct mp_buf line = { NULL, 0, 0 };
	json_t *header = json_pack("{s:i, s:s, s:s}", "mp", MP_STREAM_VERSION, "datatype",
				   points ? "point" : "event", "interface", "mp-hist"),
	       *units = json_object(), *value;
	struct mp_str what = work.m.about.field;
	const char *unit = work.m.unit;
	char name[128];
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(kept); i++)
		if ((value = json_object_get(work.origin, kept[i])))
			json_object_set(header, kept[i], value);
	if (options.style.counting || options.style.stats == 1u << MP_STAT_COUNT ||
	    options.style.stats == 1u << MP_STAT_OVER) {
		what = work.m.about.weight.p ? work.m.about.weight : MP_STR("count");
		unit = work.m.weight_unit;
	} else if (options.style.stats == 1u << MP_STAT_OVER_SHARE) {
		what = MP_STR("over_share");
		unit = "";
	}
	if (points) {
		json_object_set_new(header, "axes",
				    json_pack("[s, s%]", "time", what.p ? what.p : "", what.len));
		json_object_set_new(units, "time", json_string("ns"));
	}
	snprintf(name, sizeof(name), "%.*s", MP_STR_ARGS(what));
	if (*unit)
		json_object_set_new(units, name, json_string(unit));
	if (json_object_size(units))
		json_object_set(header, "units", units);
	json_decref(units);
	mp_ctl_add(&line, header);
	mp_out_write(&work.out, line.p, line.len);
	mp_buf_release(&line);
}

static void start_output(void)
{
	if (work.started)
		return;
	work.started = true;
	if (options.format == POINTS || options.format == DUMP)
		write_header();
	else if (options.format == TSV && !options.across)
		mp_dist_write_tsv_names(&options.style, &work.out);
}

static void write_dump(void)
{
	struct mp_dump_result result;

	result = mp_dump_write(&work.m.dists, &work.m.about, options.style.time_ns, &work.out);
	work.lines += result.lines;
	work.overlong += result.overlong;
}

static void check_linear(const struct mp_dist *dist)
{
	if (options.style.linear && dist->linear.too_wide)
		mp_die("numbers from %g to %g need too many rows of equal width (give a greater "
		       "WIDTH, or omit --linear)",
		       dist->hist.min, dist->hist.max);
}

/* Writes the list of the first `top` keys to `out`. */
static void write_list(struct mp_out *out, size_t top)
{
	struct mp_dist_list list;
	size_t i;

	mp_dists_list(&work.m.dists, options.order, top, &list);
	for (i = 0; i < list.n && !work.m.dists.counting; i++)
		check_linear(mp_dist_list_at(&list, i));
	check_linear(&list.other);
	switch (options.format) {
	case TSV:
		mp_dist_write_tsv(&list, &options.style, out);
		break;
	case JSON:
		mp_dist_write_json(&list, &options.style, out);
		break;
	case POINTS:
		work.lines += mp_dist_write_points(&list, &options.style, out);
		break;
	case TEXT:
	case DUMP:
		if (list.n)
			mp_dist_write_text(&list, &options.style, out);
	}
	mp_dist_list_release(&list);
}

/* What dumps lack for the options. */
static void check_dumps(void)
{
	const char *lacks = mp_dump_lacks(&work.m.dists);

	if (lacks)
		mp_die("a dump lacks the counts for %s (make the dump with the same %s)", lacks,
		       lacks);
}

/* Writes the tables of the first `top` keys to `out`. */
static void write_keys(struct mp_out *out, size_t top)
{
	options.style.field = work.m.about.field.p ? work.m.about.field : MP_STR("value");
	options.style.weight = work.m.about.weight;
	options.style.unit = work.m.unit;
	options.style.weight_unit = work.m.weight_unit;
	options.style.sum_units = work.m.units + 2;
	if (options.across && options.format == TEXT && work.m.dists.total)
		mp_crosstab_write_text(&work.m.dists, options.order, top, &options.style, out);
	else if (options.across && options.format == TSV)
		mp_crosstab_write_tsv(&work.m.dists, options.order, top, &options.style, out);
	else
		write_list(out, top);
}

/* Writes all tables, of the input so far or of the current interval. */
static void write_tables(void)
{
	char name[MP_RFC3339_MAX];

	options.style.time_ns = work.least_ns == UINT64_MAX ? 0 : work.least_ns;
	if (work.m.choice.interval.length_ns) {
		mp_interval_name(&work.m.choice.interval, name);
		options.style.time = name;
		options.style.time_ns = mp_interval_start(&work.m.choice.interval);
	}
	start_output();
	check_dumps();
	if (options.format == DUMP)
		write_dump();
	else
		write_keys(&work.out, options.top);
	mp_dists_clear(&work.m.dists);
}

/* Writes the picture of --live: a line about the input, and the keys that have room. */
static void draw(void *arg, struct mp_out *to, size_t columns, size_t rows)
{
	enum { OTHER_LINES = 3 }; /* this line, the titles, and the row of all other keys */
	size_t room = MP_MAX(rows, (size_t)OTHER_LINES + 1) - OTHER_LINES;
	size_t whole = options.style.columns;

	(void)arg;
	check_dumps();
	mp_out_printf(to, "%.1f s, %llu record%s\n",
		      (double)(mp_monotonic_ns() - work.began_ns) / MP_NS_PER_SEC,
		      (unsigned long long)work.records, mp_plural(work.records));
	options.style.columns = columns;
	write_keys(to, options.has_top && options.top ? MP_MIN(options.top, room) : room);
	options.style.columns = whole;
}

static void handle_control(void)
{
	const struct mp_ctl *ctl = &work.in.ctl;
	char *refusal;

	if (mp_interval_control(&work.m.choice.interval, ctl))
		write_tables();
	if (ctl->what != MP_CTL_HEADER)
		return;
	mp_ctl_origin(&work.origin, ctl);
	refusal = mp_measure_header(&work.m, ctl);
	if (refusal)
		mp_usage("%s", refusal);
}

/* If the record is in another interval, ends the previous one. */
static int handle_time(const struct mp_rec *rec, const char **why)
{
	uint64_t time_ns;
	bool known = mp_measure_time(&work.m, rec, &time_ns);

	if (work.m.choice.interval.length_ns == 0) {
		if (known)
			work.least_ns = MP_MIN(work.least_ns, time_ns);
		return 0;
	}
	*why = "point whose x is not a time (the header names no unit of time for it)";
	if (!known)
		return -1;
	if (mp_interval_advance(&work.m.choice.interval, time_ns))
		write_tables();
	return 0;
}

/* Handles a record. Returns 0, or -1 with `*why`. */
static int handle_record(struct mp_rec *rec, const char **why)
{
	char *refusal;

	switch (mp_measure_look(&work.m, rec, why, &refusal)) {
	case MP_MEASURE_ADD:
		break;
	case MP_MEASURE_SKIP:
		return 0;
	case MP_MEASURE_BAD:
		return -1;
	case MP_MEASURE_REFUSE:
		mp_usage("%s", refusal);
	}
	if (handle_time(rec, why) < 0 || mp_measure_add(&work.m, rec, why) < 0)
		return -1;
	work.records++;
	return 0;
}

static void write_trailer(void)
{
	enum mp_kind kind = options.format == POINTS ? MP_POINT : MP_EVENT;
	struct mp_buf line = { NULL, 0, 0 };

	mp_ctl_add(&line, mp_ctl_trailer(kind, work.lines, work.in.lost));
	mp_out_write(&work.out, line.p, line.len);
	mp_buf_release(&line);
}

/* Writes the rest of the output and the final messages. Returns the status. */
static enum mp_status finish(void)
{
	enum mp_status status = mp_input_finish(&work.in);
	enum mp_status named = mp_choice_finish(&work.m.choice, MP_OK);

	status = MP_MAX(status, named);
	if (named == MP_OK && !work.records && work.m.decided && !work.m.field.name.p &&
	    !work.m.dists.counting)
		mp_usage("no record has '%.*s': choose what is measured with -f FIELD, or count "
			 "with --count FIELDS",
			 MP_STR_ARGS(work.m.about.field));
	if (options.live_ns)
		mp_screen_end(&work.screen);
	if (mp_interval_end(&work.m.choice.interval))
		write_tables();
	start_output();
	if ((options.format == POINTS || options.format == DUMP) && !work.in.cut)
		write_trailer();
	mp_say_count(work.overlong, "key is too long for a dump and was omitted",
		     "lines have keys that are too long for a dump and were omitted");
	if (work.m.dists.overflow)
		mp_say("the counts exceed 64 bits: later records were omitted");
	return work.overlong || work.m.dists.overflow ? MP_MAX(status, MP_LOSSY) : status;
}

int main(int argc, char **argv)
{
	enum mp_status status;
	struct mp_rec rec;
	const char *why;

	mp_init("mp-hist");
	mp_measure_init(&work.m);
	parse_options(argc, argv);
	mp_out_init(&work.out, STDOUT_FILENO, "stdout");
	mp_screen_init(&work.screen, &work.out);
	work.began_ns = mp_monotonic_ns();
	if (options.live_ns)
		mp_screen_begin(&work.screen, options.live_ns, draw, NULL);
	mp_input_init(&work.in, argv + optind, MP_CONTROL | MP_EVENT | MP_POINT, &work.out);
	work.in.concerns = mp_choice_concerns;
	work.in.arg = &work.m.choice.types;
	while (mp_input_next(&work.in, &rec)) {
		if (rec.kind == MP_CONTROL)
			handle_control();
		else if (handle_record(&rec, &why) < 0)
			mp_input_bad(&work.in, why);
	}
	status = finish();
	mp_out_close(&work.out);
	return status;
}
