/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Matches begin events with end events by a key, and writes spans. The number of begins that wait
 * for their ends is bounded, and every event that has no counterpart is counted. Includes
 * context, relay, where.
 */
#ifndef MP_PAIR_PAIR_H
#define MP_PAIR_PAIR_H

#include "lib/pair/context.h"
#include "lib/pair/span.h"
#include "lib/pair/where.h"
#include "lib/stream/relay.h"

/* What to do at a begin if another one with the same key still waits. */
enum mp_pair_policy { MP_PAIR_REPLACE, MP_PAIR_QUEUE, MP_PAIR_NEST };

struct mp_pair_options {
	const struct mp_pair_specs *specs; /* borrowed; steps from 0 */
	unsigned n_steps;
	enum mp_pair_policy policy;
	uint64_t over_ns, under_ns;  /* written if over_ns <= dur < under_ns */
	struct mp_pair_where *where; /* borrowed; NULL: no condition */
	enum mp_span_stack stack;
	/* name of the spans, escaped; if its len is 0, the names are made from the types */
	struct mp_str name;
	unsigned context;	 /* bits, see context.h; 0: spans only */
	uint64_t around_ns;	 /* the context is also what happened that long before and after */
	mp_context_write *write; /* writes spans with their context; NULL: as lines of the stream */
	void *write_arg;
	bool open; /* write begins that have no end, instead of spans */
	/* write them as spans, too, after the others; `name` is given */
	bool all;
	uint64_t max_open;
	uint64_t memory; /* limit of the memory for waiting begins, in bytes */
};

struct mp_pair_counts {
	uint64_t matched;   /* number of events that -b, -e or -s select */
	uint64_t spans;	    /* spans written, all within --over and --under */
	uint64_t ended;	    /* all spans that ended, */
	uint64_t over;	    /* and those of them that last at least over_ns */
	uint64_t open;	    /* begins without end */
	uint64_t oldest_ns; /* age of the oldest begin without end */
	uint64_t unmatched; /* ends without begin */
	uint64_t replaced;  /* begins that another begin replaced */
	uint64_t broken;    /* chains with a step missing */
	uint64_t given_up;  /* begins dropped because of max_open or memory */
	uint64_t forgotten; /* begins dropped because events were lost */
	uint64_t doubtful;  /* spans that ended while events were lost, so may be wrong */
	bool more_doubtful; /* there may be more: spans that ended earlier */
	uint64_t cut;	    /* spans that lack the first events of their context */
	uint64_t bare;	    /* spans without their context, because too many overlap */
	uint64_t too_long;  /* lines over 1 MiB, which were not written */
};

struct mp_pair;

/* Initializes a pairing. Lines go to `relay` (borrowed). */
struct mp_pair *mp_pair_new(const struct mp_pair_options *options, struct mp_relay *relay);
void mp_pair_free(struct mp_pair *p);

/* Handles an event, in order of time. Returns 0, or -1 with `*why`, valid until the next call. */
int mp_pair_event(struct mp_pair *p, const struct mp_rec *rec, const char **why);

/* Whether the lost events may have been begins or ends. */
bool mp_pair_concerns(struct mp_pair *p, const struct mp_ctl *loss);

/* Handles a loss of events that may have been begins or ends. */
void mp_pair_lost(struct mp_pair *p, const struct mp_ctl *loss);

/* Handles a watermark: spans whose context is complete are written. */
void mp_pair_watermark(struct mp_pair *p, uint64_t time_ns);

/*
 * Handles a header. The program ends if it rules out a field that the user named, see
 * field_check.h.
 */
void mp_pair_header(struct mp_pair *p, const struct mp_ctl *header);

/* Ends a section, at `time_ns` or at its last event: begins that still wait stay without end. */
void mp_pair_end_section(struct mp_pair *p, uint64_t time_ns);

/* Makes the `events` of the output's header from those of the input's. New reference. */
json_t *mp_pair_events(struct mp_pair *p, const json_t *events);

const struct mp_pair_counts *mp_pair_counts(struct mp_pair *p);

/*
 * Reports on stderr the fields that the user named and no event had. Returns the status for main.
 */
enum mp_status mp_pair_report(const struct mp_pair *p);

#endif
