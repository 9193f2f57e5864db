// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/spec.h"

#include <stdlib.h>

#include "lib/capture/pmu.h"
#include "tests/unit/tap.h"

static struct mp_specs specs;

static size_t parse(const char *text)
{
	char *error;

	mp_specs_release(&specs);
	if (mp_specs_parse(&specs, text, &error) == 0)
		return specs.n;
	printf("# %s\n", error);
	free(error);
	return 0;
}

static bool is(size_t i, const char *name, const char *filter)
{
	const struct mp_spec *s = &specs.v[i];

	return strcmp(s->name, name) == 0 &&
	       (filter ? s->filter && strcmp(s->filter, filter) == 0 : !s->filter);
}

static void test_good(void)
{
	ok(parse("sched:sched_switch") == 1 && is(0, "sched:sched_switch", NULL), "a tracepoint");
	ok(parse("a:b,c:*, cpu-clock") == 3 && is(1, "c:*", NULL) && is(2, "cpu-clock", NULL),
	   "a list");
	ok(parse("a:b/x==1 && y~\"p/q,r*\"/,c:d") == 2 && is(0, "a:b", "x==1 && y~\"p/q,r*\"") &&
		   is(1, "c:d", NULL),
	   "a filter with slash and comma in quotes");
	ok(parse("a:b/(x==1,y)||z/") == 1 && is(0, "a:b", "(x==1,y)||z"), "a comma in parentheses");
	ok(parse("a:b/period=10,stack=none/") == 1 && specs.v[0].period == 10 &&
		   specs.v[0].stack == MP_STACK_NONE,
	   "terms");
	ok(parse("a:b/x==1/freq=99,max-stack=7/") == 1 && is(0, "a:b", "x==1") &&
		   specs.v[0].freq == 99 && specs.v[0].max_stack == 7,
	   "filter and terms");
	ok(parse("a:b/freq=99/x==1/,c:d") == 2 && is(0, "a:b", "x==1") && specs.v[0].freq == 99,
	   "the other way round");
	ok(parse("cycles:u") == 1 && is(0, "cycles", NULL) && specs.v[0].user && !specs.v[0].kernel,
	   "modifier u");
	ok(parse("cycles:kppp") == 1 && specs.v[0].kernel && specs.v[0].precise == 3,
	   "modifiers kppp");
	ok(parse("cpu/event=0x3c,umask=1/") == 1 &&
		   strcmp(specs.v[0].config, "event=0x3c,umask=1") == 0,
	   "a PMU");
	ok(parse("cpu/event=0x3c/u,a:b") == 2 && specs.v[0].user &&
		   strcmp(specs.v[0].config, "event=0x3c") == 0,
	   "a PMU with a modifier");
	ok(parse("uprobe:/usr/bin/x:f+0x10(a=arg1:u64,b=+0(arg2):string)/a>1 && b~\"/x*\"/,c:d") ==
			   2 &&
		   is(0, "uprobe:/usr/bin/x:f+0x10(a=arg1:u64,b=+0(arg2):string)",
		      "a>1 && b~\"/x*\"") &&
		   is(1, "c:d", NULL),
	   "a probe with a path, arguments and a filter");
	ok(parse("uprobe:/a,b/c:u/stack=none/") == 1 && is(0, "uprobe:/a,b/c:u", NULL) &&
		   specs.v[0].stack == MP_STACK_NONE && !specs.v[0].user,
	   "a probe's function may be called u");
	ok(parse("mem:0x1000/8:rw,mem:x:w/period=7/,mem:0x20/stack=none/") == 3 &&
		   is(0, "mem:0x1000/8:rw", NULL) && is(1, "mem:x:w", NULL) &&
		   specs.v[1].period == 7 && is(2, "mem:0x20", NULL),
	   "memory with length, access and terms");
	ok(parse("mem:rss/interval=20ms,top=7/,stat:a:b/x==1/interval=2s/") == 2 &&
		   is(0, "mem:rss", NULL) && specs.v[0].interval_ns == 20000000 &&
		   specs.v[0].top == 7 && !specs.v[0].count && is(1, "a:b", "x==1") &&
		   specs.v[1].interval_ns == 2000000000 && specs.v[1].count,
	   "what is read, and what is counted");
	ok(parse("stat:cpu/event=0x3c/u,stat:mem:0x10/8:w") == 2 && specs.v[0].user &&
		   specs.v[0].count && strcmp(specs.v[0].config, "event=0x3c") == 0 &&
		   is(1, "mem:0x10/8:w", NULL) && specs.v[1].count,
	   "any event can be counted");
	ok(parse("a:b//") == 1 && is(0, "a:b", NULL), "an empty segment");
}

static void test_bad(void)
{
	static const char *const bad[] = {
		"",
		",",
		"a:b,",
		"a:b/x==1",
		"a:b/x/y/",
		"a:b/period=0/",
		"a:b/period=x/",
		"a:b/freq=9999999/",
		"a:b/stack=all/",
		"a:b/max-stack=5000/",
		"cycles:pppp",
		"mem:rss/interval=0/",
		"mem:rss/interval=often/",
		"mem:rss/top=x/",
		"stat:",
		":u",
	};
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(bad); i++)
		ok(parse(bad[i]) == 0, "'%s' is refused", bad[i]);
}

static bool pmu_is(const char *name, uint32_t type, uint64_t config)
{
	struct mp_pmu_event e;
	char *error;

	return mp_pmu_find(name, NULL, &e, &error) == 1 && e.type == type && e.config == config;
}

/* Numbers of linux/perf_event.h. */
static void test_pmu(void)
{
	struct mp_pmu_event e;
	char *error;

	ok(pmu_is("cpu-clock", 1, 0) && pmu_is("page-faults", 1, 2) && pmu_is("faults", 1, 2),
	   "software");
	ok(pmu_is("cycles", 0, 0) && pmu_is("cpu-cycles", 0, 0) && pmu_is("branch-misses", 0, 5),
	   "hardware");
	ok(pmu_is("LLC-load-misses", 3, 0x10002) && pmu_is("L1-dcache-stores", 3, 0x100) &&
		   pmu_is("iTLB-prefetch-misses", 3, 0x10204),
	   "caches");
	ok(pmu_is("r1a8", 4, 0x1a8) && !pmu_is("rxyz", 4, 0) && !pmu_is("r", 4, 0), "raw");
	ok(mp_pmu_find("nope", NULL, &e, &error) == 0, "unknown");
	ok(mp_pmu_find("../etc", "x=1", &e, &error) == 0, "no way out of the folder");
	if (mp_pmu_find("msr", "event=0x4", &e, &error) != 1) {
		ok(true, "terms of a PMU # skip no msr PMU here");
		return;
	}
	ok(e.config == 4 && mp_pmu_find("msr", "smi", &e, &error) == 1 && e.config == 4,
	   "terms and events of a PMU");
	ok(mp_pmu_find("msr", "nope=1", &e, &error) < 0, "unknown term");
	free(error);
}

int main(void)
{
	mp_init("unit-spec");
	test_good();
	test_bad();
	test_pmu();
	mp_specs_release(&specs);
	return tap_done();
}
