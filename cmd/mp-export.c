// SPDX-License-Identifier: GPL-2.0-only
/* mp-export: the stream in formats that other viewers read. */
#include <fcntl.h>
#include <unistd.h>

#include "lib/core/opt.h"
#include "lib/export/target.h"
#include "lib/stream/unit.h"

enum { OPT_TO = MP_OPT_LONG };

static const struct mp_opt opts[] = {
	{ OPT_TO, "to", "TARGET",
	  "the format to write: chrome, firefox, ftrace, openmetrics, perfetto, pprof or speedscope" },
	{ 'o', "output", "FILE", "write to FILE (default: stdout)" },
	MP_CHOICE_EVENT(""),
	{ 0, NULL, NULL, "For profiles" },
	MP_CHOICE_BY("put FIELDS in front of the frames, for pprof into labels (default: comm, for "
		     "firefox nothing)"),
	{ MP_FOLD_NO_COMM, "no-comm", NULL, "put nothing in front of the frames" },
	MP_CHOICE_WEIGHT("weight of an event, such as .bytes, dur or period (default: 1 for each)"),
	{ 0, NULL, NULL, "Other" },
};

static const struct mp_program program = {
	.name = "mp-export",
	.synopsis = "--to TARGET [OPTION]... [FILE]...",
	.summary = "Write events and stacks in the formats of other viewers.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  mp-record -e 'sched:*' -d 5 | mp-export --to chrome > sched.json\n"
		    "  mp-record -F 499 -d 10 | mp-export --to pprof > cpu.pb.gz\n"
		    "  mp-export --to speedscope --weight period -o cpu.json cpu.mp\n"
		    "  mp-hist -i 1s --dump disk.mp | mp-export --to openmetrics > disk.om\n",
};

static struct {
	struct mp_export ex;
	const struct mp_export_target *target;
	const char *output;
	bool folding; /* an option was given that is only for targets that add up */
} work;

static const struct mp_export_target *target_of(const char *name)
{
	const struct mp_export_target *t;
	size_t i;

	for (i = 0; (t = mp_export_target(i)); i++)
		if (strcmp(t->name, name) == 0)
			return t;
	mp_opt_bad(&program, OPT_TO, name,
		   "one of chrome, firefox, ftrace, openmetrics, perfetto, pprof, speedscope");
}

static void parse_options(int argc, char **argv)
{
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1) {
		if (code == OPT_TO)
			work.target = target_of(arg);
		else if (code == 'o')
			work.output = arg;
		else if (mp_fold_reader_option(&work.ex.reader, &program, code, arg))
			work.folding |= code != 'e';
	}
	if (!work.target)
		mp_usage(
			"--to is required: chrome, firefox, ftrace, openmetrics, perfetto, pprof or speedscope");
	if (work.folding && !(work.target->kinds & MP_STACK))
		mp_usage("--by, --no-comm and --weight are for targets that add stacks up");
	if (!(work.target->kinds & MP_STACK))
		work.ex.reader.choice.types.mixed = true;
	if (work.target->threads && !work.ex.reader.choice.by.n)
		work.ex.reader.no_comm = true;
	mp_fold_reader_begin(&work.ex.reader);
}

static void open_output(char **operands)
{
	int fd = STDOUT_FILENO;

	if (work.output) {
		mp_input_before_output(operands, work.output);
		fd = open(work.output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (fd < 0)
			mp_die("cannot write '%s': %m", work.output);
	}
	if (work.target->binary && isatty(fd))
		mp_usage("refusing to write binary data to a terminal");
	mp_out_init(&work.ex.out, fd, work.output ? work.output : "stdout");
}

static enum mp_status report(enum mp_status status)
{
	if (work.ex.negative) {
		mp_say("omitted %llu stack%s whose weight is below 0",
		       (unsigned long long)work.ex.negative, mp_plural(work.ex.negative));
		status = MP_MAX(status, MP_LOSSY);
	}
	if (work.ex.overlapping) {
		mp_say("%llu span%s became instants: too many of a thread overlap",
		       (unsigned long long)work.ex.overlapping, mp_plural(work.ex.overlapping));
		status = MP_MAX(status, MP_LOSSY);
	}
	if (work.ex.reader.fold.overflow) {
		mp_say("a weight exceeds 64 bits and was held at the limit");
		status = MP_MAX(status, MP_LOSSY);
	}
	return status;
}

int main(int argc, char **argv)
{
	enum mp_status status;

	mp_init("mp-export");
	mp_fold_reader_init(&work.ex.reader);
	parse_options(argc, argv);
	open_output(argv + optind);
	mp_input_init(&work.ex.in, argv + optind, MP_CONTROL | work.target->kinds, &work.ex.out);
	work.ex.in.concerns = mp_choice_concerns;
	work.ex.in.arg = &work.ex.reader.choice.types;
	work.target->write(&work.ex);
	status = mp_choice_finish(&work.ex.reader.choice, mp_input_finish(&work.ex.in));
	status = report(status);
	mp_out_close(&work.ex.out);
	return status;
}
