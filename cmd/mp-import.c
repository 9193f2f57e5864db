// SPDX-License-Identifier: GPL-2.0-only
/* mp-import: text of other profilers to the stream. */
#include <getopt.h>
#include <unistd.h>

#include "lib/core/opt.h"
#include "lib/import/import.h"

enum { OPT_CLOCK = MP_OPT_LONG, OPT_UNIT };

static const struct mp_opt opts[] = {
	{ 'f', "from", "KIND",
	  "format of the text: perf, ftrace, marple, folded, stream, bpftrace, bcc, pprof, "
	  "strace, perf-trace, cpuprofile, speedscope, chrome, blkparse, graph, austin or heap (default: "
	  "guessed from its beginning)" },
	{ OPT_CLOCK, "clock", "NAME",
	  "name of the clock of the times, such as monotonic for perf record -k CLOCK_MONOTONIC" },
	{ OPT_UNIT, "time-unit", "UNIT", "unit of MARPLE's times: ns, us (default), ms or s" },
};

static const struct mp_program program = {
	.name = "mp-import",
	.synopsis = "[OPTION]... [FILE]...",
	.summary = "Turn what other profilers write into a stream.",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples = "  perf script | mp-import | mp-fold | flamegraph.pl > old.svg\n"
		    "  perf script --ns | mp-import | mp-sched --table\n"
		    "  trace-cmd report | mp-import | mp-fold -e sched:sched_switch\n",
};

static struct mp_import_options options;
static const struct mp_import_format *format; /* NULL: the first lines of each input decide */

static const struct mp_import_format *format_option(int code, const char *arg)
{
	const struct mp_import_format *found = mp_import_format_find(arg);
	struct mp_buf names = { NULL, 0, 0 };

	if (found)
		return found;
	mp_import_format_names(&names);
	mp_buf_byte(&names, '\0');
	mp_opt_bad(&program, code, arg, names.p);
}

static uint64_t unit_ns(const char *arg)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(units); i++)
		if (strcmp(units[i].name, arg) == 0)
			return units[i].ns;
	mp_opt_bad(&program, OPT_UNIT, arg, "ns, us, ms or s");
}

static void parse_options(int argc, char **argv)
{
	char *arg;
	int code;

	while ((code = mp_opt_next(&program, argc, argv, &arg)) != -1) {
		switch (code) {
		case 'f':
			format = format_option(code, arg);
			break;
		case OPT_CLOCK:
			options.clock = arg;
			break;
		case OPT_UNIT:
			options.time_unit_ns = unit_ns(arg);
			break;
		}
	}
}

int main(int argc, char **argv)
{
	struct mp_import import;
	enum mp_status status;
	struct mp_out out;
	int i;

	mp_init("mp-import");
	parse_options(argc, argv);
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	mp_import_init(&import, &options, &out);
	if (optind == argc)
		mp_import_file(&import, "-", format);
	for (i = optind; i < argc; i++)
		mp_import_file(&import, argv[i], format);
	status = mp_import_finish(&import);
	mp_out_close(&out);
	mp_import_release(&import);
	return status;
}
