/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events other than tracepoints: software, generic hardware, cache and raw events, and those of a
 * PMU that sysfs describes (/sys/bus/event_source/devices, see the kernel's
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-{events,format}). Includes str only.
 */
#ifndef MP_CAPTURE_EVENT_PMU_H
#define MP_CAPTURE_EVENT_PMU_H

#include "lib/core/str.h"

struct mp_pmu_event {
	uint32_t type; /* attr.type */
	uint64_t config, config1, config2;
	bool software;
	bool clock;    /* the event's period counts ns */
	bool has_addr; /* the event's samples have the address of the data */
	/*
	 * the event's samples have the address of the data, the latency of the access, and the
	 * source of the data
	 */
	bool memory;
	bool each; /* each occurrence is recorded by default, as for a tracepoint */
};

/* The folder in which sysfs describes the PMUs of this machine. */
#define MP_PMU_DEVICES "/sys/bus/event_source/devices"

/*
 * Finds "cpu-clock", "cycles", "LLC-load-misses", "r1a8", or, with `config` ("event=0x3c,umask=1"
 * or a name from the PMU's events folder, which other terms change), the event of the PMU `name`,
 * which the folder `devices` describes: MP_PMU_DEVICES, or that of another machine. Returns 1; 0 if
 * the name is not known; -1 with `*error` (owned by the caller) if the name is known, but `config`
 * or the event is wrong.
 */
int mp_pmu_find(const char *devices, const char *name, const char *config,
		struct mp_pmu_event *event, char **error);

/* Calls `each` with the name and the kind of the events that match the glob. */
typedef void mp_pmu_fn(void *arg, const char *name, const char *what);

void mp_pmu_each(const char *glob, mp_pmu_fn *each, void *arg);

/* attr.type of a PMU by its name; 0 if there is none. */
uint32_t mp_pmu_type(const char *name);

/* The highest attr.precise_ip, at most 3, with which an event with this attr can be opened. */
struct perf_event_attr;
unsigned mp_pmu_precision(const struct perf_event_attr *attr);

/* Whether there is a PMU for the generic hardware events. */
bool mp_pmu_has_hardware(void);

#endif
