/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Puts the lines of several sources in order of time: holds them until the caller says that nothing
 * earlier will come. Memory is bounded: what exceeds it goes to a temporary file in sorted runs
 * (see run.h). Equal times keep the order of the sources, then that of the lines: a stable sort.
 * Includes io, run.
 */
#ifndef MP_ORDER_ORDER_H
#define MP_ORDER_ORDER_H

#include "lib/core/io.h"
#include "lib/order/run.h"
#include "lib/order/store.h"

enum { MP_ORDER_FAN = 64 }; /* runs merged at once */

/* A line that waits. */
struct mp_pending {
	uint64_t time_ns;
	mp_line_ref line;
};

struct mp_order_source {
	struct mp_pending *lines;
	size_t first, n, cap; /* lines[first..n) wait */
	bool unsorted;
};

/* Writes a line (with LF) of a source to the output. */
typedef void mp_order_emit_fn(void *arg, size_t source, uint64_t time_ns, struct mp_str line);

struct mp_order {
	struct mp_store store;
	struct mp_order_source *sources;
	size_t n_sources, cap_sources;
	struct mp_run *runs[MP_ORDER_FAN];
	size_t n_runs;
	uint64_t released_ns; /* all lines below this time were written */
	size_t waiting;	      /* number of lines that wait */
	size_t limit;	      /* bytes of memory for waiting lines */
	bool packing;	      /* lines wait for a long time and are therefore packed, see store.h */
	mp_order_emit_fn *emit;
	void *arg;
	struct mp_pending *scratch; /* memory for sorting */
	size_t cap_scratch;
	uint64_t spilled; /* bytes written to temporary files */
};

/* `emit` gets the lines in order. `limit`: bytes of memory for waiting lines. */
void mp_order_init(struct mp_order *o, size_t n_sources, size_t limit, mp_order_emit_fn *emit,
		   void *arg);
void mp_order_release(struct mp_order *o);

/* Adds a source, after the others. Returns its index. */
size_t mp_order_more(struct mp_order *o);

/*
 * Adds a line (with LF) of a block of the store. Returns false if a later line was already written:
 * then this one was written immediately, out of order.
 */
bool mp_order_add(struct mp_order *o, size_t source, uint64_t time_ns, uint32_t block,
		  size_t offset, size_t len);

/* Writes all lines below `bound_ns`, or all lines if it is UINT64_MAX. */
void mp_order_flush(struct mp_order *o, uint64_t bound_ns);

/* The memory that waiting lines take, in bytes. */
size_t mp_order_bytes(const struct mp_order *o);

/* Moves all waiting lines to a temporary file in $TMPDIR. */
void mp_order_spill(struct mp_order *o);

#endif
