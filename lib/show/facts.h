/* SPDX-License-Identifier: GPL-2.0-only */
/* What is in a recording: sections, types of events, times, losses. Includes map, input. */
#ifndef MP_SHOW_FACTS_H
#define MP_SHOW_FACTS_H

#include "lib/core/map.h"
#include "lib/stream/input.h"

/* Of a type of events. */
struct mp_type_facts {
	uint64_t n;
	uint64_t spans;	 /* of them with dur= */
	uint64_t stacks; /* of them with stack= */
	uint64_t values; /* of them with .value= or .bytes=, as counters and polled values have */
};

struct mp_facts {
	struct mp_map types;	  /* of events, to struct mp_type_facts */
	struct mp_map collectors; /* those that the headers name */
	struct mp_map sections;	  /* "event by mp-record on web7", to how many */
	uint64_t events, points, stacks;
	uint64_t spans, with_stack, values; /* of the events */
	uint64_t first_ns, last_ns;
	uint64_t realtime_ns; /* of the first event; 0: unknown */
	uint64_t lost;
	json_t *header;	    /* the first one, or NULL */
	uint64_t length_ns; /* from that header to the last trailer, or of the events; 0: unknown */
	uint64_t trailers, commands; /* commands: trailers of commands that ended by themselves */
};

void mp_facts_init(struct mp_facts *f);
void mp_facts_release(struct mp_facts *f);

/* Reads the files, as mp_input_init() does. Returns the status for main. */
enum mp_status mp_facts_read(struct mp_facts *f, char **operands);

/* How many runs of a command were recorded, each from its beginning to its end; 0: there is other. */
uint64_t mp_facts_runs(const struct mp_facts *f);

/* Adds lines for a terminal. */
void mp_facts_print(struct mp_buf *to, const struct mp_facts *f, const char *title);

#endif
