/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the file side needs to know about the events: the layout of their samples, and which parts
 * of them are written. The kernel side makes it once, when all events are open (event/cut.h). All
 * of it is owned: no pointer leads to memory of the kernel side. Includes base, field,
 * stack_method.
 */
#ifndef MP_CAPTURE_HOST_CUT_EVENT_H
#define MP_CAPTURE_HOST_CUT_EVENT_H

#include "lib/capture/host/field.h"
#include "lib/capture/host/stack_method.h"
#include "lib/core/base.h"

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
	MP_CTX_LATENCY = 256, /* of a memory access; this one to MP_CTX_DUR precede the stack */
	MP_CTX_OP = 512,
	MP_CTX_LEVEL = 1024,
	MP_CTX_SNOOP = 2048,
	MP_CTX_TLB = 4096,
	MP_CTX_LOCK = 8192,
	MP_CTX_DUR = 16384,
	MP_CTX_NSPID = 32768, /* this one and the next follow the cgroup */
	MP_CTX_NSTID = 65536,
	MP_CTX_PLACES = 131072, /* frames have places; on request */
	MP_CTX_TASK = MP_CTX_PID | MP_CTX_TID | MP_CTX_COMM,
	MP_CTX_INNER = MP_CTX_NSPID | MP_CTX_NSTID,
	/* written only on request */
	MP_CTX_REQUESTED = MP_CTX_CGROUP | MP_CTX_INNER | MP_CTX_PLACES,
	MP_CTX_SOURCE = MP_CTX_OP | MP_CTX_LEVEL | MP_CTX_SNOOP | MP_CTX_TLB | MP_CTX_LOCK,
};

enum {
	MP_COMMON_FLAGS_AT = 2, /* in a raw record with the common fields: one byte */
	/* bits of these flags: in an interrupt, a softirq or an NMI, whatever task it interrupted */
	MP_COMMON_INTERRUPT = 0x08 | 0x10 | 0x40,
};

/* A field of the payload that is written. */
struct mp_cut_field {
	struct mp_tp_field at;
	/* its number among all fields of the record of a BPF program, see mp_cut_event.program */
	uint32_t number;
};

struct mp_cut_event {
	char *type; /* TYPE of the stream, escaped */

	/* members of perf_event_attr, by which a sample is parsed */
	uint64_t sample_type, sample_period, sample_regs_user;
	uint32_t sample_stack_user, sample_max_stack;
	bool freq;

	/* what is written */
	uint32_t context; /* MP_CTX_ bits */
	struct mp_cut_field *payload;
	size_t n_payload;
	unsigned max_stack;	     /* maximum number of frames; 0: no stack */
	enum mp_stack_method method; /* how the user part is taken; UNSET: it is not taken */

	bool each;   /* each occurrence is recorded: fired = delivered + excluded + lost */
	bool common; /* the raw record begins with the common fields of tracepoints */
	/* it may concern another task than its own: the samples of mp-record itself are written */
	bool any_task;
	/* the stack that a BPF program walks comes after the sample, not before */
	bool stack_after;
	bool adopts; /* a software event whose samples may have the id of another program's event */

	/* a built-in event, whose records may lack fields */
	bool own;
	uint32_t record; /* PERF_RECORD_ type that reports it; 0: it is polled */
	bool exec; /* of PERF_RECORD_COMM: only the records of an exec; else only the others */

	/* a BPF program makes the record, and says in it which fields it could not read */
	bool program;
	uint32_t program_bytes; /* shorter records do not have that */
	bool texts; /* a system call with texts, which a second record may have: late_texts.h */
	/* the kernel function, whose caller is the innermost frame to write; NULL: there is none */
	char *function;
};

/* An aggregate: all that is added up under one name. */
struct mp_cut_agg {
	char *name;
	char *weight; /* name of the weight: "count", "bytes", "dur" */
	char *unit;   /* its unit, "ns" or "B"; NULL: it has none, or an unknown one */
	bool user;    /* its stacks have a user part */
	bool held;    /* the weight is memory that a task holds until it frees it */
};

struct mp_cut_events {
	struct mp_cut_event *v;
	size_t n;
	struct mp_cut_agg *aggs; /* by number */
	size_t n_aggs;
	uint32_t agg_frames; /* maximum number of frames of their stacks; 0: all */
	bool silent;	     /* all events are aggregated, so that none is written */
};

void mp_cut_events_release(struct mp_cut_events *events);

#endif
