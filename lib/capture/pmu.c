// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/pmu.h"

#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/capture/proc.h"

#define DEVICES "/sys/bus/event_source/devices"

enum { EACH = 1, ADDR = 2, CLOCK = 4 };

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

/* Indexed as PERF_COUNT_HW_CACHE_*. */
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
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]) || strlen(name) > 17)
		return false;
	event->type = PERF_TYPE_RAW;
	event->config = strtoull(name + 1, &end, 16);
	return *end == '\0';
}

static bool pmu_line(const char *pmu, const char *folder, struct mp_str file, char *to, size_t size)
{
	char path[512];

	if (memchr(file.p, '/', file.len))
		return false;
	snprintf(path, sizeof(path), DEVICES "/%s/%s/%.*s", pmu, folder, MP_STR_ARGS(file));
	return mp_proc_line(path, to, size);
}

/* Puts the low bits of `value` where "config1:0-7,32-35" says. */
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
			*word |= (value & 1) << low;
		format += *format == ',';
	}
	return value == 0;
}

static int set_config(const char *pmu, const char *config, struct mp_pmu_event *event, char **error,
		      int depth);

static int set_term(const char *pmu, struct mp_str term, struct mp_pmu_event *event, char **error,
		    int depth)
{
	const char *eq = memchr(term.p, '=', term.len);
	struct mp_str key = { term.p, eq ? (size_t)(eq - term.p) : term.len };
	int64_t value = 1;
	char text[256];

	if (!eq && depth == 0 && pmu_line(pmu, "events", key, text, sizeof(text)))
		return set_config(pmu, text, event, error, depth + 1);
	if (eq && mp_num_any((struct mp_str){ eq + 1, term.p + term.len - eq - 1 }, &value) < 0) {
		*error = mp_asprintf("%s/%.*s/: not a number", pmu, MP_STR_ARGS(term));
		return -1;
	}
	if (mp_str_eq(key, MP_STR("config")))
		event->config |= value;
	else if (mp_str_eq(key, MP_STR("config1")))
		event->config1 |= value;
	else if (mp_str_eq(key, MP_STR("config2")))
		event->config2 |= value;
	else if (!pmu_line(pmu, "format", key, text, sizeof(text)) ||
		 !put_bits(event, text, value)) {
		*error = mp_asprintf(
			"%s/%.*s/: no such term or event, or its value is too large (see " DEVICES
			"/%s/{format,events})",
			pmu, MP_STR_ARGS(term), pmu);
		return -1;
	}
	return 0;
}

static int set_config(const char *pmu, const char *config, struct mp_pmu_event *event, char **error,
		      int depth)
{
	while (*config) {
		size_t len = strcspn(config, ",");

		if (set_term(pmu, (struct mp_str){ config, len }, event, error, depth) < 0)
			return -1;
		config += len + (config[len] == ',');
	}
	return 1;
}

static bool find_type(const char *pmu, uint32_t *type)
{
	char text[32];

	if (!pmu_line(pmu, ".", MP_STR("type"), text, sizeof(text)))
		return false;
	*type = strtoul(text, NULL, 10);
	return true;
}

uint32_t mp_pmu_type(const char *pmu)
{
	uint32_t type = 0;

	find_type(pmu, &type);
	return type;
}

int mp_pmu_find(const char *name, const char *config, struct mp_pmu_event *event, char **error)
{
	*event = (struct mp_pmu_event){ .type = 0 };
	if (!config)
		return find_fixed(name, event) || find_cache(name, event) || find_raw(name, event);
	if (!find_type(name, &event->type))
		return 0;
	return set_config(name, config, event, error, 0);
}

static void tell(const char *glob, const char *name, const char *what, mp_pmu_fn *each, void *arg)
{
	if (fnmatch(glob, name, 0) == 0)
		each(arg, name, what);
}

static void each_of_pmu(const char *pmu, const char *glob, mp_pmu_fn *each, void *arg)
{
	char *path = mp_asprintf(DEVICES "/%s/events", pmu), *name;
	DIR *dir = opendir(path);
	struct dirent *d;

	while (dir && (d = readdir(dir))) {
		if (strchr(d->d_name, '.')) /* the folder itself, NAME.unit, NAME.scale */
			continue;
		name = mp_asprintf("%s/%s/", pmu, d->d_name);
		tell(glob, name, "event of a PMU", each, arg);
		free(name);
	}
	if (dir)
		closedir(dir);
	free(path);
}

void mp_pmu_each(const char *glob, mp_pmu_fn *each, void *arg)
{
	bool hardware = mp_pmu_has_hardware();
	DIR *dir = opendir(DEVICES);
	struct dirent *d;
	size_t i, c, o, miss;
	char name[48];

	for (i = 0; i < MP_ARRAY_SIZE(fixed); i++) {
		if (fixed[i].type == PERF_TYPE_SOFTWARE)
			tell(glob, fixed[i].name, "software", each, arg);
		else if (hardware)
			tell(glob, fixed[i].name, "hardware", each, arg);
	}
	for (c = 0; hardware && c < MP_ARRAY_SIZE(caches); c++) {
		for (o = 0; o < MP_ARRAY_SIZE(ops); o++) {
			for (miss = 0; miss < 2; miss++) {
				cache_name(c, o, miss, name);
				tell(glob, name, "hardware, cache", each, arg);
			}
		}
	}
	while (dir && (d = readdir(dir)))
		if (d->d_name[0] != '.')
			each_of_pmu(d->d_name, glob, each, arg);
	if (dir)
		closedir(dir);
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
