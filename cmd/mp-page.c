// SPDX-License-Identifier: GPL-2.0-only
/* mp-page: a recording as one HTML page, whose pictures and tables show a part that the reader marks. */
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/opt.h"
#include "lib/fold/reader.h"
#include "lib/page/page.h"
#include "lib/stream/input.h"
#include "lib/stream/unit.h"

enum {
	OPT_ADD = MP_OPT_LONG,
	OPT_BESIDE,
	OPT_ONLY_PARTS,
	OPT_TITLE,
	OPT_UNIT,
};

enum {
	MOST_CELLS = 8 << 20,		 /* 192 MiB */
	MOST_BYTES = (8 << 20) - 160000, /* of packed data: with its scripts a page has 8 MiB */
};

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "What is shown" },
	MP_CHOICE_BY("tasks are the values of FIELDS (default: comm)"),
	{ MP_FOLD_NO_COMM, "no-comm", NULL, "all events are of one task" },
	MP_CHOICE_EVENT(MP_CHOICE_ADDED),
	MP_CHOICE_WEIGHT("the number whose distribution is shown, and which flame graph and tables "
			 "add up (default: dur of spans, else none)"),
	{ 0, NULL, NULL, "The page" },
	{ OPT_TITLE, "title", "TEXT", "title of the page" },
	{ OPT_ADD, "add", "FILE[=TITLE]",
	  "also show this picture (SVG, HTML) or text of the same recording; repeated: all of "
	  "them" },
	{ OPT_BESIDE, "beside", "FILE[=TITLE]", "as --add, to the right of the one before it" },
	{ OPT_ONLY_PARTS, "only-parts", NULL, "read no recording: show only what was added" },
	MP_UNIT_OPTION(OPT_UNIT, "numbers"),
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-page",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Write a recording as one HTML page, in which a marked range filters all.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-record -F 999 -d 10 | mp-page > cpu.html\n"
		    "  mp-sched sched.mp | mp-page -w dur --by comm,state > sched.html\n",
};

static struct {
	const char *title, *unit;
	bool only_parts, reads; /* reads: there is an option for what is read */
	struct mp_buf types;	/* the arguments of -e, with commas between them */
} options;

/* The state of this run. */
static struct {
	struct mp_fold_reader reader;
	struct mp_input in;
	struct mp_tree tree;
	struct mp_page_cells cells;
	struct mp_map stacks; /* fields and frames as they are in lines -> struct stack */
	struct mp_str *parts; /* scratch for a key of `stacks` */
	bool spans;	      /* without -w: events have a duration, which is measured */
	uint64_t events, skipped;
	uint64_t first_ns, last_ns;
	struct mp_page_added added;
	bool too_long; /* a file was not added */
} work;

/* Value in work.stacks. */
struct stack {
	uint32_t node;
	bool bad; /* its text has a bad escape */
};

static void set_option(int code, const char *arg)
{
	if (code == 'e')
		mp_buf_printf(&options.types, "%s%s", options.types.len ? "," : "", arg);
	options.reads |= code == OPT_UNIT;
	if (mp_fold_reader_option(&work.reader, &program, code, arg)) {
		options.reads = true;
		return;
	}
	switch (code) {
	case OPT_ADD:
	case OPT_BESIDE:
		work.too_long |= mp_page_added_read(&work.added, arg, code == OPT_BESIDE) < 0;
		break;
	case OPT_ONLY_PARTS:
		options.only_parts = true;
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
	if (options.only_parts && (argv[optind] || options.reads))
		mp_usage("--only-parts cannot be combined with FILE, -b, -e, -w, --no-comm or "
			 "--unit");
	mp_fold_reader_begin(&work.reader);
	work.parts = mp_alloc((work.reader.choice.by.n + 1) * sizeof(*work.parts));
}

/* --- events ----------------------------------------------------------------------------------- */

/* Adds the frames of a stack to the tree. */
static void add_stack(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	struct stack *stack = arg;

	(void)weight;
	stack->node = mp_tree_add(&work.tree, frames, n, 0);
}

/*
 * The stack of an event, which begins with its task. A missing field differs from all values: it
 * begins with LF, which no value contains.
 */
static struct stack *stack_of(const struct mp_rec *rec, const char **why)
{
	static const struct mp_str missing = { "\n", 1 };
	struct mp_fold_reader *r = &work.reader;
	size_t n = r->choice.by.n, i;
	struct stack *stack;
	const char *reason;
	bool fresh;

	mp_rec_names(rec, &r->choice.by, work.parts);
	if (!mp_rec_stack(rec, &work.parts[n]))
		work.parts[n].p = NULL;
	for (i = 0; i <= n; i++)
		if (!work.parts[i].p)
			work.parts[i] = missing;
	stack = mp_map_value(mp_map_put(&work.stacks, work.parts, n + 1, &fresh));
	if (fresh)
		stack->bad = mp_fold_pass(&r->fold, &r->style, rec, add_stack, stack, &reason) < 0;
	*why = "bad escape or control byte";
	return stack->bad ? NULL : stack;
}

/* The number that is measured. Returns 1; 0 if there is none; or -1 with `*why`. */
static int measure(const struct mp_rec *rec, int64_t *value, const char **why)
{
	static const struct mp_field dur = MP_FIELD_OF(KEY, "dur");
	struct mp_str text;
	uint64_t ns;

	if (work.reader.choice.weight.name.p)
		return 1;
	*value = 0;
	if (!mp_rec_get(rec, &dur, &text))
		return 0;
	if (mp_num_u64(text, &ns) < 0 || ns > INT64_MAX) {
		*why = "bad dur";
		return -1;
	}
	work.spans = true;
	*value = (int64_t)ns;
	return 1;
}

/* Adds an event. Returns 0, or -1 with `*why`. */
static int handle_event(const struct mp_rec *rec, const char **why)
{
	struct stack *stack;
	int64_t value;
	int taken = mp_fold_reader_take(&work.reader, rec, &value, why);

	if (taken < 1)
		return taken;
	taken = measure(rec, &value, why);
	if (taken < 0 || !(stack = stack_of(rec, why)))
		return -1;
	mp_page_cells_add(&work.cells, rec->time_ns, stack->node,
			  taken ? mp_page_bucket(value) : MP_PAGE_UNMEASURED, value);
	work.tree.nodes[stack->node].self++;
	work.first_ns = work.events ? MP_MIN(work.first_ns, rec->time_ns) : rec->time_ns;
	work.last_ns = MP_MAX(work.last_ns, rec->time_ns);
	work.events++;
	return 0;
}

static void finish(void)
{
	mp_page_cells_finish(&work.cells);
	mp_tree_finish(&work.tree);
}

static enum mp_status read_input(char **operands, struct mp_out *out)
{
	struct mp_rec rec;
	const char *why;

	mp_input_init(&work.in, operands, MP_CONTROL | MP_EVENT, out);
	work.in.concerns = mp_choice_concerns;
	work.in.arg = &work.reader.choice.types;
	while (mp_input_next(&work.in, &rec)) {
		if (rec.kind == MP_CONTROL) {
			mp_fold_reader_control(&work.reader, &work.in.ctl);
		} else if (handle_event(&rec, &why) < 0) {
			mp_input_bad(&work.in, why);
			work.skipped++;
		}
	}
	finish();
	return mp_choice_finish(&work.reader.choice, mp_input_finish(&work.in));
}

/* --- the page --------------------------------------------------------------------------------- */

static void make_title(struct mp_buf *to)
{
	const struct mp_types *types = &work.reader.choice.types;
	char *list;

	if (options.title || !types->taken) {
		mp_buf_printf(to, "%s", options.title ? options.title : "Recording");
		return;
	}
	list = mp_types_list(types);
	mp_buf_printf(to, "%s", list);
	free(list);
}

static void make_subtitle(struct mp_buf *to)
{
	const struct mp_fields *by = &work.reader.choice.by;
	char text[MP_UNIT_MAX];
	size_t i;

	mp_unit_put(text, "ns", (double)(work.last_ns - work.first_ns));
	mp_buf_printf(to, "%llu event%s in %s", (unsigned long long)work.events,
		      mp_plural(work.events), text);
	for (i = 0; i < by->n; i++)
		mp_buf_printf(to, "%s%.*s", i ? "," : ", by ", MP_STR_ARGS(by->v[i].name));
	if (work.in.lost)
		mp_buf_printf(to, "; %llu %s lost", (unsigned long long)work.in.lost,
			      work.in.lost == 1 ? "event was" : "events were");
}

/* Says why there is nothing to show. */
static void make_nothing(struct mp_buf *to)
{
	const struct mp_types *types = &work.reader.choice.types;

	if (work.skipped)
		mp_buf_printf(to, "Nothing to show: all events were skipped.");
	else if (types->seen.n && !types->taken)
		mp_buf_printf(to, "Nothing to show: no event matches -e.");
	else
		mp_buf_printf(to, "Nothing to show: the input has no events.");
}

static void write_page(char **operands, struct mp_out *out)
{
	static const struct mp_field dur = MP_FIELD_OF(KEY, "dur");
	const struct mp_choice *choice = &work.reader.choice;
	struct mp_buf title = { NULL, 0, 0 }, subtitle = title, nothing = title, page = title;
	struct mp_page p = {
		.tree = &work.tree,
		.cells = &work.cells,
		.by = &choice->by,
		.measure = { "", 0 },
		.unit = "",
		.weighed = choice->weight.name.p,
		.types = options.types.p,
		.files = operands,
		.added = &work.added,
		.only_parts = options.only_parts,
	};

	if (p.weighed || work.spans) {
		p.measure = p.weighed ? choice->weight.name : dur.name;
		p.unit = options.unit ? options.unit
			 : p.weighed  ? mp_fold_reader_unit(&work.reader)
				      : mp_unit_of(work.reader.origin, &dur);
	}
	make_title(&title);
	make_subtitle(&subtitle);
	if (!options.only_parts)
		make_nothing(&nothing);
	p.title = mp_buf_view(&title);
	p.subtitle = mp_buf_view(&subtitle);
	p.nothing = mp_buf_view(&nothing);
	mp_page_html(&page, &p, MOST_BYTES);
	mp_out_write(out, page.p, page.len);
	mp_buf_release(&title);
	mp_buf_release(&subtitle);
	mp_buf_release(&nothing);
	mp_buf_release(&page);
}

int main(int argc, char **argv)
{
	enum mp_status status = MP_OK;
	struct mp_out out;

	mp_init("mp-page");
	mp_fold_reader_init(&work.reader);
	mp_tree_init(&work.tree);
	mp_page_cells_init(&work.cells, MOST_CELLS);
	mp_map_init(&work.stacks, sizeof(struct stack));
	parse_options(argc, argv);
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	if (options.only_parts)
		finish();
	else
		status = read_input(argv + optind, &out);
	if (work.cells.overflow) {
		mp_say("a sum exceeds 64 bits and was held at the limit");
		status = MP_MAX(status, MP_LOSSY);
	}
	if (work.too_long)
		status = MP_MAX(status, MP_LOSSY);
	if (options.only_parts || work.events || (!work.in.empty && !work.in.refused))
		write_page(argv + optind, &out);
	mp_out_close(&out);
	mp_page_cells_release(&work.cells);
	mp_map_release(&work.stacks);
	mp_tree_release(&work.tree);
	mp_buf_release(&options.types);
	mp_page_added_release(&work.added);
	return status;
}
