/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The packets of a trace for Perfetto, written one after the other, and what they refer to by
 * number: names and call stacks. Includes export, and the schema.
 */
#ifndef MP_EXPORT_TRACE_H
#define MP_EXPORT_TRACE_H

#include "lib/core/map.h"
#include "lib/export/export.h"
#include "lib/export/perfetto.pb-c.h"

/*
 * A sequence of packets: names and call stacks have numbers of their own in it. Track events are
 * one, the samples of each type of event are another.
 */
struct mp_export_sequence {
	uint32_t id; /* from 1; 0: not begun */
	char text[16];
};

struct mp_export_trace {
	struct mp_out *out;   /* borrowed */
	struct mp_fold *fold; /* parses stacks; borrowed */
	uint32_t clock;	      /* enum BuiltinClock of Perfetto */
	uint32_t sequences;   /* begun so far */

	/* private */
	struct mp_buf packed, text, decoded;
	struct mp_map names, keys; /* of events and of their fields -> number */
	struct mp_map functions, mappings, frames, stacks;
	struct mp_export_sequence *sequence; /* of the stack that is being added */
	uint64_t *ids, stack;
	size_t cap;
};

void mp_export_trace_init(struct mp_export_trace *t, struct mp_export *ex);
void mp_export_trace_release(struct mp_export_trace *t);

/* A packet of a sequence, or, if that is NULL, of none. */
Perfetto__TracePacket mp_export_packet(const struct mp_export_trace *t,
				       const struct mp_export_sequence *sequence);
void mp_export_trace_write(struct mp_export_trace *t, Perfetto__TracePacket *packet);

/* Begins a sequence, of samples of the event `samples`, escaped, or, if p == NULL, of others. */
void mp_export_sequence_begin(struct mp_export_trace *t, struct mp_export_sequence *sequence,
			      struct mp_str samples);

/*
 * A text of a packet: text of the stream, whose escapes are decoded and which becomes UTF-8.
 * mp_export_texts_begin() makes room for the texts of a packet, of `len` bytes together; they are
 * valid until the next call.
 */
void mp_export_texts_begin(struct mp_export_trace *t, size_t len);
ProtobufCBinaryData mp_export_text(struct mp_export_trace *t, struct mp_str escaped);

/* The number of the name of an event, escaped, and of a field, in the sequence. */
uint64_t mp_export_name(struct mp_export_trace *t, const struct mp_export_sequence *sequence,
			struct mp_str name);
uint64_t mp_export_key(struct mp_export_trace *t, const struct mp_export_sequence *sequence,
		       struct mp_str key);

/*
 * The number of the stack of an event in the sequence; 0: it has no frames. Returns 0, or -1 with
 * `*why`.
 */
int mp_export_stack(struct mp_export_trace *t, struct mp_export_sequence *sequence,
		    const struct mp_rec *rec, struct mp_str stack, uint64_t *id, const char **why);

#endif
