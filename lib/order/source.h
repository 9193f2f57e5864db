/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An input of mp-order: reads lines into blocks of struct mp_order, with their times on one clock.
 * A pipe is one source; a regular file is one for each of its event sections, so that files put
 * together with cat(1) are merged like files given one by one. Includes order, ctl, file, intake.
 */
#ifndef MP_ORDER_SOURCE_H
#define MP_ORDER_SOURCE_H

#include <sys/types.h>

#include "lib/order/file.h"
#include "lib/order/intake.h"
#include "lib/order/order.h"
#include "lib/stream/ctl.h"

enum { MP_SOURCE_BUFFERS = 4 };

struct mp_source {
	const char *name;	    /* name of the input, for messages */
	struct mp_order_file *file; /* regular file, which its sections share; NULL: it is live */
	off_t start;		    /* regular file: where this section begins */
	bool at_end;

	uint64_t watermark_ns; /* latest watermark on the common clock; 0: none yet */
	uint64_t high_ns;      /* the latest time so far */
	uint64_t shift_ns;     /* added (wraps) to times of the input to get the common clock */
	bool anchored;	       /* shift_ns is known, or not needed */
	size_t lane;	       /* of the current section: in the lanes of struct mp_sources */

	uint64_t events;
	uint64_t too_early; /* events earlier than the watermark before them */
	uint64_t misplaced; /* events that came after a later one was written */
	uint64_t bad;	    /* lines skipped */
	uint64_t line;	    /* number of the current line, in the section... */
	uint64_t line_base; /* ...and of lines before the section; UINT64_MAX: not counted yet */
	bool empty;
	/* the rest of the input is not read: it has a newer version, or is binary */
	bool refused;
	unsigned open;	     /* datatypes (enum mp_kind) whose latest section has no trailer yet */
	unsigned ended_open; /* datatypes of sections that began in an earlier source, and ended */

	/* state of the reading */
	struct mp_intake intake;
	/* one buffer, or all of them if it reads ahead */
	struct mp_intake_buffer buffers[MP_SOURCE_BUFFERS];
	bool has_block; /* whether buffers[0] has a block */
};

/*
 * The lines of a source whose header has one host and one difference of the clocks: a source of struct
 * mp_order.
 */
struct mp_lane {
	const char *host; /* of the header, which owns it; NULL: it has none */
	uint64_t shift_ns;
};

/* All sources, and the contents of their control lines. */
struct mp_sources {
	struct mp_source *v;
	size_t n, cap;
	struct mp_lane *lanes; /* the first n are those in which the sources begin */
	size_t cap_lanes;
	struct mp_order *order;
	struct mp_order_files files;
	bool realtime;	 /* the common clock is CLOCK_REALTIME */
	bool many_hosts; /* host= distinguishes the events */
	size_t block_size;
	json_t *headers;  /* array: event headers, in the order in which they were read */
	json_t *trailers; /* array: event trailers, their time on the common clock */
	/* number of truncated sections: of all, and of those of events */
	uint64_t truncated, truncated_events;
	uint64_t lost;	     /* events lost according to the trailers... */
	uint64_t lost_lines; /* ...and according to the loss lines */
	uint64_t lost_other; /* losses in sections of points and stacks, which are not merged */
};

/* Opens the operands (at least one). Ends the program if one cannot be opened. */
void mp_sources_open(struct mp_sources *s, char **operands, bool realtime);
void mp_sources_release(struct mp_sources *s);

/* Reads a source once, and adds its complete lines to the order. Sets at_end. */
void mp_source_read(struct mp_sources *s, struct mp_source *src);

/*
 * Whether the watermarks of a source can be trusted. A file whose lines were shuffled has them,
 * too: if more than one event in 100 is earlier than they promise, the source counts as having
 * none.
 */
bool mp_source_is_trusted(const struct mp_source *src);

/* After the last read: reports and counts the sections that are open at the end of their input. */
void mp_sources_end(struct mp_sources *s);

/*
 * Changes a line for the output (time shifted, host added). Returns false if no change is
 * necessary.
 */
bool mp_source_rewrite(const struct mp_sources *s, size_t lane, uint64_t time_ns,
		       struct mp_str line, struct mp_buf *to);

#endif
