/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Matches events that begin with events that end, by a key, and writes spans. What waits for its end
 * is bounded; nothing that does not come out even goes uncounted. Includes relay, span.
 */
#ifndef MP_PAIR_PAIR_H
#define MP_PAIR_PAIR_H

#include "lib/stream/relay.h"
#include "lib/pair/span.h"

/* When a second event begins with the key of one that waits. */
enum mp_pair_policy { MP_PAIR_REPLACE, MP_PAIR_QUEUE, MP_PAIR_NEST };

enum mp_pair_context {
	MP_PAIR_NO_CONTEXT,
	MP_PAIR_ALL,
	MP_PAIR_SAMECPU,
	MP_PAIR_SAMEPID,
	MP_PAIR_SAMETID,
};

struct mp_pair_options {
	const struct mp_pair_specs *specs; /* borrowed; steps from 0 */
	unsigned n_steps;
	enum mp_pair_policy policy;
	uint64_t over_ns, under_ns; /* over <= dur < under */
	enum mp_span_stack stack;
	struct mp_str name; /* escaped; len 0: by the types */
	enum mp_pair_context context;
	bool open; /* write what has no end */
	uint64_t max_open;
	uint64_t memory; /* bytes */
};

struct mp_pair_counts {
	uint64_t matched;   /* by -b, -e or -s */
	uint64_t spans;	    /* that lasted as long as asked for */
	uint64_t open;	    /* begins without end */
	uint64_t oldest_ns; /* greatest age of them */
	uint64_t unmatched; /* ends without begin */
	uint64_t replaced;  /* begins that another replaced */
	uint64_t broken;    /* chains with a step missing */
	uint64_t given_up;  /* for max_open or memory */
	uint64_t forgotten; /* since events were lost */
	uint64_t doubtful;  /* spans that ended while events were being lost */
	bool more_doubtful; /* and some that ended longer ago */
	uint64_t cut;	    /* spans whose context was not held to its beginning */
	uint64_t too_long;  /* lines above 1 MiB */
};

struct mp_pair;

/* Lines go to `relay` (borrowed). */
struct mp_pair *mp_pair_new(const struct mp_pair_options *options, struct mp_relay *relay);
void mp_pair_free(struct mp_pair *p);

/* An event, in order of time. 0, or -1 with `*why`, valid until the next call. */
int mp_pair_event(struct mp_pair *p, const struct mp_rec *rec, const char **why);

/* Events were lost (see mp-stream(5)); `from_ns` 0 and `cpu` -1: not known. */
void mp_pair_lost(struct mp_pair *p, uint64_t from_ns, uint64_t time_ns, int cpu);

/* A section ends, at `time_ns` or at its last event: what is open has no end. */
void mp_pair_settle(struct mp_pair *p, uint64_t time_ns);

/* The `events` of the header, from those of the input. New reference. */
json_t *mp_pair_events(struct mp_pair *p, const json_t *events);

const struct mp_pair_counts *mp_pair_counts(const struct mp_pair *p);

/* Says on stderr which chosen fields no event had. */
void mp_pair_report(const struct mp_pair *p);

#endif
