/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The control lines of a filter that reads events and writes events. Each section of the input
 * becomes a section of the output: its header with the changes of this filter; watermarks, losses
 * and unknown lines unchanged; its trailer with the records that were written. Includes input.
 */
#ifndef MP_STREAM_RELAY_H
#define MP_STREAM_RELAY_H

#include "lib/stream/input.h"

struct mp_relay {
	struct mp_out *out; /* borrowed */
	/*
	 * Changes a header of events before it is written: `interface`, `events`, `units`. NULL:
	 * no change.
	 */
	void (*change)(void *arg, json_t *header);
	void *arg;
	uint64_t records; /* data lines of this section; mp_relay_line() counts them */
	struct mp_buf buf;
};

void mp_relay_init(struct mp_relay *r, struct mp_out *out,
		   void (*change)(void *arg, json_t *header), void *arg);
void mp_relay_release(struct mp_relay *r);

/*
 * Passes a control line on. A filter that has lines to write before a section ends or another
 * begins writes them before it calls this.
 */
void mp_relay_control(struct mp_relay *r, const struct mp_rec *rec, const struct mp_ctl *ctl);

/*
 * Passes on a loss, for a filter that makes events of other types from its input: since lost events
 * of one type may be missing as any of them, the loss is written without a type.
 */
void mp_relay_loss(struct mp_relay *r, const struct mp_ctl *ctl);

/* A data line of the output, without its LF. */
static inline void mp_relay_line(struct mp_relay *r, struct mp_str line)
{
	mp_out_write(r->out, line.p, line.len);
	mp_out_write(r->out, "\n", 1);
	r->records++;
}

/* Passes on a line of a datatype that the filter does not change. */
static inline void mp_relay_pass(struct mp_relay *r, struct mp_str line)
{
	mp_out_write(r->out, line.p, line.len);
	mp_out_write(r->out, "\n", 1);
}

/*
 * For `change`: sets `interface` to the name of the program and `events` to those given (takes the
 * reference; NULL: unchanged), and moves the members about the previous interface into `sections`.
 */
void mp_relay_rename(json_t *header, const char *interface, json_t *events);

#endif
