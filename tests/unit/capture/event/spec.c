// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/spec.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/capture/event/pmu.h"
#include "lib/capture/event/ratio.h"
#include "lib/capture/session/sources.h"
#include "tests/unit/tap.h"

static struct mp_specs specs;

static char folder[] = "/tmp/mp-unit-spec.XXXXXX";
static const char *devices;

static size_t parse(const char *text)
{
	char *error;

	mp_specs_release(&specs);
	if (mp_specs_parse(&specs, text, cap_sources_parse, &error) == 0)
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
	ok(parse("a:b/if=c>1,stack=none,x-y=2/z==3/") == 1 && is(0, "a:b", "z==3") &&
		   specs.v[0].terms && strcmp(specs.v[0].terms, "if=c>1,x-y=2") == 0 &&
		   specs.v[0].stack == MP_STACK_NONE,
	   "terms that only a source knows");
	ok(parse("a:b/x>=1/") == 1 && is(0, "a:b", "x>=1") && !specs.v[0].terms,
	   "a comparison is no term");
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

static bool runs(size_t i, uint32_t min, uint32_t max)
{
	const struct mp_when *w = &specs.v[i].when;

	return w->running && w->running_min == min && w->running_max == max;
}

static bool has_config(size_t i, const char *config)
{
	return specs.v[i].config && strcmp(specs.v[i].config, config) == 0;
}

/* Tests the terms of conditional sampling. */
static void test_conditions(void)
{
	ok(parse("c/irqs-off,need-resched,freq=7/k,c") == 2 && specs.v[0].when.irqs_off &&
		   specs.v[0].when.need_resched && !specs.v[0].when.running &&
		   specs.v[0].freq == 7 && specs.v[0].kernel && !specs.v[0].config &&
		   !mp_when_any(&specs.v[1].when),
	   "words among terms, for this event alone");
	ok(parse("c/running=3/,c/running=2-10/,c/running=2-/,c/running=0-0/,c/running=0/") == 5 &&
		   runs(0, 3, 3) && runs(1, 2, 10) && runs(2, 2, UINT32_MAX) && runs(3, 0, 0) &&
		   runs(4, 0, 0),
	   "numbers of tasks, and ranges");
	ok(!mp_when_same(&specs.v[0].when, &specs.v[1].when) &&
		   mp_when_same(&specs.v[3].when, &specs.v[4].when),
	   "the same conditions");
	ok(parse("a:b/irqs-off/x==1/") == 1 && specs.v[0].when.irqs_off && is(0, "a:b", "x==1"),
	   "words after a tracepoint are not part of its filter");
	ok(parse("a:b/irqs_off==1/") == 1 && is(0, "a:b", "irqs_off==1"), "a field like a word");
}

static bool is_ratio(const struct mp_spec *s, const char *name, const char *first,
		     const char *second)
{
	return s->count && strcmp(s->name, name) == 0 && s->ratio &&
	       strcmp(s->ratio[0].name, first) == 0 && strcmp(s->ratio[1].name, second) == 0 &&
	       s->ratio[0].count && s->ratio[1].count;
}

static void test_ratios(void)
{
	const struct mp_ratio *r;
	const struct mp_spec *of;
	char *text;

	ok(parse("stat:x=(a:b/y==1,z/,cpu/event=1/u),c:d") == 2 &&
		   is_ratio(&specs.v[0], "x", "a:b", "cpu") && is(1, "c:d", NULL),
	   "a ratio, and another event");
	of = specs.v[0].ratio;
	ok(strcmp(of[0].filter, "y==1,z") == 0 && strcmp(of[1].config, "event=1") == 0 &&
		   !of[0].user && of[1].user,
	   "filters and modifiers of its events");
	ok(parse("stat:x=(cs,faults:k)/interval=2s/uG") == 1 && specs.v[0].interval_ns &&
		   specs.v[0].ratio[0].user && !specs.v[0].ratio[0].kernel &&
		   specs.v[0].ratio[1].user && specs.v[0].ratio[1].kernel &&
		   specs.v[0].ratio[0].guest && !specs.v[0].ratio[0].host,
	   "modifiers of both events");
	for (r = mp_ratios; r->name; r++) {
		text = mp_asprintf("stat:%s:H", r->name);
		ok(parse(text) == 1 && specs.v[0].ratio && specs.v[0].ratio[1].host, "%s", text);
		free(text);
	}
	ok(parse("ipc") == 1 && !specs.v[0].ratio, "a name without stat:");
	ok(parse("uprobe:libc:malloc(n=arg1:u64)") == 1 && !specs.v[0].ratio &&
		   parse("stat:a:b/x=(1)/") == 1 && !specs.v[0].ratio,
	   "an argument and a filter are no ratio");
	ok(!parse("x=(cs,cs)") && !parse("stat:=(cs,cs)") && !parse("stat:x=(cs)") &&
		   !parse("stat:x=()") && !parse("stat:x=(cs,cs") && !parse("stat:x=(cs,cs)y") &&
		   !parse("stat:x=(cs,ipc)") && !parse("stat:x=(stat:y=(cs,cs),cs)") &&
		   !parse("stat:x=(cs/interval=1s/,cs)"),
	   "what makes no sense");
}

static void test_of_pmu(void)
{
	ok(parse("cpu/mem-loads,ldlat=30/P,c:P") == 2 && has_config(0, "mem-loads,ldlat=30") &&
		   specs.v[0].most_precise && !specs.v[0].precise && specs.v[1].most_precise,
	   "modifier P");
	ok(parse("cpu/event=1,period=9,umask=2,stack=none/u") == 1 &&
		   has_config(0, "event=1,umask=2") && specs.v[0].period == 9 &&
		   specs.v[0].stack == MP_STACK_NONE && specs.v[0].user,
	   "terms of ours among those of a PMU");
	ok(parse("cpu/event=1/period=9/") == 1 && has_config(0, "event=1") &&
		   specs.v[0].period == 9,
	   "and after them");
	ok(parse("ibs_op//,cycles/freq=9/,x//,y/freq=9//") == 4 && has_config(0, "") &&
		   !specs.v[1].config && has_config(2, "") && has_config(3, ""),
	   "a PMU without any");
	ok(parse("r20d1/memory/pp") == 1 && specs.v[0].memory && specs.v[0].precise == 2 &&
		   !specs.v[0].config,
	   "accesses to memory");
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
		"cycles:pP",
		"mem:rss/interval=0/",
		"mem:rss/interval=often/",
		"mem:rss/top=x/",
		"stat:",
		":u",
		"c/running=/",
		"c/running=-3/",
		"c/running=5-2/",
		"c/running=1-x/",
		"c/running=4294967296/",
		"cpu/event=1/event=2/",
	};
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(bad); i++)
		ok(parse(bad[i]) == 0, "'%s' is refused", bad[i]);
}

static bool pmu_is(const char *name, uint32_t type, uint64_t config)
{
	struct mp_pmu_event e;
	char *error;

	return mp_pmu_find(devices, name, NULL, &e, &error) == 1 && e.type == type &&
	       e.config == config;
}

/* Tests events by the numbers of linux/perf_event.h. */
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
	ok(mp_pmu_find(devices, "nope", NULL, &e, &error) == 0, "unknown");
	ok(mp_pmu_find(devices, "../etc", "x=1", &e, &error) == 0, "no way out of the folder");
	ok(mp_pmu_find(devices, "cycles", "", &e, &error) == 1, "no term at all");
	ok(mp_pmu_find(devices, "cycles", "irq-off", &e, &error) < 0, "a term that there is not");
	free(error);
	ok(mp_pmu_find(devices, "msr", "event=0x4", &e, &error) == 1 && e.config == 4 &&
		   mp_pmu_find(devices, "msr", "smi", &e, &error) == 1 && e.config == 4,
	   "terms and events of a PMU");
	ok(mp_pmu_find(devices, "msr", "nope=1", &e, &error) < 0, "unknown term");
	free(error);
}

static bool is_sum(const char *weight, enum mp_agg_value first, enum mp_agg_value second)
{
	const struct mp_agg_terms *t = &specs.v[0].agg;

	return t->given && strcmp(t->weight, weight) == 0 && t->rule.weight[0] == first &&
	       t->rule.weight[1] == second;
}

static void test_sums(void)
{
	const struct mp_agg_rule *r;

	ok(parse("cpu-clock/sum=count,freq=99/") == 1 && is_sum("count", MP_AGG_COUNT, 0) &&
		   specs.v[0].freq == 99,
	   "samples by count");
	ok(parse("uprobe:libc:calloc/sum=bytes:arg1*arg2,every=10/") == 1 &&
		   is_sum("bytes", MP_AGG_ARG1, MP_AGG_ARG2) && specs.v[0].agg.rule.every == 10,
	   "a product with a name");
	ok(parse("uprobe:libc:posix_memalign/ask=bytes:arg3,into=arg1/") == 1, "asked for");
	r = &specs.v[0].agg.rule;
	ok(r->ask[0] == MP_AGG_ARG3 && r->into == MP_AGG_ARG1 && !r->weight[0] && !r->got, "where");
	ok(parse("uprobe:libc:realloc/freed=arg1,ask=arg2/,uretprobe:libc:realloc/got=retval/") ==
			   2 &&
		   specs.v[0].agg.rule.freed == MP_AGG_ARG1 &&
		   specs.v[1].agg.rule.got == MP_AGG_RETVAL,
	   "given back, asked for, and got");
	ok(parse("a:b") == 1 && !specs.v[0].agg.given, "none");
	ok(!parse("x/sum=arg0/") && !parse("x/sum=arg1*/") && !parse("x/sum=arg1*arg2*arg3/") &&
		   !parse("x/sum=/") && !parse("x/sum=a-b:arg1/") && !parse("x/sum=:arg1/"),
	   "no weight");
	ok(!parse("x/got=count/") && !parse("x/into=arg1/") && !parse("x/every=5/") &&
		   !parse("x/sum=count,every=0/") && !parse("x/sum=count,got=retval/"),
	   "what makes no sense");
	ok(!parse("x/sum=a234567890123456789012345678901234567890:arg1/"),
	   "a name that is too long");
}

/* Files that other machines have below /sys/bus/event_source/devices. */
static const struct {
	const char *path, *text; /* `text` is NULL for a folder */
} files[] = {
	{ "devices", NULL },
	{ "devices/cpu", NULL },
	{ "devices/cpu/type", "4" },
	{ "devices/cpu/format", NULL },
	{ "devices/cpu/format/event", "config:0-7" },
	{ "devices/cpu/format/umask", "config:8-15,40-47" },
	{ "devices/cpu/format/ldlat", "config1:0-15" },
	{ "devices/cpu/events", NULL },
	{ "devices/cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3" },
	{ "devices/cpu/events/mem-stores", "event=0xd0,umask=0x82" },
	{ "devices/cpu/events/cpu-cycles", "event=0x3c" },
	{ "devices/ibs_op", NULL },
	{ "devices/ibs_op/type", "11" },
	{ "devices/ibs_op/format", NULL },
	{ "devices/ibs_op/format/cnt_ctl", "config:19" },
	{ "devices/msr", NULL },
	{ "devices/msr/type", "9" },
	{ "devices/msr/format", NULL },
	{ "devices/msr/format/event", "config:0-63" },
	{ "devices/msr/events", NULL },
	{ "devices/msr/events/smi", "event=0x04" },
	{ "etc", NULL },
	{ "etc/type", "7" },
	{ "etc/format", NULL },
	{ "etc/format/x", "config:0" },
};

static bool make_pmus(void)
{
	size_t i;
	FILE *f;

	if (!mkdtemp(folder) || chdir(folder) < 0)
		return false;
	devices = mp_asprintf("%s/devices", folder);
	for (i = 0; i < MP_ARRAY_SIZE(files); i++) {
		if (!files[i].text) {
			if (mkdir(files[i].path, 0755) < 0)
				return false;
			continue;
		}
		f = fopen(files[i].path, "w");
		if (!f)
			return false;
		fprintf(f, "%s\n", files[i].text);
		fclose(f);
	}
	return true;
}

static void remove_pmus(void)
{
	size_t i;

	for (i = MP_ARRAY_SIZE(files); i--;)
		remove(files[i].path);
	rmdir(folder);
	free((char *)devices);
}

static bool config_is(const char *pmu, const char *terms, uint64_t config, uint64_t config1,
		      bool memory)
{
	struct mp_pmu_event e;
	char *error;

	return mp_pmu_find(devices, pmu, terms, &e, &error) == 1 && e.config == config &&
	       e.config1 == config1 && e.memory == memory;
}

static void test_other_machine(void)
{
	struct mp_pmu_event e;
	char *error;

	ok(config_is("cpu", "mem-loads", 0x1cd, 3, true), "an event with its default");
	ok(config_is("cpu", "mem-loads,ldlat=30", 0x1cd, 30, true) &&
		   config_is("cpu", "ldlat=65535,mem-loads", 0x1cd, 65535, true),
	   "a term changes it, wherever it is");
	ok(config_is("cpu", "mem-stores", 0x82d0, 0, true) &&
		   config_is("cpu", "event=0xcd,umask=0x1,ldlat=7", 0x1cd, 7, true) &&
		   config_is("cpu", "cpu-cycles", 0x3c, 0, false),
	   "what is about memory");
	ok(config_is("cpu", "event=0x3c,umask=0x1ff", 0x1000000ff3c, 0, false),
	   "bits in two places");
	ok(config_is("ibs_op", "", 0, 0, true) && config_is("ibs_op", "cnt_ctl", 1 << 19, 0, true),
	   "AMD's");
	ok(mp_pmu_find(devices, "cpu", "mem-loads,ldlat=65536", &e, &error) < 0,
	   "a number that is too large");
	free(error);
	ok(mp_pmu_find(devices, "cpu", "mem-lodas", &e, &error) < 0, "an event that there is not");
	free(error);
}

struct machine {
	size_t events, found;
};

static void find_on_machine(void *arg, const char *name, const char *what)
{
	struct machine *m = arg;
	char *pmu = mp_strdup(name), *event = strchr(pmu, '/'), *error = NULL;
	struct mp_pmu_event e;

	(void)what;
	*event++ = '\0';
	*strchr(event, '/') = '\0';
	m->events++;
	if (mp_pmu_find(MP_PMU_DEVICES, pmu, event, &e, &error) == 1)
		m->found++;
	else
		printf("# %s: %s\n", name, error ? error : "not found");
	free(error);
	free(pmu);
}

static void test_this_machine(void)
{
	struct machine m = { 0, 0 };

	mp_pmu_each("*/*/", find_on_machine, &m);
	if (m.events == 0)
		ok(true, "each event that this machine names # skip its PMUs name none");
	else
		ok(m.found == m.events, "each of %zu events that this machine names", m.events);
}

int main(void)
{
	mp_init("unit-spec");
	ok(make_pmus(), "a folder as in sysfs");
	test_good();
	test_conditions();
	test_of_pmu();
	test_ratios();
	test_bad();
	test_sums();
	test_pmu();
	test_other_machine();
	test_this_machine();
	remove_pmus();
	mp_specs_release(&specs);
	return tap_done();
}
