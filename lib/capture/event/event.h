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
	MP_WALK_EVENT, /* the event itself, which is of another kind */
	MP_WALK_NEVER, /* nowhere: it cannot be attached */
};

struct mp_event {
	char *type;		  /* TYPE of the stream, escaped */
	struct mp_event_agg *agg; /* NULL: it is recorded, not aggregated */
	struct perf_event_attr attr;
	char *filter;		      /* kernel filter, NULL: none */
	struct mp_tp *tp;	      /* NULL: neither a tracepoint nor laid out as one */
	struct mp_tracing *tracing;   /* aggregated by a program of its own; NULL: recorded */
	const struct mp_builtin *own; /* NULL: not a built-in event */
	/* payload fields that are written, from `tp` or `own` */
	const struct mp_tp_field **payload;
	size_t n_payload;
	unsigned context; /* MP_CTX_ bits that are written */
	/* its source has parsed its name, which is its type: see cap_source.parse */
	bool probe;
	bool once;  /* opened once for all CPUs: its program does not distinguish them */
	bool rated; /* -F and -c apply to it */
	bool wide;  /* recorded for the whole system, whatever tasks or cgroups are recorded */
	bool idle;  /* also occurs in interrupts of idle CPUs: see program.h */
	bool each;  /* each occurrence is recorded: fired = delivered + excluded + lost */
	unsigned max_stack;	     /* maximum number of frames that are written; 0: no stack */
	enum mp_stack_method method; /* how the user part is taken; UNSET: it is not taken */
	enum mp_walk_on walk_on;
	const char *points[2]; /* raw tracepoints that occur with it; borrowed, or NULL */
	unsigned syscall;      /* number of the system call */
	/* bytes of the user stack to copy if BPF is not available; 0: use frame pointers */
	size_t copy_bytes;
	struct mp_when when; /* conditions that samples must meet */
	/* file descriptor of the program that selects samples; 0: none. Borrowed */
	int program;
	bool programmed;      /* its source attaches a program; an event can have only one */
	uint64_t interval_ns; /* interval of polled values */
	/* polled memory: this many processes separately, all others together; 0: all separately */
	unsigned top;
};

/* Whether the event is polled, without records in a ring. */
static inline bool mp_event_is_read(const struct mp_event *e)
{
	return e->own && e->own->kind != MP_BUILTIN_RECORD;
}

struct mp_events {
	struct mp_event *v;
	size_t n, cap;
	struct mp_probes probes; /* removed by the caller after the events are closed */
};

/* The options for all events; the terms of a specification override them. */
struct mp_event_options {
	uint64_t freq;	 /* frequency of sampled events, Hz */
	bool freq_given; /* the user has set freq, not a collector */
	uint64_t period; /* period of all events; 0: not given */
	enum mp_stack_part stack;
	enum mp_stack_method method;
	size_t stack_size;  /* bytes of the copy of a user stack */
	unsigned max_stack; /* 0: as much as there is */
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
 * Whether some events are aggregated in the kernel; whether all are, so that no events are written.
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

/* "filters" of the header: of the types that are only recorded with a filter. New reference, or NULL: none. */
json_t *mp_events_filters_json(const struct mp_events *events);

#endif
