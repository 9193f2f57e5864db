// SPDX-License-Identifier: GPL-2.0-only
/* mp-fold: fold call stacks and add up their weights. */
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/opt.h"
#include "lib/fold/fold.h"
#include "lib/stream/choice.h"
#include "lib/stream/input.h"

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
	{ 0, NULL, NULL, "Input" },
	MP_CHOICE_BY("put FIELDS in front of the frames (default: comm)"),
	{ OPT_NO_COMM, "no-comm", NULL, "put nothing in front of the frames" },
	MP_CHOICE_EVENT(MP_CHOICE_ADDED),
	MP_CHOICE_WEIGHT("weight of an event, such as .bytes, dur or period "
			 "(default: 1 for each)"),
	{ OPT_KERNEL, "kernel", NULL, "keep only kernel frames" },
	{ OPT_USER, "user", NULL, "keep only user frames" },
	{ OPT_DEPTH, "depth", "N", "keep at most N frames, from the root" },
	{ OPT_MERGE_RECURSIVE, "merge-recursive", NULL,
	  "fold a function that calls itself into one frame" },
	{ 0, NULL, NULL, "Output" },
	MP_CHOICE_INTERVAL("write folded stacks for each interval as soon as it is over, with its "
			   "time as the first frame"),
	{ OPT_STREAM, "stream", NULL, "write stack lines of mp-stream(5)" },
	{ OPT_ANNOTATE, "annotate", NULL,
	  "mark kernel (_[k]), JIT (_[j]) and inlined (_[i]) frames" },
	{ OPT_REVERSE, "reverse", NULL, "leaf first" },
	{ OPT_MIN, "min", "N[%]", "omit stacks below N, or below N percent of the total" },
	{ OPT_SORT, "sort", "ORDER", "name (default) or weight" },
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-fold",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Fold the stacks of events, stacks and folded text, and add up their weights.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-record -F 999 -d 10 | mp-fold | flamegraph.pl > cpu.svg\n"
		    "  mp-fold --by comm,tid --weight period cpu.mp\n"
		    "  mp-fold monday.folded tuesday.folded > both.folded\n",
};

static struct {
	struct mp_choice choice;
	bool no_comm;
	struct mp_fold_style style;
} options;

/* The state of this run. */
static struct {
	struct mp_fold fold;
	struct mp_out out;
	json_t *origin;	  /* first header of the input */
	json_t *sums;	  /* header of the first section of in-kernel aggregates */
	bool skip_stacks; /* the current section is one that -e excludes */
	bool has_header;  /* the header of the output was written */
	uint64_t lines;
} work;

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
	static const char *const orders[] = { "name", "weight", NULL };

	if (mp_choice_option(&options.choice, &program, code, arg))
		return;
	switch (code) {
	case OPT_NO_COMM:
		options.no_comm = true;
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
		options.style.by_weight = mp_opt_word(&program, code, arg, orders) == 1;
		break;
	case OPT_STREAM:
		options.style.stream = true;
		break;
	}
}

static void parse_options(int argc, char **argv)
{
	struct mp_fields *by = &options.choice.by;
	char *arg;
	int code;
	size_t i;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		set_option(code, arg);
	if (options.no_comm && by->n)
		mp_usage("--by cannot be combined with --no-comm");
	if (options.style.kernel_only && options.style.user_only)
		mp_usage("--kernel cannot be combined with --user");
	if (!by->n && !options.no_comm)
		mp_choice_fields(by, "comm", NULL, NULL);
	for (i = 0; i < by->n; i++)
		if (by->v[i].id == MP_FIELD_STACK)
			mp_usage("the stack cannot be put in front of itself");
}

/*
 * Writes the header, which depends only on that of the input, and on nothing that changes from run
 * to run.
 */
static void write_header(void)
{
	static const char *const kept[] = { "start", "host", "kernel" };
	struct mp_buf line = { NULL, 0, 0 };
	json_t *header = json_pack("{s:i, s:s, s:s}", "mp", MP_STREAM_VERSION, "datatype", "stack",
				   "interface", "mp-fold"),
	       *value;
	struct mp_str weight = options.choice.weight.name;
	json_t *of_sums = json_object_get(work.sums, "weight");
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(kept); i++)
		if ((value = json_object_get(work.origin, kept[i])))
			json_object_set(header, kept[i], value);
	if (of_sums)
		json_object_set(header, "weight", of_sums);
	else
		json_object_set_new(header, "weight",
				    mp_ctl_string(weight.p ? weight : MP_STR("count")));
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
	if (options.choice.interval.length_ns) {
		mp_interval_name(&options.choice.interval, name);
		options.style.first = mp_str(name);
	}
	result = mp_fold_write(&work.fold, &options.style, &work.out);
	work.lines += result.lines;
	mp_fold_clear(&work.fold);
}

/* Selects in-kernel aggregates by their names, as events are selected by their types. */
static void begin_stacks(const struct mp_ctl *ctl)
{
	json_t *name = json_object_get(ctl->json, "sum");
	struct mp_type_seen *seen;

	work.skip_stacks = false;
	if (!json_is_string(name))
		return;
	seen = mp_types_lookup(&options.choice.types, (struct mp_str){ json_string_value(name),
								       json_string_length(name) });
	work.skip_stacks = !seen->taken;
	if (seen->taken && !work.sums)
		work.sums = json_incref(ctl->json);
	mp_types_refuse_mixture(&options.choice.types);
}

static void handle_control(const struct mp_ctl *ctl)
{
	if (ctl->what == MP_CTL_HEADER && !work.origin)
		work.origin = json_incref(ctl->json);
	if (ctl->what == MP_CTL_HEADER && ctl->datatype == MP_STACK)
		begin_stacks(ctl);
	if (mp_choice_control(&options.choice, ctl))
		write_fold();
}

/* Adds a record. 0, or -1 with `*why`. */
static int handle_record(const struct mp_rec *rec, const char **why)
{
	int64_t weight = rec->weight;

	if (rec->kind == MP_EVENT) {
		if (!mp_choice_take(&options.choice, rec))
			return 0;
		if (mp_choice_weight(&options.choice.weight, rec, &weight, why) < 1)
			return -1;
		if (mp_interval_advance(&options.choice.interval, rec->time_ns))
			write_fold();
	}
	if (rec->kind == MP_STACK && work.skip_stacks)
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

int main(int argc, char **argv)
{
	unsigned kinds = MP_CONTROL | MP_EVENT | MP_STACK | MP_FOLDED;
	enum mp_status status;
	struct mp_input in;
	struct mp_rec rec;
	const char *why;

	mp_init("mp-fold");
	mp_choice_init(&options.choice, "keep them apart with --by type,comm");
	parse_options(argc, argv);
	if (options.choice.interval.length_ns)
		kinds = MP_CONTROL | MP_EVENT; /* only events have a time */
	mp_fold_init(&work.fold, &options.choice.by);
	mp_out_init(&work.out, STDOUT_FILENO, "stdout");
	mp_input_init(&in, argv + optind, kinds, &work.out);
	in.concerns = mp_choice_concerns;
	in.arg = &options.choice.types;
	while (mp_input_next(&in, &rec)) {
		if (rec.kind == MP_CONTROL)
			handle_control(&in.ctl);
		else if (handle_record(&rec, &why) < 0)
			mp_input_bad(&in, why);
	}
	status = mp_choice_finish(&options.choice, mp_input_finish(&in));
	if (mp_interval_end(&options.choice.interval) || !work.has_header)
		write_fold();
	if (options.style.stream && !in.cut)
		write_trailer(in.lost);
	if (work.fold.overflow) {
		mp_say("a weight exceeds 64 bits and was held at the limit");
		status = MP_MAX(status, MP_LOSSY);
	}
	mp_out_close(&work.out);
	return status;
}
