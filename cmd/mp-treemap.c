// SPDX-License-Identifier: GPL-2.0-only
/* mp-treemap: the stacks or keys of events, stacks and folded text as a treemap. */
#include <stdlib.h>
#include <unistd.h>

#include "lib/core/opt.h"
#include "lib/fold/reader.h"
#include "lib/stream/input.h"
#include "lib/stream/unit.h"
#include "lib/treemap/treemap.h"

enum {
	OPT_COLOUR = MP_OPT_LONG,
	OPT_HEIGHT,
	OPT_TITLE,
	OPT_UNIT,
	OPT_WIDTH,
};

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "What is drawn" },
	MP_FOLD_READER_EVENTS,
	MP_FOLD_READER_FRAMES,
	MP_FOLD_READER_REVERSE,
	{ 0, NULL, NULL, "The picture" },
	{ OPT_COLOUR, "colour", "FIELD",
	  "colour by FIELD of the events per weight, such as dur (default: by the first frame)" },
	{ OPT_TITLE, "title", "TEXT", "title of the picture" },
	MP_UNIT_OPTION(OPT_UNIT, "weights"),
	{ OPT_WIDTH, "width", "N", "width in px (default: 1200)" },
	{ OPT_HEIGHT, "height", "N", "height in px (default: 800)" },
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-treemap",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Draw stacks or keys of events, stacks and folded text as a treemap in SVG.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-record -F 999 -d 10 | mp-treemap > cpu.svg\n"
		    "  mp-treemap --by comm --weight .bytes disk.mp > disk.svg\n"
		    "  mp-treemap --reverse monday.folded tuesday.folded > leaves.svg\n",
};

static struct {
	struct mp_field colour; /* name.p == NULL: not given */
	const char *title, *unit;
	double width, height;
} options = { .width = 1200, .height = 800 };

/* The state of this run. */
static struct {
	struct mp_fold_reader reader;
	struct mp_input in;
	struct mp_tree tree;
	double *second; /* by node, for --colour */
	size_t second_cap;
	uint64_t events, stacks; /* how many were added */
} work;

static void set_option(int code, const char *arg)
{
	if (mp_fold_reader_option(&work.reader, &program, code, arg))
		return;
	switch (code) {
	case OPT_COLOUR:
		options.colour = mp_choice_field(&program, code, arg);
		mp_choice_name(&work.reader.choice, &options.colour, "--colour", MP_CHOICE_NUMBER);
		break;
	case OPT_TITLE:
		options.title = arg;
		break;
	case OPT_UNIT:
		options.unit = arg;
		break;
	case OPT_WIDTH:
		options.width =
			(double)mp_opt_number(&program, code, arg, MP_TREEMAP_MIN, MP_TREEMAP_MAX);
		break;
	case OPT_HEIGHT:
		options.height =
			(double)mp_opt_number(&program, code, arg, MP_TREEMAP_MIN, MP_TREEMAP_MAX);
		break;
	}
}

static void parse_options(int argc, char **argv)
{
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		set_option(code, arg);
	mp_fold_reader_begin(&work.reader);
}

/* The measures of a record. */
struct measures {
	int64_t weight;
	double second;
};

static void add_stack(void *arg, const struct mp_frame *frames, size_t n, int64_t weight)
{
	const struct measures *m = arg;
	uint32_t node = mp_tree_add(&work.tree, frames, n, m ? m->weight : weight);
	size_t old = work.second_cap;

	if (!options.colour.name.p)
		return;
	if (node >= work.second_cap) {
		work.second_cap = MP_MAX((size_t)node + 1, 2 * work.second_cap);
		work.second = mp_realloc(work.second, work.second_cap * sizeof(*work.second));
		memset(work.second + old, 0, (work.second_cap - old) * sizeof(*work.second));
	}
	work.second[node] += m ? m->second : 0;
}

/* Adds a record: 0, or -1 with `*why`. Without --colour, the stacks of events are folded first. */
static int handle_record(const struct mp_rec *rec, const char **why)
{
	struct mp_fold_reader *r = &work.reader;
	struct measures m = { .second = 0 };
	int taken = mp_fold_reader_take(r, rec, &m.weight, why), got;

	if (taken < 1)
		return taken;
	if (rec->kind == MP_EVENT && options.colour.name.p) {
		got = mp_rec_number(rec, &options.colour, &m.second);
		if (got < 1) {
			*why = mp_field_why(&options.colour,
					    got < 0 ? "the field of the colour is not a number"
						    : "record without the field of its colour");
			return -1;
		}
		taken = mp_fold_pass(&r->fold, &r->style, rec, add_stack, &m, why);
	} else if (rec->kind == MP_EVENT) {
		taken = mp_fold_add(&r->fold, rec, m.weight, why);
	} else {
		taken = mp_fold_pass(&r->fold, &r->style, rec, add_stack, NULL, why);
	}
	work.events += taken == 0 && rec->kind == MP_EVENT;
	work.stacks += taken == 0 && rec->kind != MP_EVENT;
	return taken;
}

/* Completes the tree, and adds the second measure of each node to its parent. */
static void finish_tree(void)
{
	size_t i;

	mp_fold_each(&work.reader.fold, &work.reader.style, add_stack, NULL);
	mp_fold_report(&work.reader.fold);
	mp_tree_finish(&work.tree);
	if (!options.colour.name.p)
		return;
	work.second = mp_realloc(work.second, (work.tree.n + 1) * sizeof(*work.second));
	for (i = work.second_cap; i < work.tree.n; i++)
		work.second[i] = 0;
	for (i = work.tree.n; i-- > 1;) /* a parent is before its children */
		work.second[work.tree.nodes[i].parent] += work.second[i];
}

static void read_input(char **operands, struct mp_out *out)
{
	struct mp_rec rec;
	const char *why;

	mp_input_init(&work.in, operands, MP_CONTROL | MP_EVENT | MP_STACK | MP_FOLDED, out);
	work.in.concerns = mp_choice_concerns;
	work.in.arg = &work.reader.choice.types;
	while (mp_input_next(&work.in, &rec)) {
		if (rec.kind == MP_CONTROL)
			mp_fold_reader_control(&work.reader, &work.in.ctl);
		else if (handle_record(&rec, &why) < 0)
			mp_input_bad(&work.in, why);
	}
	finish_tree();
}

/* --- what the picture says -------------------------------------------------------------------- */

static const char *unit_of_weight(void)
{
	return options.unit ? options.unit : mp_fold_reader_unit(&work.reader);
}

static void make_title(struct mp_buf *to)
{
	char *list;

	if (options.title) {
		mp_buf_str(to, mp_str(options.title));
	} else if (work.reader.choice.types.taken) {
		list = mp_types_list(&work.reader.choice.types);
		mp_buf_str(to, mp_str(list));
		free(list);
	} else {
		mp_buf_str(to, MP_STR("Treemap"));
	}
}

static struct mp_str weight_name(void)
{
	/* folded text does not say what it counts */
	return work.events || work.reader.stacks ? mp_fold_reader_weight(&work.reader)
						 : MP_STR("total");
}

static void make_subtitle(struct mp_buf *to)
{
	const struct mp_fields *by = &work.reader.choice.by;
	char text[MP_UNIT_MAX];
	size_t i;

	mp_unit_put(text, unit_of_weight(), (double)work.tree.nodes[0].total);
	mp_buf_printf(to, "area: %.*s, %s", MP_STR_ARGS(weight_name()), text);
	for (i = 0; work.events && i < by->n; i++)
		mp_buf_printf(to, "%s%.*s", i ? "," : "; by ", MP_STR_ARGS(by->v[i].name));
	if (options.colour.name.p) {
		mp_buf_printf(to, "; colour: ");
		mp_buf_str(to, options.colour.name);
	}
	if (work.reader.style.reverse)
		mp_buf_printf(to, "; leaf first");
	if (work.in.lost)
		mp_buf_printf(to, "; %llu %s lost", (unsigned long long)work.in.lost,
			      work.in.lost == 1 ? "event was" : "events were");
}

static void draw(struct mp_out *out)
{
	struct mp_buf title = { NULL, 0, 0 }, subtitle = { NULL, 0, 0 }, second = { NULL, 0, 0 };
	struct mp_buf picture = { NULL, 0, 0 };
	struct mp_treemap m = {
		.tree = &work.tree,
		.unit = unit_of_weight(),
		.nothing = MP_STR("Nothing to draw: the input has no stack with a weight above 0."),
		.width = options.width,
		.height = options.height,
	};

	make_title(&title);
	make_subtitle(&subtitle);
	m.title = mp_buf_view(&title);
	m.subtitle = mp_buf_view(&subtitle);
	if (options.colour.name.p && work.events) {
		bool counted = mp_str_eq(weight_name(), MP_STR("count"));

		mp_buf_str(&second, options.colour.name);
		mp_buf_printf(&second, " per ");
		mp_buf_str(&second, counted ? MP_STR("event") : weight_name());
		m.second = work.second;
		m.second_name = mp_buf_view(&second);
		m.second_unit = counted ? mp_unit_of(work.reader.origin, &options.colour) : "";
	}
	mp_treemap_svg(&picture, &m);
	mp_out_write(out, picture.p, picture.len);
	mp_buf_release(&title);
	mp_buf_release(&subtitle);
	mp_buf_release(&second);
	mp_buf_release(&picture);
}

/* Reports what cannot be drawn as it is. */
static enum mp_status report(void)
{
	bool overflow = work.tree.overflow || work.reader.fold.overflow;

	mp_say_count(work.tree.negative, "stack with a weight below 0 is not drawn",
		     "stacks with a weight below 0 are not drawn");
	if (overflow)
		mp_say("a weight exceeds 64 bits and was held at the limit");
	return work.tree.negative || overflow ? MP_LOSSY : MP_OK;
}

int main(int argc, char **argv)
{
	enum mp_status status, drawn;
	struct mp_out out;

	mp_init("mp-treemap");
	mp_fold_reader_init(&work.reader);
	mp_tree_init(&work.tree);
	parse_options(argc, argv);
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	read_input(argv + optind, &out);
	status = mp_choice_finish(&work.reader.choice, mp_input_finish(&work.in));
	drawn = report();
	if (work.events + work.stacks || (!work.in.empty && !work.in.refused))
		draw(&out);
	mp_out_close(&out);
	mp_tree_release(&work.tree);
	free(work.second);
	return MP_MAX(status, drawn);
}
