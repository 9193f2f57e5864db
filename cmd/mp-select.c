// SPDX-License-Identifier: GPL-2.0-only
/* mp-select: keep a part of a stream: a time window, expressions, types, fields; or as a table. */
#include <unistd.h>

#include "lib/core/opt.h"
#include "lib/select/select.h"

enum {
	OPT_DROP = MP_OPT_LONG,
	OPT_EVERY,
	OPT_FIELDS,
	OPT_FOR,
	OPT_FROM,
	OPT_JSON,
	OPT_LINES,
	OPT_OVERLAP,
	OPT_TO,
	OPT_TSV,
};

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "Lines" },
	{ 'f', "filter", "EXPR",
	  "EXPR holds, as in 'comm~\"nginx*\" && .prev_state!=0 || cpu==3'; "
	  "repeated: all of them" },
	{ 'v', "invert", NULL, "the expression does not hold" },
	{ 'e', "event", "GLOB",
	  "it is an event whose type matches; repeated or "
	  "comma-separated: one of them" },
	{ OPT_FROM, "from", "TIME",
	  "not before TIME: 2s or 500ms after the start, @NS on the "
	  "stream's clock, or 2026-11-20T09:19:00.5+00:00" },
	{ OPT_TO, "to", "TIME", "before TIME" },
	{ OPT_FOR, "for", "DURATION", "before DURATION has passed since --from, or the start" },
	{ OPT_OVERLAP, "overlap", NULL,
	  "also spans that end after the window and began before "
	  "its end (else TIME, their end, counts)" },
	{ OPT_EVERY, "every", "N", "of the remaining lines, the first and every Nth after it" },
	{ 'n', "count", "N", "the first N, then end" },
	{ 0, NULL, NULL, "Fields" },
	{ OPT_FIELDS, "fields", "LIST", "only these fields (time and type always)" },
	{ OPT_DROP, "drop", "LIST", "all but these, such as stack" },
	{ OPT_LINES, "lines", NULL,
	  "keep the places of frames (mp-record --fields +addr), for mp-srcline" },
	{ 0, NULL, NULL, "Output" },
	{ OPT_TSV, "tsv", NULL, "events as TAB-separated values below a line of names" },
	{ OPT_JSON, "json", NULL, "events as JSON objects, one per line" },
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-select",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Keep the lines of a stream for which all of these options hold.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-select -f 'comm~\"nginx*\" && .prev_state!=0 || cpu==3' sched.mp\n"
		    "  mp-select --from 2s --for 500ms cpu.mp | mp-fold\n"
		    "  mp-select -f 'dur>1ms' --fields comm,dur disk.mp\n"
		    "  mp-select -e 'block:*' --json disk.mp | jq -c '[.comm, .[\".bytes\"]]'\n",
};

static struct mp_select job;
static struct mp_table table;
static int table_form; /* OPT_TSV, OPT_JSON; 0: neither is given */
static bool lines;     /* --lines */
static uint64_t count; /* argument of --count; 0: not given */

static void set_moment(int code, const char *arg, struct mp_window_time *m)
{
	if (mp_window_time_parse(m, arg) < 0)
		mp_opt_bad(&program, code, arg,
			   "a time such as 2s, 500ms, @71200103211 or "
			   "2026-11-20T09:19:00.5+00:00 (with its zone)");
	job.windowed = true;
}

static void set_keep(int code, const char *arg)
{
	bool drop = code == OPT_DROP;
	struct mp_str bad;

	if (job.keeping && job.keep.drop != drop)
		mp_usage("--fields cannot be combined with --drop");
	if (!job.keeping)
		mp_project_init(&job.keep, drop);
	job.keeping = true;
	if (mp_project_add(&job.keep, arg, &bad) < 0)
		mp_usage("'%.*s' is not a field of an event that can be %s", MP_STR_ARGS(bad),
			 drop ? "omitted" : "kept");
}

static void set_option(int code, const char *arg)
{
	switch (code) {
	case 'f':
		mp_select_filter(&job, mp_expr_need(arg));
		break;
	case 'v':
		job.invert = true;
		break;
	case 'e':
		mp_types_add(&job.types, arg);
		break;
	case 'n':
		count = mp_opt_number(&program, code, arg, 1, INT64_MAX);
		break;
	case OPT_FROM:
		set_moment(code, arg, &job.window.from);
		break;
	case OPT_TO:
		set_moment(code, arg, &job.window.to);
		break;
	case OPT_FOR:
		job.window.for_ns = mp_opt_duration(&program, code, arg);
		job.windowed = true;
		break;
	case OPT_OVERLAP:
		job.overlap = true;
		break;
	case OPT_EVERY:
		job.every = mp_opt_number(&program, code, arg, 1, INT64_MAX);
		break;
	case OPT_FIELDS:
	case OPT_DROP:
		set_keep(code, arg);
		break;
	case OPT_TSV:
	case OPT_JSON:
		if (table_form && table_form != code)
			mp_usage("--tsv cannot be combined with --json");
		table_form = code;
		break;
	case OPT_LINES:
		lines = true;
		break;
	}
}

/* Detects 'mp-select EXPR FILE', which users of grep might write. */
static void refuse_expressions(char **operands)
{
	struct mp_expr_error error;
	struct mp_expr *e;

	for (; *operands; operands++) {
		if (access(*operands, F_OK) == 0 || !(e = mp_expr_parse(*operands, &error)))
			continue;
		mp_expr_free(e);
		mp_usage("there is no file '%s' (an expression follows --filter)", *operands);
	}
}

static void parse_options(int argc, char **argv)
{
	const struct mp_window_time *from = &job.window.from, *to = &job.window.to;
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		set_option(code, arg);
	if (to->kind != MP_WINDOW_NONE && job.window.for_ns)
		mp_usage("--to cannot be combined with --for");
	if (from->kind == to->kind && from->kind != MP_WINDOW_NONE && from->ns >= to->ns)
		mp_usage("--to must be later than --from");
	if (job.overlap && !job.windowed)
		mp_usage("--overlap needs a window: --from, --to or --for");
	if (job.invert && !job.n_exprs)
		mp_usage("--invert needs an expression: --filter");
	refuse_expressions(argv + optind);
}

static bool concerns(void *arg, const struct mp_ctl *loss)
{
	return mp_select_concerns(arg, loss);
}

/* Puts the host of the header into an event that lacks the field, if --fields wants it. */
static void add_host(struct mp_rec *rec, struct mp_buf *line)
{
	static const struct mp_field host = MP_FIELD_OF(KEY, "host");
	struct mp_str value;
	const char *why;

	if (!rec->host.p || rec->kind != MP_EVENT || !job.keeping || job.keep.drop ||
	    !mp_project_has(&job.keep, host.name) || !mp_rec_get(rec, &host, &value) ||
	    value.p != rec->host.p)
		return;
	line->len = 0;
	mp_buf_add(line, rec->line.p, rec->body.p - rec->line.p);
	mp_buf_str(line, MP_STR("host="));
	mp_buf_str(line, value);
	if (rec->body.len)
		mp_buf_byte(line, '\t');
	mp_buf_str(line, rec->body);
	mp_rec_parse(rec, line->p, line->len, &why);
}

int main(int argc, char **argv)
{
	unsigned kinds = MP_CONTROL | MP_DATA;
	enum mp_status status, mistaken, incomplete;
	struct mp_buf line = { NULL, 0, 0 };
	struct mp_input in;
	struct mp_rec rec;
	struct mp_out out;

	mp_init("mp-select");
	mp_select_init(&job, &in, &out);
	parse_options(argc, argv);
	if (job.windowed || table_form)
		kinds = MP_CONTROL | MP_EVENT; /* only events have a time and columns */
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	if (table_form) {
		mp_table_init(&table, &out, table_form == OPT_JSON, job.keeping ? &job.keep : NULL);
		job.table = &table;
	}
	mp_input_init(&in, argv + optind, kinds, &out);
	in.places = lines;
	in.concerns = concerns;
	in.arg = &job;
	while (mp_input_next(&in, &rec)) {
		add_host(&rec, &line);
		if (rec.kind == MP_CONTROL)
			mp_select_control(&job, &rec, &in.ctl);
		else
			mp_select_record(&job, &rec);
		if (count && job.written == count) {
			mp_select_stop(&job);
			mp_input_stop(&in);
			break;
		}
	}
	status = mp_input_finish(&in);
	mistaken = mp_select_report(&job);
	status = MP_MAX(status, mistaken);
	if (table_form) {
		incomplete = mp_table_finish(&table);
		status = MP_MAX(status, incomplete);
		mp_table_release(&table);
	}
	mp_out_close(&out);
	mp_buf_release(&line);
	mp_select_release(&job);
	return status;
}
