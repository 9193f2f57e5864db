// SPDX-License-Identifier: GPL-2.0-only
/* mp-fold: fold call stacks and add up their weights. */
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/opt.h"
#include "lib/fold/nest.h"
#include "lib/fold/reader.h"
#include "lib/stream/inorder.h"

enum {
	OPT_ANNOTATE = MP_OPT_LONG,
	OPT_LINES,
	OPT_MEMORY,
	OPT_MIN,
	OPT_NESTED,
	OPT_SORT,
	OPT_STREAM,
};

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "Input" },
	MP_FOLD_READER_EVENTS,
	{ OPT_NESTED, "nested", "[FIELD]",
	  "fold spans by their nesting in each thread: frames are their types, or values of "
	  "FIELD, the weight is the time outside of inner spans" },
	MP_FOLD_READER_FRAMES,
	{ 0, NULL, NULL, "Output" },
	MP_CHOICE_INTERVAL("write folded stacks for each interval as soon as it is over, with its "
			   "time as the first frame"),
	{ OPT_STREAM, "stream", NULL, "write stack lines of mp-stream(5)" },
	{ OPT_ANNOTATE, "annotate", NULL,
	  "mark kernel (_[k]), JIT (_[j]) and inlined (_[i]) frames" },
	{ OPT_LINES, "lines", NULL,
	  "keep the places of frames (mp-record --fields +addr), for mp-srcline" },
	MP_FOLD_READER_REVERSE,
	{ OPT_MIN, "min", "N[%]", "omit stacks below N, or below N percent of the total" },
	{ OPT_SORT, "sort", "ORDER", "name (default) or weight" },
	{ 0, NULL, NULL, "Other" },
	{ OPT_MEMORY, "memory", "SIZE",
	  "hold at most SIZE in memory, then use files in TMPDIR (default: 256M)" },
};

static const struct mp_program program = {
	.name = "mp-fold",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Fold the stacks of events, stacks and folded text, and add up their weights.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-record -F 999 -d 10 | mp-fold | flamegraph.pl > cpu.svg\n"
		    "  mp-fold --by comm,tid --weight period cpu.mp\n"
		    "  mp-fold --nested calls.mp | mp-flame > calls.html\n"
		    "  mp-fold monday.folded tuesday.folded > both.folded\n",
};

/* The state of this run. */
static struct {
	struct mp_fold_reader reader;
	struct mp_fold_lines lines; /* stacks that were moved out of the reader's fold */
	struct mp_out out;
	bool has_header;	 /* the header of the output was written */
	struct mp_map modules;	 /* control lines of modules that were read */
	struct mp_buf unwritten; /* those that were not written yet */
	uint64_t written;	 /* lines */
	bool nested;
	struct mp_field name; /* what names the frames of --nested */
	struct mp_nest nest;
	struct mp_inorder order; /* only with --nested */
	size_t input;		 /* number of the current input */
} work = { .name = MP_FIELD_OF(TYPE, "type") };

static void set_min(const char *text)
{
	size_t len = strlen(text);
	double n;

	if (len && text[len - 1] == '%') {
		if (mp_num_decimal((struct mp_str){ text, len - 1 }, &n) < 0 || n < 0 || n > 100)
			mp_opt_bad(&program, OPT_MIN, text, "a percentage");
		work.reader.style.min_share = n / 100;
		return;
	}
	work.reader.style.min = mp_opt_number(&program, OPT_MIN, text, 0, INT64_MAX);
}

static void set_option(int code, const char *arg)
{
	static const char *const orders[] = { "name", "weight", NULL };

	if (mp_fold_reader_option(&work.reader, &program, code, arg))
		return;
	switch (code) {
	case OPT_ANNOTATE:
		work.reader.style.annotate = true;
		break;
	case OPT_LINES:
		work.reader.style.lines = true;
		break;
	case OPT_MEMORY:
		work.lines.limit = mp_opt_size(&program, code, arg, 16 << 20);
		break;
	case OPT_MIN:
		set_min(arg);
		break;
	case OPT_NESTED:
		work.nested = true;
		if (!arg)
			break;
		work.name = mp_choice_field(&program, code, arg);
		mp_choice_name(&work.reader.choice, &work.name, "--nested", MP_CHOICE_KEY);
		break;
	case OPT_SORT:
		work.reader.style.by_weight = mp_opt_word(&program, code, arg, orders) == 1;
		break;
	case OPT_STREAM:
		work.reader.style.stream = true;
		break;
	}
}

/* With --nested the weight is the duration at first, and types are frames, which may differ. */
static void begin_nested(void)
{
	struct mp_choice *choice = &work.reader.choice;

	if (choice->weight.name.p || choice->interval.length_ns)
		mp_usage("--nested cannot be combined with --weight or --interval");
	choice->weight = mp_choice_field(&program, OPT_NESTED, "dur");
	choice->types.mixed = true;
}

static void parse_options(int argc, char **argv)
{
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		set_option(code, arg);
	if (work.nested)
		begin_nested();
	mp_fold_reader_begin(&work.reader);
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
	const struct mp_fold_reader *r = &work.reader;
	struct mp_str weight = r->choice.weight.name;
	json_t *aggregated = json_object_get(r->aggregates, "weight");
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(kept); i++)
		if ((value = json_object_get(r->origin, kept[i])))
			json_object_set(header, kept[i], value);
	if (aggregated)
		json_object_set(header, "weight", aggregated);
	else
		json_object_set_new(header, "weight",
				    mp_ctl_string(weight.p ? weight : MP_STR("count")));
	if (json_object_get(r->aggregates, "units"))
		json_object_set(header, "units", json_object_get(r->aggregates, "units"));
	mp_ctl_add(&line, header);
	mp_out_write(&work.out, line.p, line.len);
	mp_buf_release(&line);
}

/* Keeps the control line of a module, which the places of frames name. */
static void keep_module(struct mp_str line)
{
	bool fresh;

	if (!work.reader.style.stream || !work.reader.style.lines)
		return;
	mp_map_put(&work.modules, &line, 1, &fresh);
	if (!fresh)
		return;
	mp_buf_str(&work.unwritten, line);
	mp_buf_byte(&work.unwritten, '\n');
}

static void write_fold(void)
{
	struct mp_fold_result result;
	char name[MP_RFC3339_MAX];

	if (work.reader.style.stream && !work.has_header)
		write_header();
	work.has_header = true;
	mp_out_write(&work.out, work.unwritten.p, work.unwritten.len);
	work.unwritten.len = 0;
	if (work.reader.choice.interval.length_ns) {
		mp_interval_name(&work.reader.choice.interval, name);
		work.reader.style.first = mp_str(name);
	}
	result = mp_fold_write(&work.reader.fold, &work.reader.style, &work.lines, &work.out);
	work.written += result.lines;
}

static void handle_control(const struct mp_rec *rec, const struct mp_ctl *ctl)
{
	if (ctl->what == MP_CTL_OTHER && json_object_get(ctl->json, "module"))
		keep_module(rec->line);
	if (mp_fold_reader_control(&work.reader, ctl))
		write_fold();
	if (!work.nested)
		return;
	mp_inorder_control(&work.order, ctl);
	if (ctl->datatype == MP_EVENT && (ctl->what == MP_CTL_HEADER || ctl->what == MP_CTL_END))
		mp_nest_end(&work.nest);
}

/* Adds a span with --nested. Returns 0, or -1 with `*why`. */
static int handle_span(const struct mp_rec *rec, int64_t dur_ns, const char **why)
{
	if (!mp_inorder_event(&work.order, rec))
		return 0;
	*why = "dur is negative";
	return dur_ns < 0 ? -1 : mp_nest_add(&work.nest, rec, (uint64_t)dur_ns, why);
}

/* Adds a record. Returns 0, or -1 with `*why`. */
static int handle_record(const struct mp_rec *rec, const char **why)
{
	int64_t weight;
	int taken = mp_fold_reader_take(&work.reader, rec, &weight, why);

	if (taken < 1)
		return taken;
	if (rec->kind == MP_EVENT &&
	    mp_interval_advance(&work.reader.choice.interval, rec->time_ns))
		write_fold();
	if (work.nested ? handle_span(rec, weight, why) < 0
			: mp_fold_add(&work.reader.fold, rec, weight, why) < 0)
		return -1;
	if (mp_fold_lines_is_full(&work.lines, mp_fold_bytes(&work.reader.fold)))
		mp_fold_pour(&work.reader.fold, &work.reader.style, &work.lines);
	return 0;
}

static void write_trailer(uint64_t lost)
{
	struct mp_buf line = { NULL, 0, 0 };

	mp_ctl_add(&line, mp_ctl_trailer(MP_STACK, work.written, lost));
	mp_out_write(&work.out, line.p, line.len);
	mp_buf_release(&line);
}

int main(int argc, char **argv)
{
	unsigned kinds = MP_CONTROL | MP_EVENT | MP_STACK | MP_FOLDED;
	struct mp_choice *choice = &work.reader.choice;
	enum mp_status status, nested = MP_OK;
	struct mp_input in;
	struct mp_rec rec;
	const char *why;

	mp_init("mp-fold");
	mp_map_init(&work.modules, 0);
	mp_fold_reader_init(&work.reader);
	mp_fold_lines_init(&work.lines, 256 << 20);
	parse_options(argc, argv);
	if (choice->interval.length_ns || work.nested)
		kinds = MP_CONTROL | MP_EVENT; /* only events have a time */
	if (choice->interval.length_ns)
		work.reader.style.first = MP_STR(""); /* write_fold() names it */
	mp_out_init(&work.out, STDOUT_FILENO, "stdout");
	mp_input_init(&in, argv + optind, kinds, &work.out);
	in.places = work.reader.style.lines;
	in.concerns = mp_choice_concerns;
	in.arg = &choice->types;
	mp_inorder_init(&work.order, &in);
	mp_nest_init(&work.nest, &work.reader.fold, &work.name);
	while (mp_input_next(&in, &rec)) {
		if (work.nested && work.input != in.next)
			mp_nest_end(&work.nest);
		work.input = in.next;
		if (rec.kind == MP_CONTROL)
			handle_control(&rec, &in.ctl);
		else if (handle_record(&rec, &why) < 0)
			mp_input_bad(&in, why);
	}
	mp_nest_end(&work.nest);
	status = mp_choice_finish(choice, mp_input_finish(&in));
	if (work.nested) {
		nested = mp_nest_report(&work.nest);
		status = MP_MAX(status, nested);
		nested = mp_inorder_finish(&work.order);
		status = MP_MAX(status, nested);
	}
	if (mp_interval_end(&choice->interval) || !work.has_header)
		write_fold();
	if (work.reader.style.stream && !in.cut)
		write_trailer(in.lost);
	mp_fold_report(&work.reader.fold);
	if (work.reader.fold.overflow) {
		mp_say("a weight exceeds 64 bits and was held at the limit");
		status = MP_MAX(status, MP_LOSSY);
	}
	mp_nest_release(&work.nest);
	mp_out_close(&work.out);
	return status;
}
