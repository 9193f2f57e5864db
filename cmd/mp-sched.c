// SPDX-License-Identifier: GPL-2.0-only
/* mp-sched: what each task and each CPU did, from the events of the scheduler. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/map.h"
#include "lib/core/opt.h"
#include "lib/core/screen.h"
#include "lib/sched/schedout.h"
#include "lib/sched/schedtab.h"
#include "lib/stream/inorder.h"
#include "lib/stream/unit.h"

enum {
	OPT_LIVE = MP_OPT_LONG,
	OPT_OTHERS,
	OPT_SORT,
	OPT_TSV,
};

static const struct mp_opt opts[] = {
	{ 's', "states", "LIST",
	  "write only spans of these states: run, guest, wait, preempted, sleep, block, stopped, "
	  "idle, unknown" },
	{ OPT_OTHERS, "others", NULL, "also write the events that are not the scheduler's" },
	{ 't', "table", NULL, "write a table of CPUs and tasks instead" },
	{ OPT_SORT, "sort", "COLUMN",
	  "the table by run (default), runs, gave-up, preempted, wait-avg, wait-max, wait-p99, "
	  "sleep-avg, sleep-max, sleep-p99 or migr" },
	MP_SCREEN_LIVE(OPT_LIVE),
	{ OPT_TSV, "tsv", NULL, "the table as TAB-separated values, in ns" },
};

static const struct mp_program program = {
	.name = "mp-sched",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Show what each task and each CPU did, from the events of the scheduler.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-record -e 'sched:*' -d 5 | mp-sched | mp-hist --by comm,state\n"
		    "  mp-sched -s sleep,block sched.mp | mp-fold --weight dur > off-cpu.folded\n"
		    "  mp-sched --table sched.mp\n"
		    "  mp-record -qg none -e 'sched:*' | mp-sched --live --sort wait-max\n",
};

static struct {
	bool states[MP_SCHED_STATES];
	bool others, table, tsv;
	enum mp_sched_order order;
	uint64_t live_ns; /* the time between two pictures; 0: none */
} options;

/*
 * A host and its state machine. Events without the field `host` belong to a host whose name is
 * empty.
 */
struct host {
	struct host *next;
	struct host *next_begun, *next_awake; /* in the lists `begun` and `awake` of work */
	bool begun, awake;
	uint64_t lost; /* if not awake: the part of work.lost that `sched` has */
	struct mp_str name;
	struct mp_sched sched;
	struct mp_sched_table table;
	bool has_migrations; /* migrations occur in this capture */
};

static struct {
	struct mp_input in;
	struct mp_inorder order;
	struct mp_relay relay;
	struct mp_out out;
	struct mp_sched_reader reader;
	struct mp_map hosts; /* name -> struct host * */
	struct host *first, **last, *latest;
	struct host *begun, **last_begun; /* those with events in this capture */
	struct host *awake;		  /* those of them whose states losses may change */
	uint64_t lost;			  /* number of lost events that concern the scheduler */
	bool losses;			  /* some of them were lost since the last watermark */
	bool expected[MP_SCHED_WHATS];	  /* the header lists such events */
	char *filters[MP_SCHED_WHATS];
	bool filtered; /* switches of some capture were recorded with a filter */
	size_t input;  /* number of the current input */
	/* number of the scheduler's events, and of all records in this section */
	uint64_t events, records;
	struct mp_buf line;
	struct mp_screen screen;
} work;

static void add_states(const char *list)
{
	enum mp_sched_state state;

	do {
		size_t len = strcspn(list, ",");

		if (mp_sched_state_parse((struct mp_str){ list, len }, &state) < 0)
			mp_usage("unknown state '%.*s' (run, guest, wait, preempted, sleep, block, "
				 "stopped, idle, unknown)",
				 (int)len, list);
		options.states[state] = true;
		list += len;
	} while (*list++);
}

static void parse_options(int argc, char **argv)
{
	static const char *const orders[] = { "run",	   "runs",	"gave-up",  "preempted",
					      "wait-avg",  "wait-max",	"wait-p99", "sleep-avg",
					      "sleep-max", "sleep-p99", "migr",	    NULL };
	bool some = false;
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1) {
		switch (code) {
		case 's':
			add_states(arg);
			some = true;
			break;
		case 't':
			options.table = true;
			break;
		case OPT_TSV:
			options.table = options.tsv = true;
			break;
		case OPT_SORT:
			options.table = true;
			options.order =
				(enum mp_sched_order)mp_opt_word(&program, code, arg, orders);
			break;
		case OPT_LIVE:
			options.table = true;
			options.live_ns =
				arg ? mp_opt_duration(&program, code, arg) : MP_SCREEN_EVERY_NS;
			break;
		case OPT_OTHERS:
			options.others = true;
			break;
		}
	}
	if (options.live_ns && options.tsv)
		mp_usage("--live cannot be combined with --tsv");
	if (options.table && (some || options.others))
		mp_usage("--table cannot be combined with --states or --others");
	for (size_t i = 0; i < MP_SCHED_STATES && !some; i++)
		options.states[i] = true;
}

static void write_span(void *arg, const struct mp_sched_span *span)
{
	const struct host *h = arg;

	if (!options.states[span->state])
		return;
	work.line.len = 0;
	mp_sched_span_add(&work.line, span, h->name);
	mp_out_write(&work.out, work.line.p, work.line.len);
	work.relay.records++;
}

static void add_span(void *arg, const struct mp_sched_span *span)
{
	struct host *h = arg;

	mp_sched_table_span(&h->table, span);
}

static void task_gone(void *arg, struct mp_sched_task *task)
{
	struct host *h = arg;

	if (options.table)
		mp_sched_table_gone(&h->table, task, h->has_migrations);
}

static void expect(struct host *h)
{
	size_t i;

	for (i = 0; i < MP_SCHED_WHATS; i++)
		if (work.filters[i])
			mp_sched_filter(&h->sched, (enum mp_sched_what)i, work.filters[i]);
	h->table.filtered |= h->sched.filtered;
	for (i = 0; i < MP_SCHED_WHATS; i++)
		if (work.expected[i])
			mp_sched_expect(&h->sched, (enum mp_sched_what)i);
	h->has_migrations |= work.expected[MP_SCHED_MIGRATE];
}

static void wake(struct host *h)
{
	h->awake = true;
	h->next_awake = work.awake;
	work.awake = h;
}

/* Reports to a host that is not awake what was lost since it was. */
static void catch_up(struct host *h)
{
	if (h->awake)
		return;
	mp_sched_missed(&h->sched, work.lost - h->lost);
	h->lost = work.lost;
}

/* Reports a loss to the hosts that are awake, and removes those that are dark after it. */
static void lose(const struct mp_ctl *loss)
{
	struct host **at = &work.awake, *h;

	work.lost = mp_count_sum(work.lost, loss->lost);
	work.losses = true;
	while ((h = *at)) {
		mp_sched_lost(&h->sched, loss, work.order.last_ns);
		if (!h->sched.dark) {
			at = &h->next_awake;
			continue;
		}
		*at = h->next_awake;
		h->awake = false;
		h->lost = work.lost;
	}
}

static struct host *host_of(struct mp_str name)
{
	struct mp_map_entry *e;
	struct host *h;
	bool fresh;

	if (!name.p)
		name = MP_STR("");
	if (work.latest && mp_str_eq(work.latest->name, name))
		return work.latest;
	e = mp_map_put(&work.hosts, &name, 1, &fresh);
	if (fresh) {
		h = *(struct host **)mp_map_value(e) = mp_zalloc(sizeof(*h));
		h->name = e->key;
		mp_sched_init(&h->sched,
			      &(struct mp_sched_sink){ options.table ? add_span : write_span,
						       task_gone, h });
		*work.last = h;
		work.last = &h->next;
	}
	h = work.latest = *(struct host **)mp_map_value(e);
	if (!h->begun) {
		expect(h);
		h->begun = true;
		*work.last_begun = h;
		work.last_begun = &h->next_begun;
		wake(h);
	}
	return h;
}

static void begin_capture(void)
{
	work.latest = work.begun = work.awake = NULL;
	work.last_begun = &work.begun;
}

/* Ends the capture at `end_ns`; 0: with its last event. */
static void end_capture(uint64_t end_ns)
{
	struct host *h;
	size_t i;

	for (h = work.begun; h; h = h->next_begun)
		end_ns = MP_MAX(end_ns, h->sched.begun ? h->sched.now_ns : 0);
	for (h = work.begun; h; h = h->next_begun) {
		if (h->sched.begun)
			h->table.length_ns += end_ns - h->sched.begin_ns;
		catch_up(h);
		mp_sched_end(&h->sched, end_ns);
		h->has_migrations = h->begun = h->awake = false;
	}
	begin_capture();
	memset(work.expected, 0, sizeof(work.expected));
	for (i = 0; i < MP_SCHED_WHATS; i++) {
		free(work.filters[i]);
		work.filters[i] = NULL;
	}
	work.records = 0;
}

/*
 * The time at which the recording ended; 0 if unknown, or if a program such as mp-select has
 * removed events, since the input may then lack a part of the recording.
 */
static uint64_t end_time(const struct mp_ctl *ctl)
{
	json_t *fired = json_object_get(ctl->json, "fired");
	json_int_t time = json_integer_value(json_object_get(ctl->json, "time"));
	uint64_t accounted = ctl->lost;

	accounted +=
		ctl->records + (uint64_t)json_integer_value(json_object_get(ctl->json, "excluded"));
	if (work.records != ctl->records ||
	    (fired && accounted != (uint64_t)json_integer_value(fired)))
		return 0;
	return time > 0 ? (uint64_t)time : 0;
}

/*
 * Adds the filter of an event. The header may have the event's name with and without its prefix:
 * then no filter is certain.
 */
static void add_filter(enum mp_sched_what what, const char *filter)
{
	bool twice = work.filters[what] != NULL;

	if (what == MP_SCHED_OTHER || !filter)
		return;
	free(work.filters[what]);
	work.filters[what] = mp_strdup(twice ? "" : filter);
	work.filtered |= what == MP_SCHED_SWITCH;
}

/* The filter of all events in a section that does not list its types. */
static void filter_all(const char *filter)
{
	int what;

	for (what = MP_SCHED_OTHER + 1; what < MP_SCHED_WHATS; what++)
		add_filter((enum mp_sched_what)what, filter);
}

static void handle_header(const struct mp_ctl *ctl)
{
	const char *type;
	json_t *value;

	end_capture(0);
	json_object_foreach (json_object_get(ctl->json, "events"), type, value)
		work.expected[mp_sched_what(mp_str(type))] = true;
	json_object_foreach (json_object_get(ctl->json, "filters"), type, value)
		if (strcmp(type, "*") == 0)
			filter_all(json_string_value(value));
		else
			add_filter(mp_sched_what(mp_str(type)), json_string_value(value));
}

static bool concerns(void *arg, const struct mp_ctl *loss)
{
	(void)arg;
	return mp_sched_concerns(loss);
}

static void handle_control(const struct mp_rec *rec, const struct mp_ctl *ctl)
{
	bool of_events = ctl->datatype == MP_EVENT;
	struct host *h;

	mp_inorder_control(&work.order, ctl);
	if (ctl->what == MP_CTL_HEADER && of_events)
		handle_header(ctl);
	if (ctl->what == MP_CTL_END && of_events)
		end_capture(end_time(ctl));
	if (ctl->what == MP_CTL_LOST && mp_sched_concerns(ctl))
		lose(ctl);
	if (ctl->what == MP_CTL_WATERMARK && work.losses) {
		/* no span that ends before this time may be written later */
		for (h = work.awake; h; h = h->next_awake)
			mp_sched_apply_losses(&h->sched, ctl->time_ns);
		work.losses = false;
	}
	if (options.table)
		return;
	if (ctl->what == MP_CTL_LOST && mp_sched_concerns(ctl))
		mp_relay_loss(&work.relay, ctl);
	else
		mp_relay_control(&work.relay, rec, ctl);
}

/* Handles an event. Returns 0, or -1 with `*why`. */
static int handle_event(const struct mp_rec *rec, const char **why)
{
	static const struct mp_field host_field = MP_FIELD_OF(KEY, "host");
	enum mp_sched_what what = mp_sched_what(rec->type);
	struct mp_sched_event event;
	struct mp_str name = { NULL, 0 };
	struct host *h;

	work.records++;
	if (!mp_inorder_event(&work.order, rec))
		return 0;
	if (what >= MP_SCHED_KVM_ENTRY && options.others)
		mp_relay_line(&work.relay, rec->line);
	if (what == MP_SCHED_OTHER) {
		/* that of the header is the host of all events */
		if (!mp_rec_get(rec, &host_field, &name) || name.p == rec->host.p)
			name.p = NULL;
		mp_sched_tick(&host_of(name)->sched, rec->time_ns);
		if (options.others)
			mp_relay_line(&work.relay, rec->line);
		return 0;
	}
	if (mp_sched_read(&work.reader, what, rec, &event, why) < 0)
		return -1;
	h = host_of(event.host);
	work.events += what == MP_SCHED_SWITCH;
	h->has_migrations |= what == MP_SCHED_MIGRATE;
	catch_up(h);
	if (mp_sched_event(&h->sched, &event, why) < 0)
		return -1;
	if (!h->awake && !h->sched.dark)
		wake(h);
	return 0;
}

static void write_tables(void)
{
	struct host *h;

	for (h = work.first; h; h = h->next) {
		if (options.tsv) {
			mp_sched_table_tsv(&h->table, h->name, options.order, h == work.first,
					   &work.out);
			continue;
		}
		if (h != work.first)
			mp_out_write(&work.out, "\n", 1);
		mp_sched_table_text(&h->table, h->name, options.order, 0, &work.out);
	}
}

/* Writes the picture of --live: the tables of all hosts, each of which gets as many rows. */
static void draw(void *arg, struct mp_out *to, size_t columns, size_t rows)
{
	enum { LEAST = 8 }; /* rows of a host */
	size_t each = MP_MAX(rows / MP_MAX(work.hosts.n, (size_t)1), (size_t)LEAST);
	uint64_t now_ns;
	struct host *h;

	(void)arg;
	(void)columns;
	for (h = work.first; h; h = h->next) {
		now_ns = h->begun && h->sched.begun ? h->sched.now_ns - h->sched.begin_ns : 0;
		h->table.length_ns += now_ns;
		mp_sched_table_update(&h->table, h->has_migrations);
		mp_sched_table_text(&h->table, h->name, options.order, each, to);
		h->table.length_ns -= now_ns;
	}
}

/*
 * Reports unknown time, and events that prove that others are missing. If events were lost, the
 * line that reports the losses has these numbers.
 */
static enum mp_status finish(void)
{
	char text[MP_UNIT_MAX], consequence[MP_UNIT_MAX + 128];
	uint64_t misfits = 0, unknown_ns = 0;
	enum mp_status status;
	struct host *h;

	for (h = work.first; h; h = h->next) {
		misfits += h->sched.misfits;
		unknown_ns += h->sched.unknown_ns;
	}
	mp_unit_put(text, "ns", (double)unknown_ns);
	snprintf(consequence, sizeof(consequence), "%s of the CPUs' time is unknown%s", text,
		 work.filtered ? ": a filter selected the events of sched:sched_switch" : "");
	if (unknown_ns)
		work.in.consequence = consequence;
	status = mp_input_finish(&work.in);
	if (work.in.lost)
		return status;
	mp_say_count(misfits,
		     "event does not fit those before: others are missing (a recording of "
		     "some tasks or CPUs, or a filter, can be the reason)",
		     "events do not fit those before: others are missing (a recording of "
		     "some tasks or CPUs, or a filter, can be the reason)");
	if (unknown_ns)
		mp_say("%s", consequence);
	return misfits ? MP_MAX(status, MP_LOSSY) : status;
}

static void release(void)
{
	struct host *h, *next;

	for (h = work.first; h; h = next) {
		next = h->next;
		mp_sched_release(&h->sched);
		mp_sched_table_release(&h->table);
		free(h);
	}
	mp_map_release(&work.hosts);
	mp_relay_release(&work.relay);
	mp_buf_release(&work.line);
}

static void change_header(void *arg, json_t *header)
{
	(void)arg;
	mp_sched_header(header, options.others);
}

int main(int argc, char **argv)
{
	enum mp_status status, order;
	struct mp_rec rec;
	const char *why;

	mp_init("mp-sched");
	parse_options(argc, argv);
	work.last = &work.first;
	begin_capture();
	mp_map_init(&work.hosts, sizeof(struct host *));
	mp_out_init(&work.out, STDOUT_FILENO, "stdout");
	mp_relay_init(&work.relay, &work.out, change_header, NULL);
	mp_screen_init(&work.screen, &work.out);
	if (options.live_ns)
		mp_screen_begin(&work.screen, options.live_ns, draw, NULL);
	mp_input_init(&work.in, argv + optind, MP_CONTROL | MP_EVENT, &work.out);
	work.in.concerns = concerns;
	mp_inorder_init(&work.order, &work.in);
	while (mp_input_next(&work.in, &rec)) {
		if (work.input != work.in.next)
			end_capture(0);
		work.input = work.in.next;
		if (rec.kind == MP_CONTROL)
			handle_control(&rec, &work.in.ctl);
		else if (handle_event(&rec, &why) < 0)
			mp_input_bad(&work.in, why);
	}
	end_capture(0);
	if (options.live_ns)
		mp_screen_end(&work.screen);
	if (options.table)
		write_tables();
	status = finish();
	order = mp_inorder_finish(&work.order);
	status = MP_MAX(status, order);
	if (!work.events && !options.others && status == MP_OK)
		mp_say("no sched:sched_switch in the input");
	mp_out_close(&work.out);
	release();
	return status;
}
