// SPDX-License-Identifier: GPL-2.0-only
/* mp-hist: distributions of numbers, and counts, by key. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/across.h"
#include "lib/distdump.h"
#include "lib/distout.h"
#include "lib/input.h"
#include "lib/interval.h"
#include "lib/opt.h"
#include "lib/types.h"
#include "lib/unit.h"

enum {
	OPT_BUCKETS = MP_OPT_LONG,
	OPT_DUMP,
	OPT_JSON,
	OPT_POINTS,
	OPT_SORT,
	OPT_TSV,
};

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "What is measured" },
	{ 'f', "field", "FIELD",
	  "the distribution of FIELD (default: dur of events,\n"
	  "y of points)" },
	{ 'c', "count", "FIELDS", "no distribution: count by FIELDS, greatest first" },
	{ 'e', "event", "GLOB",
	  "only events whose type matches; repeated or\n"
	  "comma-separated. Types that match are added up" },
	{ 'w', "weight", "FIELD", "each counts as often as FIELD says (default: once)" },
	{ 0, NULL, NULL, "By what" },
	{ 'b', "by", "FIELDS", "a table for each value of FIELDS" },
	{ 'a', "across", "FIELD", "count in a table of two ways: --by down, FIELD across" },
	{ 't', "top", "N", "N keys, the rest merged into one (text: 10; 0: all)" },
	{ OPT_SORT, "sort", "ORDER", "keys by count (default), sum or name" },
	{ 'i', "interval", "DURATION", "tables for each interval, as soon as it is over" },
	{ 0, NULL, NULL, "Tables" },
	{ 'l', "linear", "[WIDTH]",
	  "rows of equal width (1000, 100us, 64K) instead of powers\n"
	  "of two; without WIDTH one that suits the numbers" },
	{ OPT_BUCKETS, "buckets", "N", "at most N rows where WIDTH is not given (20)" },
	{ 's', "summary", NULL, "a line of statistics for each key, no tables" },
	{ 0, NULL, NULL, "Output" },
	{ OPT_TSV, "tsv", NULL, "tab-separated: rows of the tables, or --summary" },
	{ OPT_JSON, "json", NULL, "an object a line for each key" },
	{ OPT_POINTS, "points", "[STATS]",
	  "points of mp-stream(5): time, value, key. STATS are of\n"
	  "count sum min mean stddev p50 p90 p99 p99.9 max" },
	{ OPT_DUMP, "dump", NULL, "all there is, for mp-hist to read again and to merge" },
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-hist",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Show how numbers of events and points are distributed, or count events by key.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-hist disk.mp\n"
		    "  mp-sched sched.mp | mp-hist --by comm,state --summary\n"
		    "  mp-record -e 'syscalls:sys_enter_*' -d 10 | mp-hist --count type,comm\n"
		    "  mp-hist --dump web*.mp > all.dump; mp-hist --linear=100000 all.dump\n",
};

enum format { TEXT, TSV, JSON, POINTS, DUMP };

static struct {
	struct mp_field field; /* name.p == NULL: dur or y, or what a dump has */
	struct mp_field weight;
	struct mp_fields by;	  /* of the key */
	struct mp_fields by_dump; /* the same in a dump, where all are fields of an event */
	bool across;
	bool chosen; /* -e, or type is in the key: a mixture of types is what the user wants */
	bool has_top;
	uint64_t top;
	enum mp_dist_order order;
	enum format format;
	struct mp_dist_style style;
} options = { .style = { .rows = 20, .unit = "", .weight_unit = "" } };

static struct {
	struct mp_dists dists;
	struct mp_types types;
	struct mp_input in;
	struct mp_out out;
	struct mp_interval interval;
	struct mp_field field; /* measured; name.p == NULL: not known yet */
	struct mp_field weight;
	bool has_about; /* field and weight are settled */
	unsigned kinds; /* MP_EVENT, MP_POINT that were measured */
	char *unit, *weight_unit;
	bool unit_is_old;  /* a header came since */
	double x_ns;	   /* of 1 in x; 0: x is no time */
	json_t *header;	   /* the latest */
	json_t *origin;	   /* the first */
	uint64_t least_ns; /* of all times, without --interval */
	bool started;	   /* the head of the output is written */
	uint64_t lines;
	uint64_t overlong;
	bool found; /* something was measured */
} work = { .least_ns = UINT64_MAX };

static const struct mp_field dur = { MP_FIELD_KEY, { "dur", 3 } };
static const struct mp_field y = { MP_FIELD_Y, { "y", 1 } };
static const struct mp_field x = { MP_FIELD_X, { "x", 1 } };

static void add_by(struct mp_fields *by, const char *list)
{
	struct mp_str bad;
	size_t i, j;

	if (mp_fields_parse(by, list, &bad) < 0)
		mp_usage("'%.*s' is not the name of a field", MP_STR_ARGS(bad));
	for (i = 0; i < by->n; i++)
		for (j = 0; j < i; j++)
			if (mp_str_eq(by->v[i].name, by->v[j].name))
				mp_usage("field '%.*s' is named twice", MP_STR_ARGS(by->v[i].name));
}

static void set_field(struct mp_field *f, int code, const char *arg)
{
	if (mp_field_parse(f, mp_str(arg)) < 0)
		mp_opt_bad(&program, code, arg, "the name of a field");
}

/* "1000", or "100us" of ns, "64K" of bytes. */
static void set_linear(const char *arg)
{
	double *width = &work.dists.width;
	uint64_t v;

	options.style.linear = true;
	if (!arg || mp_num_decimal(mp_str(arg), width) == 0)
		;
	else if (mp_num_duration(arg, &v) == 0 || mp_num_size(arg, &v) == 0)
		*width = (double)v;
	if (arg && !(*width >= 1e-300 && *width <= 1e300))
		mp_opt_bad(&program, 'l', arg, "a width above 0");
}

static void set_stats(const char *list)
{
	while (list && *list) {
		size_t len = strcspn(list, ",");
		enum mp_stat s = MP_STAT_COUNT;

		while (s < MP_STATS &&
		       !mp_str_eq(mp_str(mp_stat_name(s)), (struct mp_str){ list, len }))
			s++;
		if (s == MP_STATS)
			mp_opt_bad(&program, OPT_POINTS, list, "a list of statistics");
		options.style.stats |= 1u << s;
		list += len + (list[len] == ',');
	}
}

static void set_order(const char *arg)
{
	static const char *const names[] = { "count", "sum", "name" };
	size_t i = 0;

	while (i < MP_ARRAY_SIZE(names) && strcmp(names[i], arg) != 0)
		i++;
	if (i == MP_ARRAY_SIZE(names))
		mp_opt_bad(&program, OPT_SORT, arg, "count, sum or name");
	options.order = (enum mp_dist_order)i;
}

static void set_format(enum format format)
{
	if (options.format != TEXT && options.format != format)
		mp_usage("--tsv, --json, --points and --dump exclude each other");
	options.format = format;
}

static void set_option(int code, char *arg, struct mp_field *across)
{
	switch (code) {
	case 'a':
		set_field(across, code, arg);
		options.across = true;
		break;
	case 'b':
		add_by(&options.by, arg);
		break;
	case 'c':
		add_by(&options.by, arg);
		work.dists.counting = true;
		break;
	case 'e':
		mp_types_add(&work.types, arg);
		options.chosen = true;
		break;
	case 'f':
		set_field(&options.field, code, arg);
		break;
	case 'i':
		work.interval.length_ns = mp_opt_duration(&program, code, arg);
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
	case 'w':
		if (strcmp(arg, "count") == 0)
			options.weight.name.p = NULL;
		else
			set_field(&options.weight, code, arg);
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
	case OPT_POINTS:
		set_format(POINTS);
		set_stats(arg);
		break;
	case OPT_SORT:
		set_order(arg);
		break;
	case OPT_TSV:
		set_format(TSV);
		break;
	}
}

/* A dump keeps types apart, so that whoever reads it can refuse or choose as if it read events. */
static void settle_key(const struct mp_field *across)
{
	struct mp_field type = { MP_FIELD_TYPE, { "type", 4 } };
	bool has_type = false;
	size_t i;

	if (options.across) {
		options.by.v =
			mp_grow(options.by.v, &options.by.cap, options.by.n + 1, sizeof(*across));
		options.by.v[options.by.n++] = *across;
		add_by(&options.by, "");
	}
	for (i = 0; i < options.by.n; i++)
		has_type |= options.by.v[i].id == MP_FIELD_TYPE;
	options.chosen |= has_type;
	if (options.format == DUMP && !has_type) {
		options.by.v =
			mp_grow(options.by.v, &options.by.cap, options.by.n + 1, sizeof(type));
		options.by.v[options.by.n++] = type;
	}
	for (i = 0; i < options.by.n; i++) {
		add_by(&options.by_dump, "_");
		options.by_dump.v[i] = (struct mp_field){ MP_FIELD_KEY, options.by.v[i].name };
	}
}

static void check_options(void)
{
	if (options.across && (options.field.name.p || options.style.linear))
		mp_usage("--across counts: it has no --field and no --linear");
	if (options.across && !options.by.n)
		mp_usage("--across needs fields that go down: --by FIELDS");
	if (work.dists.counting && (options.field.name.p || options.style.linear))
		mp_usage("--count has no --field and no --linear");
	if (work.dists.counting && !options.by.n)
		mp_usage("--count needs the fields to count by");
}

static size_t text_columns(void)
{
	const char *env = getenv("COLUMNS");
	struct winsize size;
	uint64_t n;

	if (!isatty(STDOUT_FILENO))
		return 80;
	options.style.cut = true;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
		return size.ws_col;
	return env && mp_num_range(env, 20, 10000, &n) == 0 ? n : 80;
}

static void parse_options(int argc, char **argv)
{
	struct mp_field across = { .name = { NULL, 0 } };
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		set_option(code, arg, &across);
	check_options();
	work.dists.counting |= options.across;
	work.dists.linear = options.style.linear;
	settle_key(&across);
	if (!options.has_top && options.format == TEXT)
		options.top = 10;
	if (!options.style.stats)
		options.style.stats = work.dists.counting
					      ? 1u << MP_STAT_COUNT
					      : 1u << MP_STAT_P50 | 1u << MP_STAT_P90 |
							1u << MP_STAT_P99 | 1u << MP_STAT_MAX;
	if (work.dists.counting && options.style.stats != 1u << MP_STAT_COUNT)
		mp_usage("--count and --across have no other statistics than the count");
	options.style.counting = work.dists.counting;
	options.style.columns = text_columns();
	options.style.by = work.dists.by = &options.by;
}

static void refuse_mixture(void)
{
	if (options.chosen)
		return;
	if (work.types.taken > 1)
		mp_usage("the input has several types of events (%s): choose with -e, or keep them "
			 "apart with --by type",
			 mp_types_list(&work.types));
	if (work.kinds == (MP_EVENT | MP_POINT))
		mp_usage("the input has events and points: choose events with -e");
}

/* The header of a stream is made of the input's, and of nothing that changes from run to run. */
static void write_header(void)
{
	static const char *const kept[] = { "start", "clock", "clock_ns", "realtime_ns",
					    "boot",  "host",  "kernel" };
	bool points = options.format == POINTS;
	struct mp_buf line = { NULL, 0, 0 };
	json_t *header = json_pack("{s:i, s:s, s:s}", "mp", MP_STREAM_VERSION, "datatype",
				   points ? "point" : "event", "interface", "mp-hist"),
	       *units = json_object(), *value;
	struct mp_str what = work.field.name;
	const char *unit = work.unit ? work.unit : "";
	char name[128];
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(kept); i++)
		if ((value = json_object_get(work.origin, kept[i])))
			json_object_set(header, kept[i], value);
	if (options.style.counting || options.style.stats == 1u << MP_STAT_COUNT) {
		what = work.weight.name.p ? work.weight.name : MP_STR("count");
		unit = work.weight_unit ? work.weight_unit : "";
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
	struct mp_dump_about about = { work.field.name, work.weight.name };
	struct mp_dump_result result;

	if (work.dists.counting)
		about.field.p = NULL;
	result = mp_dump_write(&work.dists, &about, options.style.time_ns, &work.out);
	work.lines += result.lines;
	work.overlong += result.overlong;
}

static void check_linear(const struct mp_dist *dist)
{
	if (options.style.linear && dist->linear.too_wide)
		mp_die("numbers from %g to %g need too many rows of equal width: give a greater "
		       "WIDTH, or leave out --linear",
		       dist->hist.min, dist->hist.max);
}

static void write_list(void)
{
	struct mp_dist_list list;
	size_t i;

	mp_dists_list(&work.dists, options.order, options.top, &list);
	for (i = 0; i < list.n && !work.dists.counting; i++)
		check_linear(list.rows[i].dist);
	check_linear(&list.other);
	switch (options.format) {
	case TSV:
		mp_dist_write_tsv(&list, &options.style, &work.out);
		break;
	case JSON:
		mp_dist_write_json(&list, &options.style, &work.out);
		break;
	case POINTS:
		work.lines += mp_dist_write_points(&list, &options.style, &work.out);
		break;
	case TEXT:
	case DUMP:
		if (list.n)
			mp_dist_write_text(&list, &options.style, &work.out);
	}
	mp_dist_list_release(&list);
}

/* All tables of what came until now, or in this interval. */
static void write_tables(void)
{
	char name[MP_RFC3339_MAX];

	options.style.field = work.field.name.p ? work.field.name : MP_STR("value");
	options.style.weight = work.weight.name;
	options.style.unit = work.unit ? work.unit : "";
	options.style.weight_unit = work.weight_unit ? work.weight_unit : "";
	options.style.time_ns = work.least_ns == UINT64_MAX ? 0 : work.least_ns;
	if (work.interval.length_ns) {
		mp_interval_name(&work.interval, name);
		options.style.time = name;
		options.style.time_ns = mp_interval_start(&work.interval);
	}
	start_output();
	if (work.dists.linear && !mp_dump_complete(&work.dists))
		mp_die("a dump lacks the rows that --linear wants: make it with the same --linear");
	if (options.format == DUMP)
		write_dump();
	else if (options.across && options.format == TEXT && work.dists.total)
		mp_across_write_text(&work.dists, options.order, options.top, &options.style,
				     &work.out);
	else if (options.across && options.format == TSV)
		mp_across_write_tsv(&work.dists, options.order, options.top, &options.style,
				    &work.out);
	else
		write_list();
}

static void end_interval(void)
{
	if (work.interval.filling)
		write_tables();
	mp_dists_clear(&work.dists);
	work.interval.filling = false;
}

/* The time of a point is its x, if that has a unit of time. */
static double x_factor(void)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	const char *unit = mp_unit_of(work.header, &x);
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(units); i++)
		if (strcmp(unit, units[i].unit) == 0)
			return units[i].ns;
	return 0;
}

static void take_control(void)
{
	const struct mp_ctl *ctl = &work.in.ctl;

	if (ctl->what == MP_CTL_WATERMARK && work.interval.filling &&
	    mp_interval_of(&work.interval, ctl->time_ns) > work.interval.number)
		end_interval();
	if (ctl->what != MP_CTL_HEADER)
		return;
	if (!work.origin)
		work.origin = json_incref(ctl->json);
	json_decref(work.header);
	work.header = json_incref(ctl->json);
	work.unit_is_old = true;
	work.x_ns = x_factor();
	mp_types_header(&work.types, ctl->json);
	refuse_mixture();
	mp_interval_header(&work.interval, ctl);
}

/* Numbers in us and in bytes have no common table. */
static void settle_unit(char **unit, const struct mp_field *f)
{
	const char *now = mp_unit_of(work.header, f);

	if (*unit && strcmp(*unit, now) != 0)
		mp_usage("the input has '%.*s' in '%s' and in '%s'", MP_STR_ARGS(f->name), *unit,
			 now);
	if (!*unit)
		*unit = mp_strdup(now);
}

static bool same_field(const struct mp_field *f, struct mp_str name)
{
	return (f->name.p && name.p) ? mp_str_eq(f->name, name) : f->name.p == name.p;
}

static void settle_field(struct mp_field *to, struct mp_str name)
{
	to->name = name;
	if (name.p)
		mp_field_parse(to, mp_str(mp_strndup(name.p, name.len)));
}

/* What the first record, or line of a dump, is about holds for all. */
static void settle_about(const struct mp_dump_about *about)
{
	if (!work.has_about) {
		settle_field(&work.field, about->field);
		settle_field(&work.weight, about->weight);
		work.has_about = true;
	}
	if (!same_field(&work.field, about->field))
		mp_usage("the input has distributions of '%.*s' and of '%.*s'",
			 MP_STR_ARGS(work.field.name), MP_STR_ARGS(about->field));
	if (!same_field(&work.weight, about->weight))
		mp_usage("the input is weighted by different fields ('%.*s', '%.*s')",
			 MP_STR_ARGS(work.weight.name), MP_STR_ARGS(about->weight));
	if (!work.unit_is_old && work.unit)
		return;
	work.unit_is_old = false;
	if (work.field.name.p)
		settle_unit(&work.unit, &work.field);
	else if (!work.unit)
		work.unit = mp_strdup("");
	if (work.weight.name.p)
		settle_unit(&work.weight_unit, &work.weight);
	work.dists.binary = work.dists.width == 0 && strlen(work.unit) > 0 &&
			    work.unit[strlen(work.unit) - 1] == 'B';
}

/* Of a record that is no line of a dump. */
static struct mp_dump_about about_of(const struct mp_rec *rec)
{
	struct mp_dump_about about = { { NULL, 0 }, options.weight.name };

	if (!work.dists.counting)
		about.field = options.field.name.p    ? options.field.name
			      : rec->kind == MP_POINT ? y.name
						      : dur.name;
	return about;
}

/* False if there is none. */
static bool time_of(const struct mp_rec *rec, uint64_t *time_ns)
{
	double v;

	*time_ns = rec->time_ns;
	if (rec->kind == MP_EVENT)
		return true;
	if (work.x_ns == 0 || mp_num_decimal(rec->x, &v) < 0)
		return false;
	v *= work.x_ns;
	if (!(v >= 0 && v < 0x1p63))
		return false;
	*time_ns = (uint64_t)v;
	return true;
}

/* Ends the interval before if this record is in another. */
static int take_time(const struct mp_rec *rec, const char **why)
{
	uint64_t time_ns;
	bool known = time_of(rec, &time_ns);

	if (work.interval.length_ns == 0) {
		if (known)
			work.least_ns = MP_MIN(work.least_ns, time_ns);
		return 0;
	}
	*why = "point whose x is no time (its header names no such unit)";
	if (!known)
		return -1;
	if (!work.interval.filling ||
	    mp_interval_of(&work.interval, time_ns) != work.interval.number) {
		end_interval();
		work.interval.number = mp_interval_of(&work.interval, time_ns);
		work.interval.filling = true;
	}
	return 0;
}

static int weight_of(const struct mp_rec *rec, uint64_t *weight, const char **why)
{
	struct mp_str text;
	int64_t v;

	*weight = 1;
	if (!work.weight.name.p)
		return 0;
	*why = "event without the field that is its weight";
	if (!mp_rec_get(rec, &work.weight, &text))
		return -1;
	*why = "weight is not a whole number from 0 on";
	if (mp_num_any(text, &v) < 0 || v < 0)
		return -1;
	*weight = (uint64_t)v;
	return 0;
}

/* As mp_rec_number(); the y of a point is a decimal number for sure. */
static int number_of(const struct mp_rec *rec, double *v)
{
	if (work.field.id == MP_FIELD_Y && rec->kind == MP_POINT)
		return mp_num_decimal(rec->y, v) == 0 ? 1 : -1;
	return mp_rec_number(rec, &work.field, v);
}

static int measure(const struct mp_rec *rec, const char **why)
{
	struct mp_dist *dist;
	uint64_t weight;
	double v = 0;
	int got = 1;

	if (!work.dists.counting)
		got = number_of(rec, &v);
	*why = got ? "what is measured is no number" : "record without the field that is measured";
	if (got < 1 || weight_of(rec, &weight, why) < 0 || take_time(rec, why) < 0)
		return -1;
	dist = mp_dists_at(&work.dists, rec, &options.by, why);
	if (!dist)
		return -1;
	mp_dist_add(&work.dists, dist, v, weight);
	return 0;
}

/* 1 if it is measured, 0 if it is not wanted. */
static bool wanted(struct mp_rec *rec, struct mp_str type, bool point)
{
	if (point && work.types.n_globs)
		return false;
	rec->type = type;
	if (!point && !mp_types_take(&work.types, rec))
		return false;
	work.kinds |= point ? MP_POINT : MP_EVENT;
	return true;
}

/* 0, or -1 with `*why`. */
static int take_record(struct mp_rec *rec, const char **why)
{
	bool is_dump = mp_dump_is(rec);
	struct mp_dump_about about;
	struct mp_str type = rec->type;
	int result;

	if (is_dump)
		mp_dump_read_about(rec, &about, &type);
	else
		about = about_of(rec);
	if (!wanted(rec, type, is_dump ? !type.p : rec->kind == MP_POINT))
		return 0;
	refuse_mixture();
	if (is_dump && options.field.name.p && !same_field(&options.field, about.field)) {
		*why = "distribution of another field in a dump";
		return -1;
	}
	settle_about(&about);
	if (!is_dump)
		result = measure(rec, why);
	else if ((result = take_time(rec, why)) == 0)
		result = mp_dump_add(&work.dists, rec, &options.by_dump, why);
	work.found |= result == 0;
	return result;
}

static void write_trailer(void)
{
	enum mp_kind kind = options.format == POINTS ? MP_POINT : MP_EVENT;
	struct mp_buf line = { NULL, 0, 0 };

	mp_ctl_add(&line, mp_ctl_trailer(kind, work.lines, work.in.lost));
	mp_out_write(&work.out, line.p, line.len);
	mp_buf_release(&line);
}

/* The rest of the output, and what there is to say. Returns the status. */
static enum mp_status finish(void)
{
	enum mp_status status = mp_input_finish(&work.in);

	if (!work.found && work.has_about && !options.field.name.p && !work.dists.counting)
		mp_usage("no record has '%.*s': choose what is measured with -f FIELD, or count "
			 "with --count FIELDS",
			 MP_STR_ARGS(work.field.name));
	if (work.interval.filling || !work.interval.length_ns)
		write_tables();
	start_output();
	if ((options.format == POINTS || options.format == DUMP) && !work.in.cut)
		write_trailer();
	if (work.types.n_globs && !work.types.taken && work.types.seen.n)
		mp_say("no event matches -e; the input has '%.*s'%s",
		       MP_STR_ARGS(work.types.seen.first->key),
		       work.types.seen.n > 1 ? " and others" : "");
	mp_say_count(work.overlong, "key is too long for a dump and was left out",
		     "lines have keys that are too long for a dump and were left out");
	if (work.dists.overflow)
		mp_say("the counts exceed 64 bits: what came then was left out");
	return work.overlong || work.dists.overflow ? MP_MAX(status, MP_LOSSY) : status;
}

int main(int argc, char **argv)
{
	enum mp_status status;
	struct mp_rec rec;
	const char *why;

	mp_init("mp-hist");
	mp_types_init(&work.types);
	parse_options(argc, argv);
	mp_dists_init(&work.dists);
	mp_out_init(&work.out, STDOUT_FILENO, "stdout");
	mp_input_init(&work.in, argv + optind, MP_CONTROL | MP_EVENT | MP_POINT, &work.out);
	while (mp_input_next(&work.in, &rec)) {
		if (rec.kind == MP_CONTROL)
			take_control();
		else if (take_record(&rec, &why) < 0)
			mp_input_bad(&work.in, why);
	}
	status = finish();
	mp_out_close(&work.out);
	return status;
}
