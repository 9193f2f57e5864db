/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events to record: specifications resolved to perf_event_attr, with the fields to write. Includes
 * aggregate, builtin, ctl, pmu, probe, spec, traced, tracefs.
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
#include "lib/stream/ctl.h"

/* Context fields, bits in the order in which they are written. */
enum mp_context {
	MP_CTX_CPU = 1,
	MP_CTX_PID = 2,
	MP_CTX_TID = 4,
	MP_CTX_COMM = 8,
	MP_CTX_PERIOD = 16,
	MP_CTX_ADDR = 32,
	MP_CTX_CGROUP = 64,
	MP_CTX_STACK = 128,
	MP_CTX_LATENCY = 256, /* of a memory access; these come before the stack */
	MP_CTX_OP = 512,
	MP_CTX_LEVEL = 1024,
	MP_CTX_SNOOP = 2048,
	MP_CTX_TLB = 4096,
	MP_CTX_LOCK = 8192,
	MP_CTX_DUR = 16384,
	MP_CTX_NSPID = 32768, /* these follow the cgroup */
	MP_CTX_NSTID = 65536,
	MP_CTX_TASK = MP_CTX_PID | MP_CTX_TID | MP_CTX_COMM,
	MP_CTX_INNER = MP_CTX_NSPID | MP_CTX_NSTID,
	MP_CTX_REQUESTED = MP_CTX_CGROUP | MP_CTX_INNER, /* only on request */
	MP_CTX_SOURCE = MP_CTX_OP | MP_CTX_LEVEL | MP_CTX_SNOOP | MP_CTX_TLB | MP_CTX_LOCK,
};

/* What the BPF program that walks the user stacks of an event is attached to. */
enum mp_walk_on {
	MP_WALK_TRACEPOINT, /* a raw tracepoint, see mp_event.points */
	MP_WALK_FAULT,	    /* those of page faults */
	MP_WALK_SYS_ENTER,  /* raw tracepoints of all system calls, for that of mp_event.syscall */
	MP_WALK_SYS_EXIT,
	MP_WALK_PROBE, /* the event, which is a uprobe or kprobe */
	MP_WALK_EVENT, /* the event, which is of another kind */
	MP_WALK_NEVER, /* it cannot be */
};

struct mp_event {
	char *type;		  /* TYPE of the stream, escaped */
	struct mp_event_agg *agg; /* NULL: it is recorded, not aggregated */
	struct perf_event_attr attr;
	char *filter;			    /* kernel filter, NULL: none */
	struct mp_tp *tp;		    /* NULL: no tracepoint, and nothing like one */
	struct mp_tracing *tracing;	    /* aggregated by a program of its own; NULL: recorded */
	const struct mp_builtin *own;	    /* NULL: none of these */
	const struct mp_tp_field **payload; /* fields that are written, of tp or own */
	size_t n_payload;
	unsigned context; /* MP_CTX_ bits that are written */
	bool probe;	  /* its type is the name that its source parsed, see cap_source.parse */
	bool once;  /* opened on one CPU for all CPUs: its program does not distinguish them */
	bool rated; /* -F and -c apply to it */
	bool wide;  /* of the whole system, whatever tasks or cgroups are recorded */
	bool idle;  /* also in interrupts of idle CPUs: see program.h */
	bool each;  /* each occurrence is recorded: fired = delivered + excluded + lost */
	unsigned max_stack;	     /* frames that are written; 0: no stack */
	enum mp_stack_method method; /* how the user part is taken; UNSET: it is not */
	enum mp_walk_on walk_on;
	const char *points[2]; /* raw tracepoints at which it happens; borrowed, or NULL */
	unsigned syscall;      /* number */
	size_t copy_bytes;   /* of the user stack, should BPF not be available; 0: frame pointers */
	struct mp_when when; /* the samples that count */
	int program;	     /* file descriptor of the program that decides; 0: none. Borrowed */
	bool programmed;     /* its source sets a program itself: an event has only one */
	uint64_t interval_ns; /* of what is read */
	unsigned top;	      /* this many separately, the rest together; 0: all */
};

/* Whether the event is polled, without records in a ring. */
static inline bool mp_event_is_read(const struct mp_event *e)
{
	return e->own && e->own->kind != MP_BUILTIN_RECORD;
}

struct mp_events {
	struct mp_event *v;
	size_t n, cap;
	struct mp_probes probes; /* the caller removes them when the events are closed */
};

/* The options for all events; the terms of a specification override them. */
struct mp_event_options {
	uint64_t freq;	 /* of sampled events, Hz */
	bool freq_given; /* by the user, not by a collector */
	uint64_t period; /* of all events; 0: not given */
	enum mp_stack_part stack;
	enum mp_stack_method method;
	size_t stack_size;		   /* bytes of the copy of a user stack */
	unsigned max_stack;		   /* 0: as much as there is */
	bool exclude_user, exclude_kernel; /* sampled events only: a tracepoint is in the kernel */
	bool stack_given;		   /* given by the user, not by a collector */
	bool aggregate;			   /* samples are aggregated in the kernel */
	const char *agg_name;		   /* of the aggregate; NULL: the event's */
	bool cgroup;			   /* write cgroup= */
	bool inherit;			   /* of processes, with their threads and children */
	unsigned count_context;		   /* what is counted separately: MP_CTX_ bits */
	uint64_t interval_ns;		   /* of polled values; 0: not given */
	const char *fields;		   /* --fields; NULL: all */
	const struct mp_cut_files *files;  /* who finds the places of probes */
};

void mp_event_release(struct mp_event *e);
void mp_events_release(struct mp_events *events);

/* Whether some events are aggregated in the kernel; whether all are: no events are written then. */
bool mp_events_any_aggregated(const struct mp_events *events);
bool mp_events_all_aggregated(const struct mp_events *events);

/* All payload fields of an event, written or not: of its format, or of its own. */
const struct mp_tp_field *mp_event_fields(const struct mp_event *e, size_t *n);

/* "events" of the stream's header. New reference. */
json_t *mp_events_json(const struct mp_events *events);

/* "filters" of the header: of the types that are only recorded with a filter. New reference, or NULL: none. */
json_t *mp_events_filters_json(const struct mp_events *events);

#endif
