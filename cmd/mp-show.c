// SPDX-License-Identifier: GPL-2.0-only
/* mp-show: what is in a recording, and one page that shows it. Runs the other programs. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/core/clock.h"
#include "lib/core/io.h"
#include "lib/core/opt.h"
#include "lib/definition/definition.h"
#include "lib/recordings/caller.h"
#include "lib/recordings/children.h"
#include "lib/recordings/folder.h"
#include "lib/show/contrast_page.h"
#include "lib/show/plan.h"
#include "lib/show/recorded.h"
#include "lib/show/result.h"
#include "lib/stream/esc.h"

enum {
	OPT_AGAINST = MP_OPT_LONG,
	OPT_AS,
	OPT_EACH,
	OPT_FOR,
	OPT_FROM,
	OPT_OPEN,
	OPT_PRINT,
	OPT_TEXT,
	OPT_TO,
};

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "Recording" },
	{ 'd', "duration", "DURATION",
	  "operands are collectors: record them for 10s, 500ms, 2m, and show that" },
	{ 'p', "pid", "PIDS", "with -d or a command, record these processes" },
	{ 0, NULL, NULL, "What is shown" },
	{ 'e', "event", "GLOB",
	  "only events whose type matches; repeated or comma-separated: one of them" },
	{ 'f', "filter", "EXPR", "only lines for which EXPR holds, as for mp-select" },
	{ OPT_FROM, "from", "TIME", "not before TIME, as for mp-select" },
	{ OPT_TO, "to", "TIME", "before TIME" },
	{ OPT_FOR, "for", "DURATION", "before DURATION has passed since --from, or the start" },
	{ 0, NULL, NULL, "The picture" },
	{ OPT_AS, "as", "FORM",
	  "one picture instead of all: flame, timeline, heat, stackplot, treemap, table, cpel or "
	  "page" },
	{ OPT_AGAINST, "against", "FILE",
	  "one page of two recordings, before and after: FILE, and the one that is shown" },
	{ OPT_TEXT, "text", NULL, "everything as text in the terminal" },
	{ OPT_EACH, "each", NULL,
	  "a picture of its own for each FILE, and for each data set in it that mp-import converts" },
	{ 0, NULL, NULL, "Output" },
	{ 'o', "output", "FILE",
	  "write the picture to FILE (-: standard output; default: a file named after the "
	  "recording)" },
	{ OPT_OPEN, "open", NULL, "open the picture in a browser" },
	{ OPT_PRINT, "print", NULL, "print the pipelines instead of running them" },
};

static const struct mp_program program = {
	.name = "mp-show",
	.synopsis = "[OPTION]... [FILE]...\n"
		    "       mp-show COLLECTOR... -d DURATION [OPTION]...\n"
		    "       mp-show COLLECTOR... [OPTION]... -- COMMAND [ARGUMENT]...",
	.summary = "Print what is in a recording, by default the last of 'mp record'.\n"
		   "Show it as one page, with the pictures that suit it.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-show cpu.mp\n"
		    "  mp-show --as heat --from 2s --for 500ms disk.mp\n"
		    "  mp-show --text cpu.mp\n"
		    "  mp-show --against monday.mp tuesday.mp\n"
		    "  mp-show disklat -d 5\n",
};

static struct {
	const char *duration, *pids;
	const char *as, *output, *against;
	bool timed; /* a window of time is selected */
	bool text, open, print, each;
	struct mp_stage select; /* mp-select and its options; n is 1: there are none */
	char **command;		/* what follows "--"; NULL: nothing */
} options;

static struct {
	struct mp_config config;
	struct mp_folder folder;
	bool has_folder; /* `folder` is open */
	struct mp_recorded recorded;
	struct mp_facts facts;
	enum mp_status status;
	char *file;	     /* the last recording */
	struct mp_map stems; /* of the pictures of --each */
} work;

/* The other recording of --against. */
static struct {
	struct mp_recorded recorded;
	struct mp_facts facts;
} before;

static void lower(enum mp_status status)
{
	work.status = MP_MAX(work.status, status);
}

/* --- options ---------------------------------------------------------------------------------- */

static void select_by(const char *option, const char *arg)
{
	options.timed |= option[1] == '-';
	mp_stage_add(&options.select, option);
	mp_stage_add(&options.select, arg);
}

static void set_option(int code, const char *arg)
{
	switch (code) {
	case 'd':
		mp_opt_duration(&program, code, arg);
		options.duration = arg;
		break;
	case 'p':
		options.pids = arg;
		break;
	case 'e':
		select_by("-e", arg);
		break;
	case 'f':
		select_by("-f", arg);
		break;
	case OPT_FROM:
		select_by("--from", arg);
		break;
	case OPT_TO:
		select_by("--to", arg);
		break;
	case OPT_FOR:
		select_by("--for", arg);
		break;
	case OPT_AS:
		options.as = mp_plan_forms[mp_opt_word(&program, code, arg, mp_plan_forms)];
		break;
	case OPT_EACH:
		options.each = true;
		break;
	case OPT_AGAINST:
		options.against = arg;
		break;
	case OPT_TEXT:
		options.text = true;
		break;
	case 'o':
		options.output = strcmp(arg, "/dev/stdout") == 0 ? "-" : arg;
		break;
	case OPT_OPEN:
		options.open = true;
		break;
	case OPT_PRINT:
		options.print = true;
		break;
	}
}

/* Cuts the command off the end of the arguments, before options are moved. Returns what is left. */
static int cut_command(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strcmp(argv[i], "--") == 0 && argv[i + 1]) {
			options.command = argv + i + 1;
			argv[i] = NULL;
			return i;
		}
	return argc;
}

static int parse_options(int argc, char **argv)
{
	char *arg;
	int code;

	mp_stage_add(&options.select, "mp-select");
	argc = cut_command(argc, argv);
	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1)
		set_option(code, arg);
	if (options.text && options.as)
		mp_usage("--text cannot be combined with --as");
	if (options.text && (options.open || options.output))
		mp_usage("--text cannot be combined with --open or -o");
	if (options.each && (options.output || options.duration || options.command))
		mp_usage("--each cannot be combined with -o, -d or a command");
	if (options.against && options.as && strcmp(options.as, "cpel") == 0)
		mp_usage("--against cannot be combined with --as cpel");
	if (options.against && (options.text || options.timed || options.each))
		mp_usage("--against cannot be combined with --text, --each, --from, --to or --for");
	if (options.pids && !options.duration && !options.command)
		mp_usage("-p is only for recording (with -d or a command)");
	return optind;
}

/* --- a new recording -------------------------------------------------------------------------- */

/* The words of mp-record that record the collectors. */
static void add_recorder(struct mp_stage *s, char **collectors)
{
	mp_stage_add(s, "mp-record");
	for (; *collectors; collectors++)
		mp_stage_add(s, *collectors);
	if (options.pids) {
		mp_stage_add(s, "-p");
		mp_stage_add(s, options.pids);
	}
	if (options.duration) {
		mp_stage_add(s, "-d");
		mp_stage_add(s, options.duration);
	}
	if (options.command) {
		mp_stage_add(s, "--");
		for (char **word = options.command; *word; word++)
			mp_stage_add(s, *word);
	}
}

/* A wrong name would otherwise be found after the other collectors have recorded. */
static void check_collectors(char **collectors)
{
	struct mp_definition d;
	char *error;

	if (!*collectors)
		mp_usage("which collectors? (mp-record -l lists them)");
	for (; *collectors; collectors++) {
		if (mp_definition_read(&d, *collectors, &error) < 0)
			mp_die("%s", error);
		mp_definition_release(&d);
	}
}

/* Records the collectors. Returns the path of the recording. */
static char *record(char **collectors)
{
	struct mp_pipeline p = { NULL, 0, 0 };
	enum mp_status status;
	char *path;

	add_recorder(mp_pipeline_insert(&p, 0, NULL), collectors);
	status = mp_folder_record(p.v[0].argv, &path);
	mp_pipeline_release(&p);
	if (!path)
		exit(MP_MAX(status, MP_LOSSY));
	lower(status);
	return path;
}

/* --- the recording that is shown -------------------------------------------------------------- */

static void open_folder(void)
{
	mp_folder_open(&work.folder);
	work.has_folder = true;
}

/* The path of the last recording. From now on, all is done with the privileges of its owner. */
static char *find_last(void)
{
	char *name, *path;

	mp_caller_become();
	open_folder();
	name = mp_folder_last(&work.folder);
	if (!name)
		mp_die("there is no recording in '%s' ('mp record' at a terminal makes one; or "
		       "give a FILE)",
		       work.folder.path);
	path = mp_asprintf("%s/%s", work.folder.path, name);
	free(name);
	return path;
}

/* A name that is not a file may be one of a collector. */
static void check_files(char **files)
{
	struct mp_definition d;
	char *error;

	for (; *files; files++) {
		if (strcmp(*files, "-") == 0 || access(*files, F_OK) == 0 || strchr(*files, '/') ||
		    strchr(*files, '.'))
			continue;
		if (mp_definition_read(&d, *files, &error) == 0)
			mp_die("no file '%s' (to record this collector: mp-show %s -d 5)", *files,
			       *files);
		mp_die("no file '%s', and %s", *files, error);
	}
}

/* --- pipelines -------------------------------------------------------------------------------- */

/* Adds what precedes the pipeline: the recorder, or the recording. */
static void add_head(struct mp_pipeline *p, char **collectors, bool for_people)
{
	if (!collectors) {
		mp_recorded_head(&work.recorded, p, &options.select, for_people);
		return;
	}
	if (options.select.n > 1)
		mp_pipeline_insert(p, 0, (const char *const *)options.select.argv);
	add_recorder(mp_pipeline_insert(p, 0, NULL), collectors);
}

/* Adds a line with the pipeline as a user would type it; `end` follows it. */
static void add_pipeline(struct mp_buf *to, const struct mp_pipeline *plain, char **collectors,
			 const char *end)
{
	struct mp_buf text = { NULL, 0, 0 };
	struct mp_pipeline p;
	size_t i;

	mp_pipeline_copy(&p, plain);
	add_head(&p, collectors, true);
	mp_pipeline_print(&text, &p);
	mp_pipeline_release(&p);
	mp_buf_str(&text, mp_str(end));
	for (i = 0; i < text.len; i++)
		if ((unsigned char)text.p[i] < ' ' || text.p[i] == 0x7f)
			text.p[i] = '?';
	mp_buf_str(to, mp_buf_view(&text));
	mp_buf_byte(to, '\n');
	mp_buf_release(&text);
}

static void print(struct mp_buf *text, int fd)
{
	struct mp_out out;

	mp_out_init(&out, fd, fd == STDOUT_FILENO ? "stdout" : "stderr");
	mp_out_write(&out, text->p, text->len);
	mp_out_flush(&out);
	free(out.buf);
	mp_buf_release(text);
}

/* --- showing ---------------------------------------------------------------------------------- */

/* Starts a program that shows a file, and does not wait for it. */
static void launch(const char *name, const char *option, const char *path)
{
	const char *argv[] = { name, option ? option : path, option ? path : NULL, NULL };

	if (mp_pipeline_installed(name)) {
		mp_children_detach((char **)argv);
		return;
	}
	mp_say("cannot open '%s': %s is not installed", path, name);
	lower(MP_LOSSY);
}

static void open_result(const char *path)
{
	bool cpel = mp_str_ends(mp_str(path), MP_STR(".cpel"));

	if (cpel && mp_pipeline_installed("g2"))
		launch("g2", "--cpel-input", path);
	else if (!cpel && (options.open || work.config.open))
		launch("xdg-open", NULL, path);
}

/* Adds which picture was chosen, and why. */
static void add_plan(struct mp_buf *to, const struct mp_plan *plan)
{
	mp_buf_printf(to, "  %-11s %s%s%s%s\n%14s", plan->title ? plan->title : "picture",
		      plan->why, plan->note ? " (" : "", plan->note ? plan->note : "",
		      plan->note ? ")" : "", "");
	add_pipeline(to, &plan->pipeline, NULL, "");
}

static const char *name_of(const struct mp_recorded *r)
{
	return r->n > 1 ? "several files" : r->imported ? r->imported : r->files[0];
}

/* Prints what is in the recording, and which pictures were chosen. */
static void print_facts(const struct mp_plan *plans, size_t n)
{
	bool to_stdout = options.output && strcmp(options.output, "-") == 0;
	struct mp_buf text = { NULL, 0, 0 };
	size_t i;

	mp_facts_print(&text, &work.facts, name_of(&work.recorded));
	for (i = 0; i < n; i++)
		add_plan(&text, &plans[i]);
	print(&text, to_stdout ? STDERR_FILENO : STDOUT_FILENO);
}

static void print_plan(const struct mp_plan *plan, char **collectors)
{
	struct mp_buf text = { NULL, 0, 0 };

	add_pipeline(&text, &plan->pipeline, collectors, "");
	print(&text, STDOUT_FILENO);
}

static void check_installed(const struct mp_plan *plan)
{
	const char *missing = mp_pipeline_missing(&plan->pipeline);

	if (missing)
		mp_die("%s is not installed", missing);
}

/* Runs the pipeline of a picture, and prints the path of the file. */
static void show_picture(const struct mp_plan *plan)
{
	struct mp_result result = { .output = options.output, .stem = work.recorded.stem };
	struct mp_buf text = { NULL, 0, 0 };
	enum mp_status status;
	char *path;

	result.folder = work.has_folder ? work.folder.fd : AT_FDCWD;
	result.folder_path = work.has_folder ? work.folder.path : "";
	mp_children_guard();
	mp_result_open(&result);
	status = mp_pipeline_run(&plan->pipeline, mp_recorded_rewind(&work.recorded), result.fd);
	lower(status);
	if (status == MP_FAIL) {
		mp_result_drop(&result);
		mp_say("no picture: the pipeline failed");
		return;
	}
	path = mp_result_keep(&result);
	if (!path)
		return;
	if (isatty(STDOUT_FILENO))
		mp_esc_terminal(&text, mp_str(path));
	else
		mp_buf_str(&text, mp_str(path));
	mp_buf_byte(&text, '\n');
	print(&text, STDOUT_FILENO);
	open_result(path);
	free(path);
}

static void show_one(char **collectors)
{
	struct mp_plan plan;

	mp_plan_choose(&plan, &work.facts, &work.config, options.as);
	if (options.print) {
		print_plan(&plan, collectors);
	} else {
		check_installed(&plan);
		print_facts(&plan, 1);
		add_head(&plan.pipeline, NULL, false);
		show_picture(&plan);
	}
	mp_plan_release(&plan);
}

/* --- a page with several pictures -------------------------------------------------------------- */

/* The stage that shows the files of the parts: mp-page. */
static struct mp_stage *last_stage(struct mp_plan *page)
{
	return &page->pipeline.v[page->pipeline.n - 1];
}

/* Prints a pipeline that writes to a file. Returns the name of the file. */
static char *print_line(const struct mp_pipeline *p, const char *suffix)
{
	char *name = mp_asprintf("%s%s", work.recorded.stem, suffix);
	struct mp_buf end = { NULL, 0, 0 }, text = { NULL, 0, 0 };

	mp_buf_str(&end, MP_STR(" > "));
	mp_pipeline_quote(&end, name);
	mp_buf_byte(&end, '\0');
	add_pipeline(&text, p, NULL, end.p);
	print(&text, STDOUT_FILENO);
	mp_buf_release(&end);
	return name;
}

/* Prints all pipelines, and with collectors the recorder, as lines for a shell. */
static void print_page(struct mp_plans *plans, char **collectors)
{
	static char recording[] = "recording.mp", *files[] = { recording, NULL };
	struct mp_pipeline recorder = { NULL, 0, 0 };
	struct mp_buf text = { NULL, 0, 0 };
	char *name, *end;
	size_t i;

	if (collectors) {
		add_recorder(mp_pipeline_insert(&recorder, 0, NULL), collectors);
		mp_pipeline_print(&text, &recorder);
		mp_buf_printf(&text, " > %s\n", recording);
		print(&text, STDOUT_FILENO);
		mp_pipeline_release(&recorder);
		work.recorded.files = files;
		work.recorded.n = 1;
		work.recorded.stem = mp_strdup("recording");
	}
	for (i = 1; i < plans->n; i++) {
		const struct mp_plan *part = &plans->v[i];

		end = mp_asprintf("-%.*s%s", (int)strcspn(part->title, " "), part->title,
				  part->suffix);
		name = print_line(&part->pipeline, end);
		mp_stage_add_file(last_stage(&plans->v[0]), "--add", name, part->title);
		free(name);
		free(end);
	}
	free(print_line(&plans->v[0].pipeline, ".html"));
}

/* Runs the pipeline of a part into a temporary file, which the page gets. */
static void make_part(struct mp_plan *page, struct mp_plan *part)
{
	char *path;

	add_head(&part->pipeline, NULL, false);
	path = mp_recorded_run(&part->pipeline, mp_recorded_rewind(&work.recorded), part->title,
			       &work.status);
	if (path)
		mp_stage_add_file(last_stage(page), "--add", path, part->title);
	free(path);
}

static void show_page(struct mp_plans *plans, char **collectors)
{
	size_t i;

	if (options.print) {
		print_page(plans, collectors);
		return;
	}
	check_installed(&plans->v[0]);
	print_facts(plans->v, plans->n);
	mp_children_guard();
	for (i = 1; i < plans->n; i++)
		make_part(&plans->v[0], &plans->v[i]);
	add_head(&plans->v[0].pipeline, NULL, false);
	show_picture(&plans->v[0]);
}

static void show(char **collectors)
{
	struct mp_plans plans = { NULL, 0, 0 };

	if (!options.as && mp_plans_page(&plans, &work.facts, &work.config))
		show_page(&plans, collectors);
	else
		show_one(collectors);
	mp_plans_release(&plans);
}

/* --- two recordings --------------------------------------------------------------------------- */

/*
 * Opens the other recording, before the one that is shown: where it replaced standard input, that
 * one may do so as well.
 */
static void open_before(char **operands)
{
	static char *files[] = { NULL, NULL };

	for (; *operands; operands++)
		if (strcmp(*operands, "-") == 0 && strcmp(options.against, "-") == 0)
			mp_usage("only one recording can be standard input");
	files[0] = mp_strdup(options.against);
	check_files(files);
	mp_recorded_open(&before.recorded, files);
	lower(before.recorded.status);
	lower(mp_facts_read(&before.facts, before.recorded.files));
	if (before.recorded.fd != STDIN_FILENO)
		return;
	before.recorded.fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (before.recorded.fd < 0)
		mp_die("cannot use a temporary file: %m");
}

/* Prints what differs, and makes the page of it and of the parts. */
static void run_against(struct mp_contrast_page *page, const struct mp_contrasts *parts,
			const struct mp_contrast_side *sides)
{
	bool to_stdout = options.output && strcmp(options.output, "-") == 0;
	struct mp_plan plan = { .why = NULL };
	struct mp_buf text = { NULL, 0, 0 };
	size_t i;

	mp_contrast_print(&text, sides);
	mp_contrast_page_text(page, mp_buf_view(&text), "the recordings");
	print(&text, to_stdout ? STDERR_FILENO : STDOUT_FILENO);
	mp_children_guard();
	for (i = 0; i < parts->n; i++)
		mp_contrast_page_add(page, &parts->v[i], sides);
	lower(page->status);
	mp_pipeline_copy(&plan.pipeline, &page->pipeline);
	show_picture(&plan);
	mp_plan_release(&plan);
}

static void choose_both(struct mp_plans *plans, const struct mp_facts *both)
{
	struct mp_config none = { .as = NULL };
	struct mp_plan *plan;

	mp_map_init(&none.shown, sizeof(char *));
	if (!options.as && mp_plans_page(plans, both, &none))
		return;
	plan = mp_zalloc(sizeof(*plan));
	mp_plan_choose(plan, both, &none, options.as);
	*plans = (struct mp_plans){ plan, 1, 1 };
}

static void show_against(void)
{
	const struct mp_contrast_side sides[] = {
		{ name_of(&before.recorded), &before.facts },
		{ name_of(&work.recorded), &work.facts },
	};
	struct mp_buf text = { NULL, 0, 0 };
	struct mp_contrast_page page;
	struct mp_contrasts parts;
	struct mp_plans plans;
	struct mp_facts both;
	char *stem;

	mp_contrast_facts(&both, sides);
	choose_both(&plans, &both);
	mp_contrasts_make(&parts, &plans, sides);
	stem = mp_asprintf("%s-against-%s", work.recorded.stem, before.recorded.stem);
	free(work.recorded.stem);
	work.recorded.stem = stem;
	mp_contrast_page_init(&page, sides);
	page.recorded[0] = &before.recorded;
	page.recorded[1] = &work.recorded;
	page.select = &options.select;
	page.stem = stem;
	if (!mp_pipeline_installed("mp-page"))
		mp_die("mp-page is not installed");
	if (options.print) {
		mp_contrast_page_print(&text, &page, &parts, sides);
		print(&text, STDOUT_FILENO);
	} else {
		run_against(&page, &parts, sides);
	}
	mp_contrast_page_release(&page);
	mp_contrasts_release(&parts);
	mp_plans_release(&plans);
	mp_facts_release(&both);
}

/* --- text ------------------------------------------------------------------------------------- */

/* Runs all pipelines whose results are text, each below its text. */
static void show_text(char **collectors)
{
	struct mp_plans plans;
	size_t i;

	mp_plans_text(&plans, &work.facts);
	if (!options.print)
		print_facts(NULL, 0);
	mp_children_guard();
	for (i = 0; i < plans.n; i++) {
		struct mp_plan *plan = &plans.v[i];
		struct mp_buf text = { NULL, 0, 0 };

		if (!options.print)
			mp_buf_str(&text, MP_STR("\n$ "));
		add_pipeline(&text, &plan->pipeline, collectors, "");
		print(&text, STDOUT_FILENO);
		if (options.print)
			continue;
		add_head(&plan->pipeline, NULL, false);
		lower(mp_pipeline_run(&plan->pipeline, mp_recorded_rewind(&work.recorded),
				      STDOUT_FILENO));
	}
	mp_plans_release(&plans);
}

/* The facts of a recording that is yet to be made: its collectors. */
static void foresee(char **collectors)
{
	for (; *collectors; collectors++) {
		struct mp_str name = mp_str(*collectors);

		mp_map_put(&work.facts.collectors, &name, 1, NULL);
	}
}

static void read_facts(void)
{
	lower(mp_facts_read(&work.facts, work.recorded.files));
	if (!work.facts.events && !work.facts.points && !work.facts.stacks)
		mp_say("the recording is empty");
}

static void show_recording(char **collectors)
{
	if (options.text)
		show_text(collectors);
	else
		show(collectors);
}

/* Shows each file, and each data set that mp-import made of it, by itself. */
static void show_each(char **files)
{
	mp_map_init(&work.stems, 0);
	for (; *files; files++) {
		char *one[] = { *files, NULL };
		struct mp_recorded_sets sets;
		size_t i;

		mp_recorded_open(&work.recorded, one);
		lower(work.recorded.status);
		sets = mp_recorded_sets(&work.recorded);
		for (i = 0; i < sets.n; i++) {
			mp_recorded_use_set(&work.recorded, &sets, i, &work.stems);
			mp_facts_release(&work.facts);
			mp_facts_init(&work.facts);
			read_facts();
			show_recording(NULL);
		}
		mp_recorded_sets_release(&sets);
		mp_recorded_close(&work.recorded);
	}
}

int main(int argc, char **argv)
{
	char *last[] = { NULL, NULL }, **operands, **collectors = NULL;

	mp_init("mp-show");
	operands = argv + parse_options(argc, argv);
	mp_facts_init(&work.facts);
	mp_facts_init(&before.facts);
	if (options.duration || options.command) {
		check_collectors(operands);
		if (options.print && options.against)
			mp_usage("--against and --print need a recording");
		if (options.print)
			collectors = operands;
		else
			last[0] = record(operands);
		operands = last;
	}
	mp_caller_become();
	mp_config_read(&work.config);
	if (last[0]) {
		open_folder();
	} else if (!collectors && !*operands) {
		last[0] = find_last();
		operands = last;
	}
	if (collectors) {
		foresee(collectors);
	} else {
		check_files(operands);
		if (options.against)
			open_before(operands);
	}
	if (options.each) {
		show_each(operands);
	} else {
		if (!collectors) {
			mp_recorded_open(&work.recorded, operands);
			lower(work.recorded.status);
			read_facts();
		}
		if (options.against)
			show_against();
		else
			show_recording(collectors);
	}
	free(last[0]);
	return work.status;
}
