// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/event/pmu.h"

#include <ctype.h>
#include <dirent.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/capture/host/proc.h"
#include "lib/stream/glob.h"

enum { EACH = 1, ADDR = 2, CLOCK = 4 };

struct pmu {
	const char *devices; /* the folder that describes PMUs, see mp_pmu_find() */
	const char *name;
};

struct fixed {
	const char *name, *alias;
	uint32_t type;
	uint64_t config;
	unsigned flags;
};

static const struct fixed fixed[] = {
	{ "cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, CLOCK },
	{ "task-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, CLOCK },
	{ "page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, EACH | ADDR },
	{ "minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, EACH | ADDR },
	{ "major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, EACH | ADDR },
	{ "context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, EACH },
	{ "cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, EACH },
	{ "cgroup-switches", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES, EACH },
	{ "alignment-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS,
	  EACH | ADDR },
	{ "emulation-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, EACH },
	{ "cycles", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0 },
	{ "instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0 },
	{ "cache-references", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 0 },
	{ "cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 0 },
	{ "branches", "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  0 },
	{ "branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0 },
	{ "bus-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, 0 },
	{ "ref-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, 0 },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0 },
	{ "stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_BACKEND, 0 },
};

/* Names, indexed by PERF_COUNT_HW_CACHE_*. */
static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
				      "iTLB",	   "branch",	"node" };
static const char *const ops[] = { "load", "store", "prefetch" };
static const char *const op_plurals[] = { "loads", "stores", "prefetches" };

static void cache_name(size_t cache, size_t op, bool miss, char name[48])
{
	if (miss)
		snprintf(name, 48, "%s-%s-misses", caches[cache], ops[op]);
	else
		snprintf(name, 48, "%s-%s", caches[cache], op_plurals[op]);
}

static bool find_cache(const char *name, struct mp_pmu_event *event)
{
	size_t c, o, miss;
	char here[48];

	for (c = 0; c < MP_ARRAY_SIZE(caches); c++) {
		for (o = 0; o < MP_ARRAY_SIZE(ops); o++) {
			for (miss = 0; miss < 2; miss++) {
				cache_name(c, o, miss, here);
				if (strcmp(here, name) != 0)
					continue;
				event->type = PERF_TYPE_HW_CACHE;
				event->config = c | o << 8 | miss << 16;
				return true;
			}
		}
	}
	return false;
}

static bool find_fixed(const char *name, struct mp_pmu_event *event)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(fixed); i++) {
		const struct fixed *f = &fixed[i];

		if (strcmp(f->name, name) != 0 && (!f->alias || strcmp(f->alias, name) != 0))
			continue;
		event->type = f->type;
		event->config = f->config;
		event->software = f->type == PERF_TYPE_SOFTWARE;
		event->each = f->flags & EACH;
		event->has_addr = f->flags & ADDR;
		event->clock = f->flags & CLOCK;
		return true;
	}
	return false;
}

static bool find_raw(const char *name, struct mp_pmu_event *event)
{
	uint64_t config;
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]) || strlen(name) > 17)
		return false;
	config = strtoull(name + 1, &end, 16);
	if (*end)
		return false;
	event->type = PERF_TYPE_RAW;
	event->config = config;
	return true;
}

static bool pmu_line(const struct pmu *pmu, const char *folder, struct mp_str file, char *to,
		     size_t size)
{
	char path[512];

	if (memchr(file.p, '/', file.len))
		return false;
	snprintf(path, sizeof(path), "%s/%s/%s/%.*s", pmu->devices, pmu->name, folder,
		 MP_STR_ARGS(file));
	return mp_proc_line(path, to, size);
}

/*
 * Stores the low bits of `value` in the bits that "config1:0-7,32-35" names, replacing what was
 * there.
 */
static bool put_bits(struct mp_pmu_event *event, const char *format, uint64_t value)
{
	uint64_t *word;
	unsigned low, high;
	int n;

	if (strncmp(format, "config:", 7) == 0)
		word = &event->config;
	else if (strncmp(format, "config1:", 8) == 0)
		word = &event->config1;
	else if (strncmp(format, "config2:", 8) == 0)
		word = &event->config2;
	else
		return false;
	format = strchr(format, ':') + 1;
	while (*format) {
		if (sscanf(format, "%u%n", &low, &n) < 1)
			return false;
		format += n;
		high = low;
		if (*format == '-') {
			if (sscanf(format + 1, "%u%n", &high, &n) < 1)
				return false;
			format += n + 1;
		}
		if (high > 63 || low > high)
			return false;
		for (; low <= high; low++, value >>= 1)
			*word = (*word & ~(1ull << low)) | (value & 1) << low;
		format += *format == ',';
	}
	return value == 0;
}

/*
 * Whether a term is one of the kernel's names for events that sample memory accesses: mem-loads,
 * mem-stores, and their variants with latency.
 */
static bool is_memory(struct mp_str term)
{
	static const char *const names[] = { "mem-loads", "mem-stores", "ldlat" };
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(names); i++)
		if (mp_str_eq(term, mp_str(names[i])))
			return true;
	return false;
}

/* Splits "KEY=NUMBER", or a word, which means 1. */
static int set_term(const struct pmu *pmu, struct mp_str term, struct mp_pmu_event *event,
		    char **error)
{
	const char *eq = memchr(term.p, '=', term.len);
	struct mp_str key = { term.p, eq ? (size_t)(eq - term.p) : term.len };
	int64_t value = 1;
	char format[256];

	if (eq && mp_num_any((struct mp_str){ eq + 1, term.p + term.len - eq - 1 }, &value) < 0) {
		*error = mp_asprintf("%s/%.*s/: not a number", pmu->name, MP_STR_ARGS(term));
		return -1;
	}
	event->memory |= is_memory(key);
	if (mp_str_eq(key, MP_STR("config")))
		event->config |= value;
	else if (mp_str_eq(key, MP_STR("config1")))
		event->config1 |= value;
	else if (mp_str_eq(key, MP_STR("config2")))
		event->config2 |= value;
	else if (!pmu_line(pmu, "format", key, format, sizeof(format)) ||
		 !put_bits(event, format, value)) {
		*error = mp_asprintf(
			"%s/%.*s/: no such term or event, or its value is too large (see "
			"%s/%s/{format,events})",
			pmu->name, MP_STR_ARGS(term), pmu->devices, pmu->name);
		return -1;
	}
	return 0;
}

static struct mp_str next_term(const char **config)
{
	struct mp_str term = { *config, strcspn(*config, ",") };

	*config += term.len + ((*config)[term.len] == ',');
	return term;
}

/* Reads the terms that sysfs has for an event; false if the term is not the name of an event. */
static bool event_terms(const struct pmu *pmu, struct mp_str term, char text[256])
{
	return !memchr(term.p, '=', term.len) && pmu_line(pmu, "events", term, text, 256);
}

static int set_event(const struct pmu *pmu, const char *terms, struct mp_pmu_event *event,
		     char **error)
{
	while (*terms)
		if (set_term(pmu, next_term(&terms), event, error) < 0)
			return -1;
	return 0;
}

/*
 * Applies the names of events before the other terms, which modify them, as in mem-loads,ldlat=30.
 */
static int set_config(const struct pmu *pmu, const char *config, struct mp_pmu_event *event,
		      char **error)
{
	struct mp_str term;
	const char *at;
	char text[256];

	for (at = config; *at;) {
		term = next_term(&at);
		event->memory |= is_memory(term);
		if (event_terms(pmu, term, text) && set_event(pmu, text, event, error) < 0)
			return -1;
	}
	for (at = config; *at;) {
		term = next_term(&at);
		if (!event_terms(pmu, term, text) && set_term(pmu, term, event, error) < 0)
			return -1;
	}
	return 1;
}

static bool find_type(const struct pmu *pmu, uint32_t *type)
{
	char text[32];

	if (strchr(pmu->name, '/') || !pmu_line(pmu, ".", MP_STR("type"), text, sizeof(text)))
		return false;
	*type = strtoul(text, NULL, 10);
	return true;
}

uint32_t mp_pmu_type(const char *name)
{
	const struct pmu pmu = { MP_PMU_DEVICES, name };
	uint32_t type = 0;

	find_type(&pmu, &type);
	return type;
}

int mp_pmu_find(const char *devices, const char *name, const char *config,
		struct mp_pmu_event *event, char **error)
{
	const struct pmu pmu = { devices, name };

	*event = (struct mp_pmu_event){ .type = 0 };
	if (find_fixed(name, event) || find_cache(name, event) || find_raw(name, event)) {
		if (!config || !*config)
			return 1;
		*error = mp_asprintf("%s/%s/: no such term (period=, freq=, stack=, max-stack=, "
				     "irqs-off, need-resched, running=, memory)",
				     name, config);
		return -1;
	}
	if (!config || !find_type(&pmu, &event->type))
		return 0;
	/* AMD's IBS samples any instruction, with its memory access */
	event->memory = strcmp(name, "ibs_op") == 0;
	return set_config(&pmu, config, event, error);
}

static void pass(const char *glob, const char *name, const char *what, mp_pmu_fn *each, void *arg)
{
	if (mp_glob_plain(glob, name))
		each(arg, name, what);
}

static void each_of_pmu(const char *pmu, const char *glob, mp_pmu_fn *each, void *arg)
{
	char *path = mp_asprintf(MP_PMU_DEVICES "/%s/events", pmu), *name;
	DIR *dir = opendir(path);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		if (strchr(d->d_name, '.')) /* skip ".", "..", NAME.unit and NAME.scale */
			continue;
		name = mp_asprintf("%s/%s/", pmu, d->d_name);
		pass(glob, name, "event of a PMU", each, arg);
		free(name);
	}
	if (dir)
		closedir(dir);
	free(path);
}

void mp_pmu_each(const char *glob, mp_pmu_fn *each, void *arg)
{
	bool hardware = mp_pmu_has_hardware();
	DIR *dir = opendir(MP_PMU_DEVICES);
	struct dirent *d;
	size_t i, c, o, miss;
	char name[48];

	for (i = 0; i < MP_ARRAY_SIZE(fixed); i++) {
		if (fixed[i].type == PERF_TYPE_SOFTWARE)
			pass(glob, fixed[i].name, "software", each, arg);
		else if (hardware)
			pass(glob, fixed[i].name, "hardware", each, arg);
	}
	for (c = 0; hardware && c < MP_ARRAY_SIZE(caches); c++) {
		for (o = 0; o < MP_ARRAY_SIZE(ops); o++) {
			for (miss = 0; miss < 2; miss++) {
				cache_name(c, o, miss, name);
				pass(glob, name, "hardware, cache", each, arg);
			}
		}
	}
	while (dir && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			each_of_pmu(d->d_name, glob, each, arg);
	if (dir)
		closedir(dir);
}

unsigned mp_pmu_precision(const struct perf_event_attr *attr)
{
	struct perf_event_attr one = *attr;
	int fd = -1;

	one.size = sizeof(one);
	one.disabled = 1;
	one.freq = 0;
	/* with a period, the event samples: counting is never precise */
	one.sample_period = 1000000;
	for (one.precise_ip = 3; one.precise_ip && fd < 0; one.precise_ip -= fd < 0)
		fd = syscall(SYS_perf_event_open, &one, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return one.precise_ip;
}

bool mp_pmu_has_hardware(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}
