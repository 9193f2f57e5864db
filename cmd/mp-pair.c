// SPDX-License-Identifier: GPL-2.0-only
/* mp-pair: match begin and end events, write the spans between them. */
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/opt.h"
#include "lib/pair/pair.h"
#include "lib/pair/pairtext.h"
#include "lib/stream/esc.h"
#include "lib/stream/inorder.h"
#include "lib/stream/unit.h"

enum {
	OPT_AROUND = MP_OPT_LONG,
	OPT_HIDE,
	OPT_LINES,
	OPT_MAX_OPEN,
	OPT_OVER,
	OPT_STACK,
	OPT_TEXT,
	OPT_UNDER,
	OPT_WHERE,
};

enum { MEMORY_MIN = 1 << 20, TYPE_MAX = 255, LINES = 40 };

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "What is matched" },
	{ 'b', "begin", "SPEC",
	  "events that begin a span: [NAME=]TYPE[/EXPR/], comma-separated or "
	  "repeated" },
	{ 'e', "end", "SPEC", "events that end" },
	{ 's', "step", "SPEC", "a step of a chain, instead of -b and -e" },
	{ 'k', "key", "KEY",
	  "FIELD[=FIELD][,...] that begin and end have in common "
	  "(default: tid); again: for the next step of a chain" },
	{ 'p', "policy", "POLICY",
	  "for a second begin with the same key: replace (default), "
	  "queue or nest" },
	{ 0, NULL, NULL, "What is written" },
	{ OPT_OVER, "over", "DURATION", "only spans that last at least DURATION" },
	{ OPT_UNDER, "under", "DURATION", "only spans that are shorter" },
	{ OPT_WHERE, "where", "EXPR",
	  "only spans that meet EXPR, such as 'begin:cpu != end:cpu && dur > 4000'" },
	{ 'f', "fields", "LIST",
	  "fields of a span: [NAME=][begin:|end:]FIELD[,...] "
	  "(default: all of the begin event, and those that only the end event has)" },
	{ OPT_STACK, "stack", "SIDE",
	  "stack of a span: that of the begin event (default), that "
	  "of the end event, or none" },
	{ 'n', "name", "NAME",
	  "type of the spans (default: what the types of both events have in common, or BEGIN=>END)" },
	{ 'c', "context", "WHICH",
	  "with each span the events that happened inside it: all, "
	  "samecpu, samepid, sametid, or several of these" },
	{ OPT_AROUND, "around", "DURATION",
	  "with each span also the events up to DURATION before its begin and after its end" },
	{ OPT_TEXT, "text", NULL,
	  "text for people: spans with the events around them, and who ran (default on a terminal)" },
	{ OPT_LINES, "lines", "N",
	  "at most N events of each span in the text (default: 40; 0: all)" },
	{ 'a', "all", NULL,
	  "write also the begins without an end, as spans up to the end of the input, with ended=0" },
	{ OPT_HIDE, "hide", "DURATION",
	  "in the text only events that come at least DURATION after the one before them, or "
	  "before the one after" },
	{ 'o', "open", NULL, "write the begins without an end, at the end of the input" },
	{ 0, NULL, NULL, "Limits" },
	{ OPT_MAX_OPEN, "max-open", "N", "keep at most N open begins (default: 1000000)" },
	{ 'm', "memory", "SIZE",
	  "keep at most SIZE of open begins, and as much of "
	  "recent events for --context (default: 256M)" },
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-pair",
	.synopsis = "{-b SPEC -e SPEC | -s SPEC...} [-k KEY] [OPTION]... [FILE]...",
	.summary = "Match events that begin something with those that end it, and write spans.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples =
		"  mp-pair -b irq:softirq_entry -e irq:softirq_exit -k cpu,.vec softirq.mp\n"
		"  mp-pair --over 4ms --text -b irq:softirq_entry -e irq:softirq_exit softirq.mp\n"
		"  mp-pair -b sched:sched_waking -e sched:sched_switch -k .pid=.next_pid sched.mp\n"
		"  mp-pair --open -b kmem:kmalloc -e kmem:kfree -k .ptr kmem.mp\n",
};

static struct mp_pair_specs specs;
static struct mp_pair_where where;
static struct mp_pair_options options = {
	.specs = &specs,
	.under_ns = UINT64_MAX,
	.max_open = 1000000,
	.memory = 256 << 20,
};

/* The state of this run. */
static struct {
	bool begin, end; /* -b and -e were given */
	bool text;	 /* --text was given, or is the default here */
	size_t lines;
	uint64_t hide_ns;
	struct mp_pairtext people;
	struct mp_input in;
	struct mp_inorder order;
	struct mp_out out;
	struct mp_relay relay;
	struct mp_pair *pair;
	size_t input; /* number of the current input */
	char *first;  /* type of the first event */
	struct mp_buf name;
} work = { .lines = LINES };

static void add_spec(unsigned step, const char *arg)
{
	char *error;

	if (mp_pair_specs_step(&specs, step, arg, &error) < 0)
		mp_usage("%s", error);
}

static void add_key(const char *arg)
{
	char *error;

	if (mp_pair_specs_key(&specs, arg, &error) < 0)
		mp_usage("%s", error);
}

static void set_where(const char *arg)
{
	char *error;

	if (mp_pair_where_parse(&where, arg, &error) < 0)
		mp_usage("%s", error);
	options.where = &where;
}

static void add_fields(const char *arg)
{
	char *error;

	if (mp_pair_specs_fields(&specs, arg, &error) < 0)
		mp_usage("%s", error);
}

static void set_name(const char *arg)
{
	char first = *arg | 0x20;

	mp_esc_add(&work.name, mp_str(arg), MP_ESC_TYPE);
	options.name = mp_buf_view(&work.name);
	if (first < 'a' || first > 'z' || options.name.len > TYPE_MAX - 3)
		mp_opt_bad(&program, 'n', arg, "a name that begins with a letter");
}

/* Parses the argument of --context, a list. */
static void set_context(const char *arg)
{
	static const char *const names[] = { "all", "samecpu", "samepid", "sametid" };
	size_t i, len;

	for (options.context = 0;; arg += len + 1) {
		len = strcspn(arg, ",");
		for (i = 0; i < MP_ARRAY_SIZE(names); i++)
			if (mp_str_eq((struct mp_str){ arg, len }, mp_str(names[i])))
				break;
		if (i == MP_ARRAY_SIZE(names))
			mp_usage(
				"'%.*s' given to --context is not all, samecpu, samepid or sametid",
				(int)len, arg);
		options.context |= 1u << i;
		if (!arg[len])
			return;
	}
}

static void set_option(int code, const char *arg)
{
	static const char *const policies[] = { "replace", "queue", "nest", NULL };
	static const char *const sides[] = { "begin", "end", "none", NULL };

	switch (code) {
	case 'b':
	case 'e':
		work.begin |= code == 'b';
		work.end |= code == 'e';
		add_spec(code == 'e', arg);
		break;
	case 's':
		if (options.n_steps == MP_PAIR_STEPS_MAX)
			mp_usage("more than %d steps", MP_PAIR_STEPS_MAX);
		add_spec(options.n_steps++, arg);
		break;
	case 'k':
		add_key(arg);
		break;
	case 'p':
		options.policy = mp_opt_word(&program, code, arg, policies);
		break;
	case OPT_OVER:
		options.over_ns = mp_opt_duration(&program, code, arg);
		break;
	case OPT_UNDER:
		options.under_ns = mp_opt_duration(&program, code, arg);
		break;
	case OPT_WHERE:
		set_where(arg);
		break;
	case 'f':
		add_fields(arg);
		break;
	case OPT_STACK:
		options.stack = mp_opt_word(&program, code, arg, sides);
		break;
	case 'n':
		set_name(arg);
		break;
	case 'c':
		set_context(arg);
		break;
	case OPT_AROUND:
		options.around_ns = mp_opt_duration(&program, code, arg);
		break;
	case OPT_TEXT:
		work.text = true;
		break;
	case OPT_LINES:
		work.lines = mp_opt_number(&program, code, arg, 0, UINT32_MAX);
		break;
	case 'a':
		options.all = true;
		break;
	case OPT_HIDE:
		work.hide_ns = mp_opt_duration(&program, code, arg);
		break;
	case 'o':
		options.open = true;
		break;
	case OPT_MAX_OPEN:
		options.max_open = mp_opt_number(&program, code, arg, 1, UINT32_MAX);
		break;
	case 'm':
		options.memory = mp_opt_size(&program, code, arg, MEMORY_MIN);
		break;
	}
}

/* Decides what is written: text for people or the stream, and with which events. */
static void choose_output(void)
{
	bool begins = options.open || options.all;

	if (options.all && options.open)
		mp_usage("--all cannot be combined with --open");
	if (options.all && !options.name.len)
		mp_usage("--all needs --name");
	if (options.all && (options.context || options.around_ns || options.where || work.text))
		mp_usage("--all cannot be combined with --context, --around, --where or --text");
	if (options.open && (options.context || options.around_ns))
		mp_usage("--open cannot be combined with --context or --around");
	if (options.open && options.where)
		mp_usage("--open cannot be combined with --where");
	if (options.open && work.text)
		mp_usage("--open cannot be combined with --text");
	work.text |= !begins && isatty(STDOUT_FILENO);
	if (options.around_ns && !options.context)
		options.context = MP_CONTEXT_ALL;
	if (work.hide_ns && !work.text)
		mp_usage("--hide needs --text");
	if (!work.text)
		return;
	if (!options.context)
		options.context = MP_CONTEXT_SAMECPU | MP_CONTEXT_SAMETID;
	options.write = mp_pairtext_write;
	options.write_arg = &work.people;
}

static void parse_options(int argc, char **argv)
{
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		set_option(code, arg);
	if (options.n_steps && (work.begin || work.end))
		mp_usage("--step cannot be combined with --begin or --end");
	if (!options.n_steps && (!work.begin || !work.end))
		mp_usage("give --begin and --end, or --step at least twice");
	if (options.n_steps == 1)
		mp_usage("a chain has at least two steps: give --step again");
	options.n_steps = MP_MAX(options.n_steps, 2u);
	specs.default_key = !specs.n_keys;
	if (specs.default_key)
		add_key("tid");
	if (specs.n_keys > options.n_steps - 1)
		mp_usage("more keys than pairs of steps");
	if (options.over_ns >= options.under_ns)
		mp_usage("--over must be shorter than --under");
	choose_output();
}

static void change_header(void *arg, json_t *header)
{
	json_t *units = json_copy(json_object_get(header, "units"));
	json_t *events = json_object_get(header, "events");

	(void)arg;
	if (!units)
		units = json_object();
	json_object_set_new(units, options.open ? "age" : "dur", json_string("ns"));
	mp_relay_rename(header, "mp-pair", events ? mp_pair_events(work.pair, events) : NULL);
	json_object_set_new(header, "units", units);
}

/* The time at which a section ends; the `time` of its trailer is later than its last event. */
static uint64_t end_of(const struct mp_ctl *ctl)
{
	const json_t *time = json_object_get(ctl->json, "time");

	return json_is_integer(time) && json_integer_value(time) > 0 ? json_integer_value(time) : 0;
}

static bool concerns(void *arg, const struct mp_ctl *loss)
{
	return mp_pair_concerns(arg, loss);
}

static void handle_control(const struct mp_rec *rec, const struct mp_ctl *ctl)
{
	mp_inorder_control(&work.order, ctl);
	if (ctl->datatype == MP_EVENT && ctl->what == MP_CTL_HEADER) {
		mp_pair_header(work.pair, ctl);
		mp_pair_end_section(work.pair, 0);
	}
	if (ctl->datatype == MP_EVENT && ctl->what == MP_CTL_END)
		mp_pair_end_section(work.pair, end_of(ctl));
	if (ctl->what == MP_CTL_LOST && mp_pair_concerns(work.pair, ctl)) {
		mp_pair_lost(work.pair, ctl);
		if (!work.text)
			mp_relay_loss(&work.relay, ctl);
		return;
	}
	if (ctl->what == MP_CTL_WATERMARK)
		mp_pair_watermark(work.pair, ctl->time_ns);
	if (work.text)
		return;
	if (ctl->what == MP_CTL_WATERMARK && (options.context || options.open))
		/*
		 * this watermark would be wrong: spans that are written at the end may be earlier
		 */
		return;
	mp_relay_control(&work.relay, rec, ctl);
}

/* Reports how many begins, ends or chains are in a category; true if there are any. */
static bool report(uint64_t n, const char *one, const char *many)
{
	mp_say_count(n, one, many);
	return n > 0;
}

/* What the losses did to the output, for the line that reports them; NULL: they did nothing. */
static char *consequence_of_losses(void)
{
	const struct mp_pair_counts *c = mp_pair_counts(work.pair);
	struct mp_buf text = { NULL, 0, 0 };

	if (c->forgotten)
		mp_buf_printf(&text, "%llu begin%s forgotten", (unsigned long long)c->forgotten,
			      mp_plural(c->forgotten));
	if (c->doubtful || c->more_doubtful)
		mp_buf_printf(&text, "%s%llu%s span%s doubtful", text.len ? ", " : "",
			      (unsigned long long)c->doubtful, c->more_doubtful ? " or more" : "",
			      mp_plural(c->doubtful));
	if (text.len)
		mp_buf_byte(&text, '\0');
	return text.p;
}

/* Reports which part of all spans --over has selected. */
static void report_over(const struct mp_pair_counts *c)
{
	char share[MP_UNIT_MAX], over[MP_UNIT_MAX];

	if (!options.over_ns || options.open || !c->ended)
		return;
	mp_unit_put(over, "ns", (double)options.over_ns);
	mp_unit_put(share, "%", 100 * (double)c->over / (double)c->ended);
	mp_say("%llu of %llu span%s (%s) last%s %s or longer", (unsigned long long)c->over,
	       (unsigned long long)c->ended, mp_plural(c->ended), share, c->over == 1 ? "s" : "",
	       over);
}

static enum mp_status tell_counts(void)
{
	const struct mp_pair_counts *c = mp_pair_counts(work.pair);
	char age[MP_UNIT_MAX];
	enum mp_status named;
	bool lossy = false;

	if (c->open && !options.open && !options.all) {
		mp_unit_put(age, "ns", (double)c->oldest_ns);
		mp_say("%llu %s without an end, the oldest %s before the end (see --open)",
		       (unsigned long long)c->open, c->open == 1 ? "begin" : "begins", age);
	}
	report_over(c);
	report(c->unmatched, "end without a begin", "ends without a begin");
	report(c->replaced, "begin was replaced by another with the same key (see --policy)",
	       "begins were replaced by others with the same key (see --policy)");
	report(c->broken, "chain was dropped: a step is missing",
	       "chains were dropped: a step is missing");
	lossy |= report(c->given_up, "begin was dropped for lack of room (--max-open, --memory)",
			"begins were dropped for lack of room (--max-open, --memory)");
	lossy |= report(c->cut, "span is longer than the memory for --context: events are missing",
			"spans are longer than the memory for --context: events are missing");
	lossy |= report(c->bare, "span was written without its events: too many spans overlap",
			"spans were written without their events: too many spans overlap");
	lossy |= report(c->too_long, "line longer than 1 MiB was omitted",
			"lines longer than 1 MiB were omitted");
	if (!c->matched && work.first)
		mp_say("no event is a begin or an end; the first type in the input is '%s'",
		       work.first);
	named = mp_pair_report(work.pair);
	return lossy ? MP_LOSSY : named;
}

static void run(void)
{
	const char *why;
	struct mp_rec rec;

	while (mp_input_next(&work.in, &rec)) {
		if (work.input != work.in.next)
			mp_pair_end_section(work.pair, 0);
		work.input = work.in.next;
		if (rec.kind == MP_CONTROL) {
			handle_control(&rec, &work.in.ctl);
			continue;
		}
		if (!work.first)
			work.first = mp_strndup(rec.type.p, rec.type.len);
		if (mp_inorder_event(&work.order, &rec) && mp_pair_event(work.pair, &rec, &why) < 0)
			mp_input_bad(&work.in, why);
	}
	mp_pair_end_section(work.pair, 0);
}

int main(int argc, char **argv)
{
	enum mp_status status, worst;
	char *consequence;

	mp_init("mp-pair");
	parse_options(argc, argv);
	mp_out_init(&work.out, STDOUT_FILENO, "stdout");
	mp_relay_init(&work.relay, &work.out, change_header, NULL);
	mp_input_init(&work.in, argv + optind, MP_CONTROL | MP_EVENT, &work.out);
	mp_inorder_init(&work.order, &work.in);
	mp_pairtext_init(&work.people, &work.out, options.stack != MP_SPAN_STACK_NONE, work.lines,
			 work.hide_ns);
	work.pair = mp_pair_new(&options, &work.relay);
	work.in.concerns = concerns;
	work.in.arg = work.pair;
	run();
	work.in.consequence = consequence = consequence_of_losses();
	worst = mp_input_finish(&work.in);
	free(consequence);
	status = mp_inorder_finish(&work.order);
	worst = MP_MAX(worst, status);
	status = tell_counts();
	worst = MP_MAX(worst, status);
	mp_out_close(&work.out);
	mp_pair_free(work.pair);
	mp_pairtext_release(&work.people);
	mp_relay_release(&work.relay);
	mp_pair_specs_release(&specs);
	mp_pair_where_release(&where);
	mp_buf_release(&work.name);
	free(work.first);
	return worst;
}
