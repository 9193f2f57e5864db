// SPDX-License-Identifier: GPL-2.0-only
/* mp-fold: fold call stacks and add up their weights. */
#include <stdlib.h>
#include <unistd.h>

#include "lib/fold/fold.h"
#include "lib/stream/input.h"
#include "lib/stream/interval.h"
#include "lib/core/opt.h"
#include "lib/stream/types.h"

enum {
	OPT_ANNOTATE = MP_OPT_LONG,
	OPT_DEPTH,
	OPT_INTERVAL,
	OPT_KERNEL,
	OPT_MERGE_RECURSIVE,
	OPT_MIN,
	OPT_NO_COMM,
	OPT_REVERSE,
	OPT_SORT,
	OPT_STREAM,
	OPT_USER,
};

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "What is folded" },
	{ 'b', "by", "FIELDS", "put FIELDS in front of the frames (default: comm)" },
	{ OPT_NO_COMM, "no-comm", NULL, "put nothing in front of the frames" },
	{ 'e', "event", "GLOB",
	  "fold only events whose type matches; repeated or\n"
	  "comma-separated. Types that match are added up" },
	{ 'w', "weight", "FIELD",
	  "weight of an event, such as .bytes, dur or period\n"
	  "(default: 1 for each)" },
	{ OPT_KERNEL, "kernel", NULL, "keep only kernel frames" },
	{ OPT_USER, "user", NULL, "keep only user frames" },
	{ OPT_DEPTH, "depth", "N", "keep at most N frames, from the root" },
	{ OPT_MERGE_RECURSIVE, "merge-recursive", NULL,
	  "fold a function that calls itself into one frame" },
	{ 0, NULL, NULL, "What is written" },
	{ 'i', "interval", "DURATION",
	  "write a fold for each interval, its time as the first\n"
	  "frame, as soon as it is over" },
	{ OPT_STREAM, "stream", NULL, "write stack lines of mp-stream(5)" },
	{ OPT_ANNOTATE, "annotate", NULL,
	  "mark kernel (_[k]), JIT (_[j]) and inlined (_[i]) frames" },
	{ OPT_REVERSE, "reverse", NULL, "leaf first" },
	{ OPT_MIN, "min", "N[%]", "leave out stacks below N, or below N percent of the whole" },
	{ OPT_SORT, "sort", "ORDER", "name (default) or weight" },
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-fold",
	.synopsis = "[OPTION]... [FILE]...",
	.summary =
		"Fold the call stacks of events, stacks and folded text, and add up their weights.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-record -F 999 -d 10 | mp-fold | flamegraph.pl > cpu.svg\n"
		    "  mp-fold --by comm,tid --weight period cpu.mp\n"
		    "  mp-fold monday.folded tuesday.folded > both.folded\n",
};

static struct {
	struct mp_fields by;
	struct mp_field weight; /* name.p == NULL: count */
	bool weight_is_period;
	bool chosen; /* -e or --by type: a mixture of types is what the user wants */
	struct mp_fold_style style;
} options;

/* The fold at work. */
static struct {
	struct mp_fold fold;
	struct mp_types types;
	struct mp_out out;
	struct mp_interval interval;
	json_t *origin;	      /* first header of the input */
	json_t *sums;	      /* header of the first section of sums */
	bool stacks_left_out; /* those of the section at hand */
	bool has_header;      /* of the output, written */
	uint64_t lines;
} work;

static void add_by(const char *list)
{
	struct mp_str bad;
	size_t i;

	if (mp_fields_parse(&options.by, list, &bad) < 0)
		mp_usage("'%.*s' is not the name of a field", MP_STR_ARGS(bad));
	for (i = 0; i < options.by.n; i++) {
		if (options.by.v[i].id == MP_FIELD_STACK)
			mp_usage("the stack cannot be put in front of itself");
		if (options.by.v[i].id == MP_FIELD_TYPE)
			options.chosen = true;
	}
}

static void set_min(const char *text)
{
	size_t len = strlen(text);
	double n;

	if (len && text[len - 1] == '%') {
		if (mp_num_decimal((struct mp_str){ text, len - 1 }, &n) < 0 || n < 0 || n > 100)
			mp_opt_bad(&program, OPT_MIN, text, "a percentage");
		options.style.min_share = n / 100;
		return;
	}
	options.style.min = mp_opt_number(&program, OPT_MIN, text, 0, INT64_MAX);
}

static void set_option(int code, const char *arg)
{
	switch (code) {
	case 'b':
		add_by(arg);
		break;
	case 'e':
		mp_types_add(&work.types, arg);
		options.chosen = true;
		break;
	case 'w':
		if (strcmp(arg, "count") == 0)
			options.weight.name.p = NULL;
		else if (mp_field_parse(&options.weight, mp_str(arg)) < 0)
			mp_opt_bad(&program, code, arg, "the name of a field");
		options.weight_is_period = strcmp(arg, "period") == 0;
		break;
	case 'i':
		work.interval.length_ns = mp_opt_duration(&program, code, arg);
		break;
	case OPT_ANNOTATE:
		options.style.annotate = true;
		break;
	case OPT_DEPTH:
		options.style.depth = mp_opt_number(&program, code, arg, 1, UINT32_MAX);
		break;
	case OPT_KERNEL:
		options.style.kernel_only = true;
		break;
	case OPT_USER:
		options.style.user_only = true;
		break;
	case OPT_MERGE_RECURSIVE:
		options.style.merge_recursive = true;
		break;
	case OPT_MIN:
		set_min(arg);
		break;
	case OPT_REVERSE:
		options.style.reverse = true;
		break;
	case OPT_SORT:
		if (strcmp(arg, "name") != 0 && strcmp(arg, "weight") != 0)
			mp_opt_bad(&program, code, arg, "name or weight");
		options.style.by_weight = strcmp(arg, "weight") == 0;
		break;
	case OPT_STREAM:
		options.style.stream = true;
		break;
	}
}

static void parse_options(int argc, char **argv)
{
	bool no_comm = false;
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1) {
		if (code == OPT_NO_COMM)
			no_comm = true;
		else
			set_option(code, arg);
	}
	if (no_comm && options.by.n)
		mp_usage("--by and --no-comm exclude each other");
	if (options.style.kernel_only && options.style.user_only)
		mp_usage("--kernel and --user exclude each other");
	if (!options.by.n && !no_comm)
		add_by("comm");
}

static void refuse_mixture(void)
{
	char *text;

	if (options.chosen)
		return; /* asked for each event */
	text = mp_types_mixture(&work.types, "keep them apart with --by type,comm");
	if (text)
		mp_usage("%s", text);
}

/* The header is made of the input's, and of nothing that changes from run to run. */
static void write_header(void)
{
	static const char *const kept[] = { "start", "host", "kernel" };
	struct mp_buf line = { NULL, 0, 0 };
	json_t *header = json_pack("{s:i, s:s, s:s}", "mp", MP_STREAM_VERSION, "datatype", "stack",
				   "interface", "mp-fold"),
	       *value;
	struct mp_str weight = options.weight.name.p ? options.weight.name : MP_STR("count");
	json_t *of_sums = json_object_get(work.sums, "weight");
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(kept); i++)
		if ((value = json_object_get(work.origin, kept[i])))
			json_object_set(header, kept[i], value);
	if (of_sums)
		json_object_set(header, "weight", of_sums);
	else
		json_object_set_new(header, "weight", mp_ctl_string(weight));
	if (json_object_get(work.sums, "units"))
		json_object_set(header, "units", json_object_get(work.sums, "units"));
	mp_ctl_add(&line, header);
	mp_out_write(&work.out, line.p, line.len);
	mp_buf_release(&line);
}

static void write_fold(void)
{
	struct mp_fold_result result;
	char name[MP_RFC3339_MAX];

	if (options.style.stream && !work.has_header)
		write_header();
	work.has_header = true;
	if (work.interval.length_ns) {
		mp_interval_name(&work.interval, name);
		options.style.first = mp_str(name);
	}
	result = mp_fold_write(&work.fold, &options.style, &work.out);
	work.lines += result.lines;
}

static void end_interval(void)
{
	if (work.interval.filling)
		write_fold();
	mp_fold_clear(&work.fold);
	work.interval.filling = false;
}

/* A sum of the kernel is chosen by its name, as events are by their type. */
static void begin_stacks(const struct mp_ctl *ctl)
{
	json_t *name = json_object_get(ctl->json, "sum");
	struct mp_type_seen *seen;

	work.stacks_left_out = false;
	if (!json_is_string(name))
		return;
	seen = mp_types_lookup(&work.types, (struct mp_str){ json_string_value(name),
							     json_string_length(name) });
	work.stacks_left_out = !seen->taken;
	if (seen->taken && !work.sums)
		work.sums = json_incref(ctl->json);
	refuse_mixture();
}

static void take_control(const struct mp_ctl *ctl)
{
	if (ctl->what == MP_CTL_WATERMARK && work.interval.filling &&
	    mp_interval_of(&work.interval, ctl->time_ns) > work.interval.number)
		end_interval();
	if (ctl->what != MP_CTL_HEADER)
		return;
	if (!work.origin)
		work.origin = json_incref(ctl->json);
	if (ctl->datatype == MP_STACK)
		begin_stacks(ctl);
	mp_types_header(&work.types, ctl->json);
	refuse_mixture();
	mp_interval_header(&work.interval, ctl);
}

static int event_weight(const struct mp_rec *rec, int64_t *weight, const char **why)
{
	struct mp_str text;

	*weight = 1;
	if (!options.weight.name.p)
		return 0;
	if (!mp_rec_get(rec, &options.weight, &text)) {
		*why = "event without the field that is its weight";
		return options.weight_is_period ? 0 : -1;
	}
	*why = "weight is not a whole number";
	return mp_num_any(text, weight);
}

/* 0, or -1 with `*why`. */
static int take_record(const struct mp_rec *rec, const char **why)
{
	int64_t weight = rec->weight;

	if (rec->kind == MP_EVENT) {
		if (!mp_types_take(&work.types, rec))
			return 0;
		refuse_mixture();
		if (event_weight(rec, &weight, why) < 0)
			return -1;
		if (work.interval.length_ns &&
		    (!work.interval.filling ||
		     mp_interval_of(&work.interval, rec->time_ns) != work.interval.number)) {
			end_interval();
			work.interval.number = mp_interval_of(&work.interval, rec->time_ns);
			work.interval.filling = true;
		}
	}
	if (rec->kind == MP_STACK && work.stacks_left_out)
		return 0;
	return mp_fold_add(&work.fold, rec, weight, why);
}

static void write_trailer(uint64_t lost)
{
	struct mp_buf line = { NULL, 0, 0 };

	mp_ctl_add(&line, mp_ctl_trailer(MP_STACK, work.lines, lost));
	mp_out_write(&work.out, line.p, line.len);
	mp_buf_release(&line);
}

/* A glob that matches nothing is more often a slip than a wish. */
static void tell_no_match(void)
{
	if (work.types.n_globs && !work.types.taken && work.types.seen.n)
		mp_say("no event matches -e; the input has '%.*s'%s",
		       MP_STR_ARGS(work.types.seen.first->key),
		       work.types.seen.n > 1 ? " and others" : "");
}

int main(int argc, char **argv)
{
	unsigned kinds = MP_CONTROL | MP_EVENT | MP_STACK | MP_FOLDED;
	enum mp_status status;
	struct mp_input in;
	struct mp_rec rec;
	const char *why;

	mp_init("mp-fold");
	mp_types_init(&work.types);
	parse_options(argc, argv);
	if (work.interval.length_ns)
		kinds = MP_CONTROL | MP_EVENT; /* the others have no time */
	mp_fold_init(&work.fold, &options.by);
	mp_out_init(&work.out, STDOUT_FILENO, "stdout");
	mp_input_init(&in, argv + optind, kinds, &work.out);
	while (mp_input_next(&in, &rec)) {
		if (rec.kind == MP_CONTROL)
			take_control(&in.ctl);
		else if (take_record(&rec, &why) < 0)
			mp_input_bad(&in, why);
	}
	status = mp_input_finish(&in);
	if (work.interval.filling || !work.has_header)
		write_fold();
	if (options.style.stream && !in.cut)
		write_trailer(in.lost);
	tell_no_match();
	if (work.fold.overflow) {
		mp_say("a weight exceeds 64 bits and was held at the limit");
		status = MP_MAX(status, MP_LOSSY);
	}
	mp_out_close(&work.out);
	return status;
}
