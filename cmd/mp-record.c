// SPDX-License-Identifier: GPL-2.0-only
/* mp-record: collect events from the kernel. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/capture/session/collector.h"
#include "lib/capture/session/list.h"
#include "lib/capture/session/packer.h"
#include "lib/capture/session/session.h"
#include "lib/capture/session/writer_main.h"
#include "lib/capture/session/sources.h"
#include "lib/core/opt.h"

enum {
	OPT_CGROUP = MP_OPT_LONG,
	OPT_COMPRESS,
	OPT_EXCLUDE_KERNEL,
	OPT_EXCLUDE_PID,
	OPT_EXCLUDE_USER,
	OPT_EXPLAIN,
	OPT_FIELDS,
	OPT_JAVA_MAP,
	OPT_MAX_FILES,
	OPT_MAX_STACK,
	OPT_NAMES,
	OPT_REALTIME,
	OPT_ROTATE,
	OPT_SANDBOX,
	OPT_STACK_SIZE,
	OPT_STAT,
	OPT_SUM,
};

enum {
	RING_MIN = 32 << 10,
	RING_MAX = 1 << 30,
	STACK_MIN = 1 << 10,
	/* the most bytes of a copy of the stack, since the kernel limits a record to 64 KiB */
	STACK_MAX = 60 << 10,
};

static const struct mp_opt opts[] = {
	{ 0, NULL, NULL, "Events" },
	{ 'e', "event", "EVENT",
	  "tracepoint (sched:sched_switch; globs), software "
	  "(cpu-clock, page-faults) or hardware event (cycles), "
	  "uprobe:FILE:FUNCTION, usdt:FILE:NAME, "
	  "kprobe:FUNCTION, fentry:FUNCTION(FIELD,...), "
	  "rawtp:NAME, mem:ADDRESS, timer:HZ, task:exec, "
	  "mem:rss, stat:EVENT, sum:blocked; repeated or "
	  "comma-separated; all of them are in mp-events(7). "
	  "EVENT/FILTER/ records those that match, as in "
	  "'sched:sched_switch/prev_comm~\"nginx*\"/'; "
	  "EVENT/TERM,.../ sets period=N, freq=HZ, "
	  "stack=STACKS, max-stack=N, running=N-M and others "
	  "for this event" },
	{ 'F', "freq", "HZ", "sample HZ times a second (default: 99)" },
	{ 'c', "period", "N", "record one of N occurrences (clocks: every N ns)" },
	{ OPT_SUM, "sum", NULL,
	  "aggregate samples and probe hits in the kernel, and "
	  "write stacks with their weights at the end" },
	{ OPT_STAT, "stat", "EVENTS",
	  "count EVENTS and write the counts of each interval, "
	  "by CPU, or by the targets of -p, -t or --cgroup" },
	{ 'i', "interval", "DURATION",
	  "interval of counters and polled values: --stat, "
	  "mem:rss (default: 1s), mem:pss (default: 10s)" },
	{ 'l', "list", NULL,
	  "list collectors and events; operands are globs or "
	  "parts of names; with -v, also fields and filters" },
	{ OPT_EXPLAIN, "explain", NULL,
	  "print what collectors record, what that costs, and "
	  "which pipelines show it" },
	{ 0, NULL, NULL, "Targets" },
	{ 'a', "all", NULL, "the whole system, also with -- COMMAND" },
	{ 'C', "cpu", "LIST", "only these CPUs, as in 0,2-4" },
	{ 'p', "pid", "PIDS", "these processes, their threads and children" },
	{ 't', "tid", "TIDS", "these threads" },
	{ OPT_CGROUP, "cgroup", "GLOB",
	  "these cgroups (version 2, path below the mount); repeated" },
	{ OPT_EXCLUDE_USER, "exclude-user", NULL, "do not sample in user space" },
	{ OPT_EXCLUDE_KERNEL, "exclude-kernel", NULL, "do not sample in the kernel" },
	{ OPT_EXCLUDE_PID, "exclude-pid", "PIDS",
	  "exclude these processes; 'pipeline': those of this pipeline (mp-record itself is "
	  "always excluded)" },
	{ 0, NULL, NULL, "Stacks" },
	{ 'g', "call-graph", " [STACKS]",
	  "both (default), kernel, user or none; or how to unwind user stacks: auto (default), "
	  "cfi (perf's dwarf), bpf "
	  "or fp; or one of each, as in user:fp; see "
	  "mp-stacks(7)" },
	{ OPT_STACK_SIZE, "stack-size", "SIZE",
	  "bytes of a user stack to copy at most, where it is "
	  "copied (default: 60K, the maximum)" },
	{ OPT_MAX_STACK, "max-stack", "N",
	  "at most N frames (default: 1024; not by cfi: what "
	  "the kernel allows, 127)" },
	{ OPT_JAVA_MAP, "java-map", NULL,
	  "let jcmd ask Java virtual machines for the names of their code, as their users" },
	{ 0, NULL, NULL, "Fields" },
	{ OPT_FIELDS, "fields", "LIST",
	  "only these fields: cpu, pid, tid, comm, period, "
	  "addr, cgroup, latency, op, level, snoop, tlb, lock, "
	  "stack, dur, .PAYLOAD (globs); or besides the usual "
	  "ones: +cgroup,nspid,nstid (containers)" },
	{ OPT_NAMES, "names", "FILE", "rename tasks by a table, see mp-rename(1); repeated" },
	{ 0, NULL, NULL, "Output" },
	{ 'o', "output", "FILE",
	  "write to FILE, compressed if it is FILE.zst or FILE.gz "
	  "(default: standard output; a terminal "
	  "gets a summary, or with -n lines for people)" },
	{ OPT_COMPRESS, "compress", "[METHOD]",
	  "compress by zstd (default) or gzip; none: not "
	  "even FILE.zst and FILE.gz" },
	{ OPT_ROTATE, "rotate", "LIMIT",
	  "write files NAME-TIME.mp for -o NAME.mp; the next one "
	  "begins after a SIZE, a DURATION, or the first of both: "
	  "100M, 1h or 100M,1h" },
	{ OPT_MAX_FILES, "max-files", "N",
	  "with --rotate, keep the last N files, including those of "
	  "earlier recordings" },
	{ 'q', "quiet", NULL, "no status line and no totals" },
	{ 'v', "verbose", NULL, "print counts for each CPU, and counts of stacks, at the end" },
	{ 0, NULL, NULL, "Run control" },
	{ 'd', "duration", "DURATION", "stop after 10s, 500ms, 2m" },
	{ 'n', "events", "N", "stop after N events" },
	{ 'm', "ring", "SIZE",
	  "ring buffer of each CPU, as 512K or 8M; a bare "
	  "number is pages (default: 2M; 16M with copies of "
	  "stacks)" },
	{ OPT_REALTIME, "realtime", "[PRIO]",
	  "run with SCHED_FIFO priority PRIO (default: 1), to "
	  "lose less on a busy machine" },
	{ OPT_SANDBOX, "sandbox", "require",
	  "refuse to record if a part of the sandbox is not "
	  "available, in which files of other users are read" },
};

static const struct mp_habit perf_habits[] = {
	{ 0, "all-cpus", "here it is -a, --all, and the default" },
	{ 0, "all-kernel", "here it is --exclude-user" },
	{ 0, "all-user", "here it is --exclude-kernel" },
	{ 'b', "branch-any", "branch stacks are not recorded" },
	{ 'j', "branch-filter", "branch stacks are not recorded" },
	{ 'B', "no-buildid", "there is nothing to do: stacks are symbolized while recording" },
	{ 'N', "no-buildid-cache",
	  "there is nothing to do: stacks are symbolized while recording" },
	{ 'k', "clockid", "times are CLOCK_MONOTONIC; the header relates them to the time of day" },
	{ 'z', "compression-level", "pipe the stream into a compressor: mp-record ... | zstd" },
	{ 0, "count", "here it is -c, --period N" },
	{ 0, "data", "addresses are recorded for all events that have one" },
	{ 'D', "delay", "record from the beginning, then mp-select --from 1s" },
	{ 0, "exclude-perf", "there is nothing to do: mp-record excludes itself" },
	{ 0, "filter",
	  "a filter follows the event: -e 'sched:sched_switch/prev_comm~\"nginx*\"/'" },
	{ 'G', NULL, "here it is --cgroup GLOB" },
	{ 'I', "intr-regs", "registers are not recorded, except as arguments of probes" },
	{ 0, "kernel-callchains", "here it is -g kernel" },
	{ 0, "user-callchains", "here it is -g user" },
	{ 0, "max-size", "limit the time or the number of events: -d 10s, -n 100000" },
	{ 0, "mmap-pages", "here it is -m, --ring SIZE" },
	{ 0, "no-buffering", "there is nothing to do: lines are written within 50 ms" },
	{ 0, "no-inherit", "-t TIDS records threads without their children" },
	{ 0, "per-thread", "-t TIDS records threads wherever they run" },
	{ 0, "off-cpu", "here it is a collector: mp-record offcpu" },
	{ 'P', NULL, "periods are recorded wherever they vary" },
	{ 'R', "raw-samples", "payloads are always recorded (--fields chooses)" },
	{ 'r', NULL, "here it is --realtime[=PRIO]" },
	{ 0, "sample-cpu", "the CPU is always recorded" },
	{ 's', NULL, "--stat EVENTS -t TIDS counts by thread" },
	{ 0, "switch-max-files", "here it is --max-files N" },
	{ 0, "switch-output", "here it is --rotate SIZE|DURATION" },
	{ 0, "switch-events", "record them with -e sched:sched_switch" },
	{ 'T', "timestamp", "times are always recorded" },
	{ 'u', "uid", "choose the user's processes: -p \"$(pgrep -d, -u USER)\"" },
	{ 'W', "weight", "events with the term memory have their latency, see mp-events(7)" },
	{ 0, NULL, NULL },
};

static const struct mp_program program = {
	.name = "mp-record",
	.synopsis = "[OPTION]... [COLLECTOR[:ARGUMENT]]... [-- COMMAND [ARG]...]",
	.summary = "Record events of the kernel, with call stacks, as a stream (mp-stream(5)).",
	.opts = opts,
	.n_opts = MP_ARRAY_SIZE(opts),
	.examples =
		"  mp-record -e sched:sched_switch -d 5 | mp-fold | flamegraph.pl > switch.svg\n"
		"  mp-record -F 999 -d 10 > cpu.mp\n"
		"  mp-record cpusched disklat -d 10 > boot.mp\n"
		"  mp-record -e 'block:*' -g none -- make\n"
		"  mp-record -l -v sched:sched_switch\n",
	.other = "perf",
	.habits = perf_habits,
};

static struct mp_record_options options = {
	.events = {
		.freq = 99,
		.stack = MP_STACK_BOTH,
		.method = MP_METHOD_AUTO,
		.stack_size = STACK_MAX,
	},
};
static bool list, explain, pack_given;

static void add_event(const char *text)
{
	char *error;

	if (mp_specs_parse(&options.specs, text, cap_sources_parse, &error) < 0)
		mp_usage("%s", error);
}

static void add_counts(const char *text)
{
	char *error;

	if (mp_specs_parse_counts(&options.specs, text, cap_sources_parse, &error) < 0)
		mp_usage("%s", error);
}

static void add_pids(struct mp_pids *pids, int code, const char *arg)
{
	if (mp_pids_parse(pids, arg) < 0)
		mp_opt_bad(&program, code, arg, "a list of numbers such as 12,34");
}

static void add_names(const char *path)
{
	static struct mp_tasknames names;

	if (!options.names)
		mp_tasknames_init(&names);
	options.names = &names;
	mp_tasknames_load(&names, path);
}

/*
 * Handles -g. Without an argument, as with perf's -g, collectors that record no stacks get stacks,
 * too.
 */
static void set_stacks(int code, const char *arg)
{
	struct mp_event_options *o = &options.events;

	o->stack_given = true;
	if (!arg || mp_stack_mode_parse(mp_str(arg), &o->stack, &o->method) == 0)
		return;
	if (strncmp(arg, "dwarf,", 6) == 0)
		mp_usage("perf's --call-graph %s: here it is -g cfi --stack-size %s", arg, arg + 6);
	mp_opt_bad(&program, code, arg,
		   "both, kernel, user or none; auto, cfi, bpf or fp; or one of each "
		   "as in user:cfi");
}

static void add_cgroup(const char *glob)
{
	options.cgroups = mp_grow(options.cgroups, &options.cap_cgroups, options.n_cgroups + 1,
				  sizeof(*options.cgroups));
	options.cgroups[options.n_cgroups++] = glob;
}

/* Parses "512K", "8M", or a number of pages; rounds up to a power of two. */
static void set_ring(const char *arg)
{
	size_t bytes = RING_MIN;
	uint64_t wanted;

	if (mp_num_u64(mp_str(arg), &wanted) == 0 && wanted < RING_MAX)
		wanted *= getpagesize();
	else if (mp_num_size(arg, &wanted) < 0)
		wanted = 0;
	if (wanted < RING_MIN || wanted > RING_MAX)
		mp_opt_bad(&program, 'm', arg, "a size from 32K to 1G");
	while (bytes < wanted)
		bytes *= 2;
	options.ring_bytes = bytes;
}

/* Parses a size; the kernel requires a multiple of 8. */
static void set_stack_size(const char *arg)
{
	uint64_t bytes;

	if (mp_num_size(arg, &bytes) < 0 || bytes < STACK_MIN || bytes > STACK_MAX)
		mp_opt_bad(&program, OPT_STACK_SIZE, arg, "a size from 1K to 60K");
	options.events.stack_size = (bytes + 7) & ~(uint64_t)7;
}

/* Parses "100M", "1h" or both; a bare number is neither. */
static void set_rotation(const char *arg)
{
	uint64_t *ns = &options.rotate_ns, *bytes = &options.rotate_bytes;
	char *limits = mp_strdup(arg), *rest = limits, *limit;
	bool valid = true;

	*ns = *bytes = 0;
	while (valid && (limit = strsep(&rest, ","))) {
		if (limit[strspn(limit, "0123456789.")] == '\0')
			valid = false;
		else if (!*bytes && mp_num_size(limit, bytes) == 0)
			valid = *bytes;
		else
			valid = !*ns && mp_num_duration(limit, ns) == 0 && *ns;
	}
	if (!valid)
		mp_opt_bad(&program, OPT_ROTATE, arg,
			   "a size such as 100M, a duration such as 1h, or both as in 100M,1h");
	free(limits);
}

static void set_output(int code, const char *arg)
{
	switch (code) {
	case 'o':
		options.output = arg;
		break;
	case OPT_COMPRESS:
		pack_given = true;
		options.pack = arg ? mp_opt_word(&program, code, arg, mp_pack_names) : MP_PACK_ZSTD;
		break;
	case OPT_ROTATE:
		set_rotation(arg);
		break;
	case OPT_MAX_FILES:
		options.max_files = mp_opt_number(&program, code, arg, 1, 1000000);
		break;
	}
}

static void set_where(int code, const char *arg)
{
	switch (code) {
	case 'a':
		options.system_wide = true;
		break;
	case 'C':
		options.cpus = arg;
		break;
	case 'p':
		add_pids(&options.pids, code, arg);
		break;
	case 't':
		add_pids(&options.tids, code, arg);
		break;
	case OPT_CGROUP:
		add_cgroup(arg);
		break;
	case OPT_EXCLUDE_USER:
		options.events.exclude_user = true;
		break;
	case OPT_EXCLUDE_KERNEL:
		options.events.exclude_kernel = true;
		break;
	case OPT_EXCLUDE_PID:
		if (strcmp(arg, "pipeline") == 0)
			options.exclude_pipeline = true;
		else
			add_pids(&options.exclude, code, arg);
		break;
	}
}

static void set_option(int code, const char *arg)
{
	switch (code) {
	case 'e':
		add_event(arg);
		break;
	case 'F':
		options.events.freq = mp_opt_number(&program, code, arg, 1, 1000000);
		options.events.freq_given = true;
		break;
	case 'c':
		options.events.period = mp_opt_number(&program, code, arg, 1, INT64_MAX);
		break;
	case OPT_SUM:
		options.events.aggregate = true;
		break;
	case OPT_STAT:
		add_counts(arg);
		break;
	case 'i':
		options.interval_ns = mp_opt_duration(&program, code, arg);
		break;
	case 'l':
		list = true;
		break;
	case OPT_EXPLAIN:
		explain = true;
		break;
	case 'g':
		set_stacks(code, arg);
		break;
	case OPT_STACK_SIZE:
		set_stack_size(arg);
		break;
	case OPT_MAX_STACK:
		options.events.max_stack = mp_opt_number(&program, code, arg, 1, 1024);
		break;
	case OPT_FIELDS:
		options.events.fields = arg;
		break;
	case OPT_JAVA_MAP:
		options.java_map = true;
		break;
	case OPT_NAMES:
		add_names(arg);
		break;
	case 'd':
		options.duration_ns = mp_opt_duration(&program, code, arg);
		break;
	case 'n':
		options.max_events = mp_opt_number(&program, code, arg, 1, INT64_MAX);
		break;
	case 'm':
		set_ring(arg);
		break;
	case OPT_REALTIME:
		options.realtime = arg ? mp_opt_number(&program, code, arg, 1, 98) : 1;
		break;
	case OPT_SANDBOX:
		if (strcmp(arg, "require") != 0)
			mp_usage("--sandbox: 'require', not '%s'", arg);
		options.require_sandbox = true;
		break;
	case 'o':
	case OPT_COMPRESS:
	case OPT_ROTATE:
	case OPT_MAX_FILES:
		set_output(code, arg);
		break;
	case 'q':
		options.quiet = true;
		break;
	case 'v':
		options.verbose = true;
		break;
	default:
		set_where(code, arg);
	}
}

/* Splits off the command: everything after "--". */
static int cut_command(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		if (!argv[i + 1])
			mp_usage("the command after -- is missing");
		options.command = argv + i + 1;
		return i;
	}
	return argc;
}

/* Copies the arguments, since getopt will reorder them. */
static char **copy_arguments(int argc, char **argv)
{
	char **copy = mp_memdup(argv, (argc + 1) * sizeof(*argv));

	copy[0] = (char *)program.name;
	return copy;
}

static enum mp_status list_events(char **globs)
{
	enum mp_status worst = MP_OK, status;
	struct mp_out out;

	mp_out_init(&out, STDOUT_FILENO, "stdout");
	do {
		status = mp_list_events(*globs, options.verbose, &out);
		worst = MP_MAX(worst, status);
	} while (*globs && *++globs);
	mp_out_close(&out);
	return worst;
}

static enum mp_status explain_collectors(char **names)
{
	enum mp_status status = MP_OK;
	struct mp_out out;

	if (!*names)
		mp_usage("--explain needs the name of a collector (-l lists them)");
	mp_out_init(&out, STDOUT_FILENO, "stdout");
	for (; *names; names++)
		if (mp_collector_explain(*names, &out) < 0)
			status = MP_FAIL;
	mp_out_close(&out);
	return status;
}

/*
 * Refuses operands that are numbers, which name no collector. They come from "-p $(pidof NAME)" or
 * "-C 0 2", which the shell splits into words.
 */
static void check_operands(char **names)
{
	for (; *names; names++)
		if (**names && !(*names)[strspn(*names, "0123456789,")])
			mp_usage("'%s' is a number, not a collector (write a list as -p 12,34 or "
				 "-p \"$(pidof NAME)\")",
				 *names);
}

int main(int argc, char **argv)
{
	int code, end;
	char *arg;

	mp_init("mp-record");
	if (strcmp(argv[0], MP_WRITER_NAME) == 0)
		return mp_writer_main(argc > 2 ? argv[2] : "");
	if (strcmp(argv[0], MP_PACKER_NAME) == 0 && argc == 3)
		return mp_output_pack_main(argv);
	options.argv = copy_arguments(argc, argv);
	end = cut_command(argc, argv);
	argv[end] = NULL;
	while ((code = mp_opt_next(&program, end, argv, &arg)) != -1)
		set_option(code, arg);
	if (list)
		return list_events(argv + optind);
	if (explain)
		return explain_collectors(argv + optind);
	check_operands(argv + optind);
	if (!pack_given)
		options.pack = mp_pack_of_path(options.output);
	if (mp_record_rotates(&options) && (!options.output || strcmp(options.output, "-") == 0))
		mp_usage("--rotate needs -o FILE");
	if (options.max_files && !mp_record_rotates(&options))
		mp_usage("--max-files needs --rotate");
	if (argv[optind])
		options.collectors = argv + optind;
	if (options.pids.n && options.tids.n)
		mp_usage("-p cannot be combined with -t");
	if (options.n_cgroups && (options.pids.n || options.tids.n))
		mp_usage("--cgroup cannot be combined with -p or -t");
	return mp_record(&options);
}
