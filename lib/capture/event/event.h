/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events to record: specifications resolved to perf_event_attr, with the fields to write. Includes
 * aggregate, builtin, ctl, cut_event, pmu, probe, spec, traced, tracefs.
 */
#ifndef MP_CAPTURE_EVENT_EVENT_H
#define MP_CAPTURE_EVENT_EVENT_H

#include <linux/perf_event.h>

#include "lib/capture/event/aggregate.h"
#include "lib/capture/event/builtin.h"
#include "lib/capture/event/pmu.h"
#include "lib/capture/event/probe.h"
#include "lib/capture/event/spec.h"
#include "lib/capture/event/traced.h"
#include "lib/capture/event/tracefs.h"
#include "lib/capture/host/cut_event.h"
#include "lib/stream/ctl.h"

/* Where the BPF program is attached that walks the user stacks of an event. */
enum mp_walk_on {
	MP_WALK_TRACEPOINT, /* a raw tracepoint, see mp_event.points */
	MP_WALK_FAULT,	    /* the raw tracepoints of page faults */
	/* the raw tracepoints of all system calls, for the one in mp_event.syscall */
	MP_WALK_SYS_ENTER,
	MP_WALK_SYS_EXIT,
	MP_WALK_PROBE, /* the event itself, which is a uprobe or kprobe */
	MP_WALK_EVENT, /* the event itself, which is neither a tracepoint nor a probe */
	MP_WALK_NEVER, /* nowhere: it cannot be attached to this event */
};

struct mp_event {
	char *type;		  /* TYPE of the stream, escaped */
	struct mp_event_agg *agg; /* the aggregate; NULL: the event is recorded */
	struct perf_event_attr attr;
	char *filter; /* kernel filter, NULL: none */
	/* format of the tracepoint; NULL: the event is neither a tracepoint nor laid out as one */
	struct mp_tp *tp;
	struct mp_tracing *tracing;   /* aggregated by a program of its own; NULL: recorded */
	const struct mp_builtin *own; /* the built-in event; NULL: it is not one */
	struct mp_event *ratio;	      /* the two events whose counts are divided; NULL: no ratio */
	/* payload fields that are written, from `tp` or `own` */
	const struct mp_tp_field **payload;
	size_t n_payload;
	unsigned context; /* MP_CTX_ bits that are written */
	/* the event's source parsed its name, which is also its type: see cap_source.parse */
	bool probe;
	bool user_probe; /* a probe on a program, which puts breakpoints into processes */
	/* the event is opened once for all CPUs, since its program does not distinguish them */
	bool once;
	bool rated; /* the options -F and -c apply to the event */
	/* recorded for the whole system, even if other events are recorded for tasks or cgroups */
	bool wide;
	bool idle;	    /* the event also occurs in interrupts of idle CPUs: see program.h */
	bool each;	    /* each occurrence is recorded: fired = delivered + excluded + lost */
	unsigned max_stack; /* maximum number of frames that are written; 0: no stack */
	enum mp_stack_method method; /* how the user part is taken; UNSET: it is not taken */
	enum mp_walk_on walk_on;
	/* raw tracepoints that occur together with the event; borrowed, or NULL */
	const char *points[2];
	unsigned syscall; /* number of the system call */
	/*
	 * if BPF is not available, this many bytes of the user stack are copied; 0: frame pointers
	 * are used
	 */
	size_t copy_bytes;
	struct mp_when when; /* conditions that samples must meet */
	/* file descriptor of the program that selects samples; 0: none. Borrowed */
	int program;
	bool programmed;      /* its source attaches a program; an event can have only one */
	uint64_t interval_ns; /* interval of polled values */
	/*
	 * for polled memory: this many of the largest processes have records of their own, and all
	 * others share one; 0: each process has its own
	 */
	unsigned top;
};

/* Whether the event is polled, without records in a ring. */
static inline bool mp_event_is_read(const struct mp_event *e)
{
	return e->own && e->own->kind != MP_BUILTIN_RECORD;
}

/* Whether the event is counted. */
static inline bool mp_event_is_counted(const struct mp_event *e)
{
	return e->own && e->own->kind == MP_BUILTIN_COUNT;
}

struct mp_events {
	struct mp_event *v;
	size_t n, cap;
	struct mp_probes probes; /* the caller removes them after the events are closed */
};

/* The options for all events; the terms of a specification override them. */
struct mp_event_options {
	uint64_t freq;	 /* frequency of sampled events, Hz */
	bool freq_given; /* the user has set freq, not a collector */
	uint64_t period; /* period of all events; 0: not given */
	enum mp_stack_part stack;
	enum mp_stack_method method;
	size_t stack_size;  /* bytes of the copy of a user stack */
	unsigned max_stack; /* most frames that are written; 0: no limit */
	/* for sampled events only, since a tracepoint is always in the kernel */
	bool exclude_user, exclude_kernel;
	bool stack_given;		  /* the user has set the stack, not a collector */
	bool aggregate;			  /* aggregate samples in the kernel */
	const char *agg_name;		  /* name of the aggregate; NULL: that of the event */
	bool cgroup;			  /* write cgroup= */
	bool inherit;			  /* record threads and children of the processes, too */
	unsigned count_context;		  /* MP_CTX_ bits: fields by which counts are separate */
	uint64_t interval_ns;		  /* interval of polled values; 0: not given */
	const char *fields;		  /* argument of --fields; NULL: all fields */
	const struct mp_cut_files *files; /* finds the places of probes */
};

void mp_event_release(struct mp_event *e);
void mp_events_release(struct mp_events *events);

/*
 * Whether some events are aggregated in the kernel, and whether all are, so that no events are
 * written.
 */
bool mp_events_any_aggregated(const struct mp_events *events);
bool mp_events_all_aggregated(const struct mp_events *events);

/*
 * All payload fields of an event, written or not: those of its format, or those of the built-in
 * event.
 */
const struct mp_tp_field *mp_event_fields(const struct mp_event *e, size_t *n);

/* Makes "events" of the stream's header. New reference. */
json_t *mp_events_json(const struct mp_events *events);

/*
 * "filters" of the header: the filters of the types that are recorded with one. New reference, or
 * NULL if there are none.
 */
json_t *mp_events_filters_json(const struct mp_events *events);

#endif
