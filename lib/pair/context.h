/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The events that happened while a span lasted, and shortly before and after it. Keeps recent lines
 * of the input, and each span until the events after it have come. Includes recent, rec.
 */
#ifndef MP_PAIR_CONTEXT_H
#define MP_PAIR_CONTEXT_H

#include "lib/pair/recent.h"
#include "lib/stream/rec.h"

/* Which events: bits, of which one has to hold. */
enum {
	MP_CONTEXT_ALL = 1,
	MP_CONTEXT_SAMECPU = 2, /* the cpu of the begin or of the end */
	MP_CONTEXT_SAMEPID = 4,
	MP_CONTEXT_SAMETID = 8,
};

/* Fields that are compared. */
enum { MP_CONTEXT_CPU, MP_CONTEXT_PID, MP_CONTEXT_TID, MP_CONTEXT_FIELDS };

struct mp_context_span {
	uint64_t number;     /* number of the span, from 1 on */
	uint64_t from;	     /* number of the first line of its context */
	uint64_t begin, end; /* numbers of the lines of its begin and its end */
	uint64_t begin_ns, end_ns;
	struct mp_buf line; /* of the span */
	/* while it is written: values of the begin and of the end; p == NULL: unknown */
	struct mp_str values[2][MP_CONTEXT_FIELDS];
};

/* Writes a span with its context. Lines are valid during the call. */
struct mp_context;
typedef void mp_context_write(void *arg, struct mp_context *c, const struct mp_context_span *s);

struct mp_context {
	unsigned which;	    /* 0: none, nothing is kept */
	uint64_t around_ns; /* before the begin and after the end */
	struct mp_recent recent;
	uint64_t dropped; /* lines before this number were dropped because none needs them */
	mp_context_write *write;
	void *arg;
	struct mp_context_span *spans; /* those that wait, in a ring, in order of their ends */
	size_t first, n, cap;
	size_t bytes, limit; /* of the lines of spans that wait */
	uint64_t keep;	     /* the least `from` of the spans that wait */
	uint64_t cut;	     /* number of spans that lack a part of their context */
	uint64_t reads;	     /* how many lines may be read for spans, so that time is linear */
	uint64_t bare;	     /* number of spans that were written without their context for that */
};

void mp_context_init(struct mp_context *c, unsigned which, uint64_t around_ns, size_t memory,
		     mp_context_write *write, void *arg);
void mp_context_release(struct mp_context *c);

/* Adds an event, before it ends or begins spans. Writes the spans whose context it completes. */
void mp_context_event(struct mp_context *c, const struct mp_rec *rec);

/* Number of the line of the latest event. */
static inline uint64_t mp_context_latest(const struct mp_context *c)
{
	return c->recent.next - 1;
}

/*
 * Adds a span that the latest event ends. `begin` is the number of the line of its begin. It is
 * written at once if nothing that follows belongs to its context.
 */
void mp_context_span(struct mp_context *c, uint64_t number, uint64_t begin, uint64_t begin_ns,
		     uint64_t end_ns, struct mp_str line);

/* Writes the spans whose context is complete if all further events are at `time_ns` or later. */
void mp_context_until(struct mp_context *c, uint64_t time_ns);

/*
 * Drops the lines that nothing needs any longer. `begin` is the number of the oldest begin that may
 * still end, and `begin_ns` its time; without one, those of the next line and of the latest event.
 */
void mp_context_drop(struct mp_context *c, uint64_t begin, uint64_t begin_ns);

/* Ends a section: writes the spans that wait, and forgets all lines. */
void mp_context_end(struct mp_context *c);

/*
 * For a function that writes a span: finds the next line of a span's context, from number `*i` on,
 * and sets `*i` to its number. With `every`, also those that `which` does not select. False: there
 * are no more.
 */
bool mp_context_next(const struct mp_context *c, const struct mp_context_span *s, uint64_t *i,
		     bool every, struct mp_str *line);

/* Whether `which` selects a line that mp_context_next() found. */
bool mp_context_selects(const struct mp_context *c, const struct mp_context_span *s,
			struct mp_str line);

/* The time of a line of an event. */
uint64_t mp_context_time(struct mp_str line);

#endif
