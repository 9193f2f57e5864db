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
	 * Changes a header of events on its way: `interface`, `events`, `units`. NULL: it stays as
	 * it is.
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
 * Passes a control line on. A filter that has something to say before a section ends or another
 * begins writes it before it calls this.
 */
void mp_relay_control(struct mp_relay *r, const struct mp_rec *rec, const struct mp_ctl *ctl);

/*
 * Passes on a loss of events of which the filter makes events of other types: those of any type may be
 * missing then.
 */
void mp_relay_loss(struct mp_relay *r, const struct mp_ctl *ctl);

/* A data line of the output, without its LF. */
static inline void mp_relay_line(struct mp_relay *r, struct mp_str line)
{
	mp_out_write(r->out, line.p, line.len);
	mp_out_write(r->out, "\n", 1);
	r->records++;
}

/* A line of another datatype, on its way through. */
static inline void mp_relay_pass(struct mp_relay *r, struct mp_str line)
{
	mp_out_write(r->out, line.p, line.len);
	mp_out_write(r->out, "\n", 1);
}

/*
 * For `change`: the header becomes one of `interface` (the program), whose events are those of
 * `events` (taken; NULL: as they were), and what the interface before said of itself moves into
 * `sections`.
 */
void mp_relay_rename(json_t *header, const char *interface, json_t *events);

#endif
