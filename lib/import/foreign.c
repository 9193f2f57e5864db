// SPDX-License-Identifier: GPL-2.0-only
#include "lib/import/foreign.h"

#include "lib/stream/glob.h"

#define COLLAPSE(script) "fold it with " script " and import that"
#define SCRIPT "import the output of perf script"
#define TRACES "import the output of pprof -traces, folded with stackcollapse-pprof.pl"

/*
 * From special to general: the first row that matches any line determines the name of the format.
 */
static const struct mp_import_foreign known[] = {
	{ "# latency: *", "the latency format of ftrace", "echo 0 > options/latency-format", false,
	  true },
	{ "# To display the perf.data header info*", "output of perf report", SCRIPT, false, true },
	{ "# Overhead *", "output of perf report", SCRIPT, false, true },
	{ " Percent *|*Source code *", "output of perf annotate", SCRIPT, true, true },
	{ "*[0-9]:[0-9][0-9]:[0-9][0-9]* [a-z]*(*)*= *", "output of strace -t or -tt",
	  "use strace -f -ttt -T", false, false },
	{ "[a-z]*(*)*= *<[0-9]*.[0-9]*>", "output of strace without times", "use strace -f -ttt -T",
	  false, false },
	{ "0x*[[]0x*]: event: *", "output of perf script -D", "omit -D", false, true },
	{ "*Performance counter stats for *", "output of perf stat", NULL, false, false },
	{ " *`*+0x*", "output of DTrace", COLLAPSE("stackcollapse.pl"), false, false },
	{ "CPU * ID *FUNCTION:NAME*", "output of DTrace", NULL, false, false },
	{ "Analysis of sampling *", "output of sample(1) of macOS",
	  COLLAPSE("stackcollapse-sample.awk"), false, false },
	{ "PeriodType: *", "output of pprof -raw", COLLAPSE("stackcollapse-go.pl"), false, false },
	{ "-----*-+-*-----", "output of pprof -traces", COLLAPSE("stackcollapse-pprof.pl"), false,
	  false },
	{ "*flat  flat%*sum%*", "output of pprof -text", TRACES, false, false },
	{ "Flat profile:", "output of gprof", NULL, false, false },
	{ "# callgrind format*", "a file of callgrind", NULL, true, false },
	{ "Full thread dump *", "a thread dump of Java", COLLAPSE("stackcollapse-jstack.pl"), false,
	  false },
	{ "Thread [0-9]* (*", "a backtrace of gdb", COLLAPSE("stackcollapse-gdb.pl"), false,
	  false },
	{ "<?xml *", "XML", NULL, true, false },
	{ "{*", "JSON", NULL, true, false },
	{ "[[]", "JSON", NULL, true, false },
	{ "[[]{*", "JSON", NULL, true, false },
};

const struct mp_import_foreign *mp_import_foreign(struct mp_str line, bool first)
{
	struct mp_glob glob;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(known); i++) {
		if (known[i].first && !first)
			continue;
		mp_glob_init(&glob, mp_str(known[i].pattern));
		if (mp_glob_match(&glob, line))
			return &known[i];
	}
	return NULL;
}
