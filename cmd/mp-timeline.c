// SPDX-License-Identifier: GPL-2.0-only
/* mp-timeline: spans, instants and counters over time, with arrows between rows. */
#include <stdlib.h>
#include <unistd.h>

#include "lib/stream/choice.h"
#include "lib/stream/input.h"
#include "lib/stream/unit.h"
#include "lib/timeline/timelinehtml.h"

enum {
	OPT_ARROWS = MP_OPT_LONG,
	OPT_COLOUR,
	OPT_COUNTER,
	OPT_FOR,
	OPT_FROM,
	OPT_ORDER,
	OPT_ROWS,
	OPT_TITLE,
	OPT_TO,
};

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "What is drawn" },
	MP_CHOICE_EVENT(""),
	{ OPT_ROWS, "rows", "FIELDS",
	  "a row for each value of FIELDS, such as cpu (default: comm,tid)" },
	{ OPT_ARROWS, "arrows", NULL,
	  "arrows from waker to woken task, from sender to receiver, from parent to child" },
	{ OPT_COUNTER, "counter", "FIELD",
	  "plot the numbers in FIELD over time (default: .value of stat:*, .bytes of mem:*)" },
	{ 'm', "mark", "EXPR",
	  "mark the events for which EXPR holds: they are always drawn one by one" },
	{ 0, NULL, NULL, "Time" },
	{ OPT_FROM, "from", "TIME",
	  "from TIME on: 2s or 500ms after the start, @NS on the stream's clock, or "
	  "2026-11-20T09:19:00.5+00:00" },
	{ OPT_TO, "to", "TIME", "before TIME" },
	{ OPT_FOR, "for", "DURATION", "before DURATION has passed since --from, or the start" },
	{ 0, NULL, NULL, "The picture" },
	{ OPT_COLOUR, "colour", "FIELD",
	  "colours by FIELD, such as comm (default: state, or the type of the event)" },
	{ OPT_ORDER, "order", "ORDER",
	  "order of the rows: natural (default), first (appearance) or weight" },
	{ OPT_TITLE, "title", "TEXT", "title of the picture" },
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-timeline",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Draw spans, instants and counters over time as an interactive page on stdout.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-sched sched.mp | mp-timeline --arrows > who-woke-whom.html\n"
		    "  mp-sched sched.mp | mp-timeline --rows cpu --colour comm > cpus.html\n"
		    "  mp-record ipc -d 5 | mp-timeline --rows comm --arrows > connections.html\n"
		    "  mp-timeline --from 2s --for 10ms spans.mp > detail.html\n",
};

static const char *title = "Timeline";

/* The state of this run. */
static struct mp_choice choice;
static struct mp_timeline timeline;
static struct mp_input in;
static bool any; /* a line was read that should be drawn */

static void set_rows(int code, const char *arg)
{
	timeline.rows.n = 0;
	mp_choice_fields(&timeline.rows, arg, &choice.names, "--rows");
	if (!timeline.rows.n || timeline.rows.n > MP_ARROW_FIELDS_MAX)
		mp_opt_bad(&program, code, arg, "one to eight fields");
}

static void set_field(int code, const char *arg, struct mp_field *f, const char *option)
{
	mp_field_release(f);
	*f = mp_choice_field(&program, code, arg);
	mp_choice_name(&choice, f, option, MP_CHOICE_NUMBER);
}

static void set_time(int code, const char *arg, struct mp_window_time *time)
{
	if (mp_window_time_parse(time, arg) < 0)
		mp_opt_bad(&program, code, arg,
			   "a time such as 2s, 500ms, @71200103211 or "
			   "2026-11-20T09:19:00.5+00:00 (with its zone)");
	timeline.windowed = true;
}

static void set_option(int code, const char *arg)
{
	static const char *const orders[] = { "natural", "first", "weight", NULL };

	if (mp_choice_option(&choice, &program, code, arg))
		return;
	switch (code) {
	case 'm':
		mp_expr_free(timeline.mark);
		timeline.mark = mp_expr_need(arg);
		break;
	case OPT_ROWS:
		set_rows(code, arg);
		break;
	case OPT_ARROWS:
		timeline.arrows = true;
		break;
	case OPT_COUNTER:
		set_field(code, arg, &timeline.counter, "--counter");
		break;
	case OPT_COLOUR:
		set_field(code, arg, &timeline.colour, "--colour");
		break;
	case OPT_FROM:
		set_time(code, arg, &timeline.window.from);
		break;
	case OPT_TO:
		set_time(code, arg, &timeline.window.to);
		break;
	case OPT_FOR:
		timeline.window.for_ns = mp_opt_duration(&program, code, arg);
		timeline.windowed = true;
		break;
	case OPT_ORDER:
		timeline.order = mp_opt_word(&program, code, arg, orders);
		break;
	case OPT_TITLE:
		title = arg;
		break;
	}
}

static void parse_options(int argc, char **argv)
{
	const struct mp_window_time *from = &timeline.window.from, *to = &timeline.window.to;
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		set_option(code, arg);
	if (to->kind != MP_WINDOW_NONE && timeline.window.for_ns)
		mp_usage("--to cannot be combined with --for");
	if (from->kind == to->kind && from->kind != MP_WINDOW_NONE && from->ns >= to->ns)
		mp_usage("--to must be later than --from");
	if (!timeline.rows.n)
		mp_choice_fields(&timeline.rows, "comm,tid", NULL, NULL);
	choice.types.mixed = true;
	mp_timeline_begin(&timeline);
}

static void handle_control(const struct mp_ctl *ctl)
{
	bool of_events = ctl->datatype == MP_EVENT;

	mp_choice_control(&choice, ctl);
	if (timeline.mark)
		mp_expr_header(timeline.mark, ctl, mp_types_roles, &choice.types);
	if (ctl->what == MP_CTL_HEADER && of_events)
		mp_timeline_header(&timeline, ctl);
	if (ctl->what == MP_CTL_LOST && mp_choice_concerns(&choice.types, ctl))
		mp_timeline_lost(&timeline, ctl);
}

static void read_input(char **operands, struct mp_out *out)
{
	struct mp_rec rec;
	const char *why;
	size_t input = 0;

	mp_input_init(&in, operands, MP_CONTROL | MP_EVENT, out);
	in.concerns = mp_choice_concerns;
	in.arg = &choice.types;
	while (mp_input_next(&in, &rec)) {
		if (mp_input_index(&in) != input)
			mp_timeline_header(&timeline, NULL);
		input = mp_input_index(&in);
		if (rec.kind == MP_CONTROL) {
			handle_control(&in.ctl);
		} else if (mp_choice_take(&choice, &rec)) {
			any = true;
			if (mp_timeline_add(&timeline, &rec, &why) < 0)
				mp_input_bad(&in, why);
		}
	}
	mp_timeline_finish(&timeline);
}

/* --- what the picture says -------------------------------------------------------------------- */

static void put_rows(struct mp_buf *to)
{
	size_t i;

	for (i = 0; i < timeline.rows.n; i++)
		mp_buf_printf(to, "%s%.*s", i ? "," : "", MP_STR_ARGS(timeline.rows.v[i].name));
}

/* Says why there is nothing to draw. */
static void make_nothing(struct mp_buf *to)
{
	mp_buf_printf(to, "Nothing to draw: ");
	if (timeline.early + timeline.late) {
		mp_buf_printf(to, "no event is in the window: %llu before it, %llu after it.",
			      (unsigned long long)timeline.early,
			      (unsigned long long)timeline.late);
	} else if (timeline.no_row) {
		mp_buf_printf(to, "no event has all of the fields that name a row: ");
		put_rows(to);
		mp_buf_printf(to, ".");
	} else if (any) {
		mp_buf_printf(to, "all lines were skipped.");
	} else if (choice.types.seen.n && !choice.types.taken) {
		mp_buf_printf(to, "no event matches -e.");
	} else {
		mp_buf_printf(to, "the input has no events.");
	}
}

static void put_levels(struct mp_buf *to)
{
	const struct mp_levels *l = &timeline.levels;
	char width[MP_UNIT_MAX];

	if (!l->added)
		return;
	mp_unit_put(width, "ns", (double)(1ULL << l->shift));
	mp_buf_printf(to,
		      "; %zu are drawn one by one: the longest%s; %llu shorter ones are "
		      "levels of %s (--from and --for draw a part exactly)",
		      timeline.singles.n, timeline.mark ? ", and those that are marked" : "",
		      (unsigned long long)l->added, width);
}

static void make_subtitle(struct mp_buf *to)
{
	const struct mp_timeline *t = &timeline;
	uint64_t events = t->events - t->counters.added;
	char text[MP_UNIT_MAX];

	mp_unit_put(text, "ns", (double)(t->end_ns - t->begin_ns));
	mp_buf_printf(to, "%llu event%s in %zu row%s (", (unsigned long long)events,
		      mp_plural(events), t->n_rows, mp_plural(t->n_rows));
	put_rows(to);
	mp_buf_printf(to, ") over %s", text);
	put_levels(to);
	if (t->counters.added)
		mp_buf_printf(to, "; %llu value%s of %zu counter%s",
			      (unsigned long long)t->counters.added, mp_plural(t->counters.added),
			      t->series_map.n, mp_plural(t->series_map.n));
	if (t->arrows)
		mp_buf_printf(to, "; %zu arrow%s", t->n_arrows, mp_plural(t->n_arrows));
	if (t->arrows && t->levels.added)
		mp_buf_printf(to, ", those of events that are drawn one by one");
	if (t->arrows_beyond)
		mp_buf_printf(to, "; %llu more arrows are not drawn",
			      (unsigned long long)t->arrows_beyond);
	if (t->no_row) {
		mp_buf_printf(to, "; %llu event%s without ", (unsigned long long)t->no_row,
			      mp_plural(t->no_row));
		put_rows(to);
	}
	if (in.lost)
		mp_buf_printf(to, "; %llu %s lost", (unsigned long long)in.lost,
			      in.lost == 1 ? "event was" : "events were");
}

static void draw(char **operands, struct mp_out *out)
{
	bool one = operands[0] && !operands[1] && strcmp(operands[0], "-") != 0;
	struct mp_buf subtitle = { NULL, 0, 0 };
	struct mp_timeline_page page = {
		.title = mp_str(title),
		.file = one ? operands[0] : NULL,
	};

	if (timeline.events)
		make_subtitle(&subtitle);
	else
		make_nothing(&subtitle);
	page.subtitle = mp_buf_view(&subtitle);
	mp_timelinehtml(out, &timeline, &page);
	mp_buf_release(&subtitle);
}

int main(int argc, char **argv)
{
	enum mp_status status, marks;
	struct mp_out out;

	mp_init("mp-timeline");
	mp_choice_init(&choice, "");
	mp_timeline_init(&timeline);
	parse_options(argc, argv);
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	read_input(argv + optind, &out);
	status = mp_choice_finish(&choice, mp_input_finish(&in));
	if (timeline.mark) {
		marks = mp_expr_report(timeline.mark);
		status = MP_MAX(status, marks);
	}
	if (timeline.events || (!in.empty && !in.refused))
		draw(argv + optind, &out);
	mp_out_close(&out);
	mp_expr_free(timeline.mark);
	mp_field_release(&timeline.colour);
	mp_field_release(&timeline.counter);
	mp_timeline_release(&timeline);
	return status;
}
