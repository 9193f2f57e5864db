/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes CPEL, the event log format of VPP's G2 viewer (https://fd.io: src/tools/g2, perftool):
 *
 *	header      u8 1, u8 0, u16 sections, u32 date in s since 1970
 *	section     u32 type, u32 length, data; of these types, in this order
 *	1 strings   texts with NUL; the first is the name of the table; padded to 8 bytes
 *	3 events    name of the string table in 64 bytes, u32 count,
 *		    count * { u32 code, u32 name, u32 datum format }
 *	4 tracks    name, u32 count, count * { u32 id, u32 label }
 *	5 log       name, u32 count, u32 ticks per second,
 *		    count * { u64 time, u32 track, u32 code, u32 datum }
 *
 * All big-endian; texts are offsets into the table. Counts come before data, so events and texts
 * wait in a struct mp_spill. Readers take lengths as int: no section is above 2 GiB.
 * Includes begins, intmap, io, spill.
 */
#ifndef MP_CPEL_CPEL_H
#define MP_CPEL_CPEL_H

#include "lib/core/intmap.h"
#include "lib/core/io.h"
#include "lib/core/spill.h"
#include "lib/cpel/begins.h"

/* A definition to be written: an event's code and name, or a track's id and label. */
struct mp_cpel_def {
	uint32_t id;   /* the id, from 1 on */
	uint32_t text; /* offset from mp_cpel_text() */
};

/* How the numbers that mp_cpel_event() got are written to the file. */
struct mp_cpel_result {
	const struct mp_cpel_def *events, *tracks; /* definitions in the order of their ids */
	size_t n_events, n_tracks;
	const uint32_t *code;  /* number of a type -> code; 0: events of this type are omitted */
	const uint32_t *track; /* number of a track -> id */
	const uint32_t *datum; /* number of a track -> the text for MP_CPEL_OF_TRACK */
	uint64_t omitted;      /* number of omitted events */
	uint32_t date_s;
};

enum { MP_CPEL_OF_TRACK = UINT32_MAX };

struct mp_cpel {
	struct mp_spill log, texts;
	struct mp_cpel_begins begins;
	/* hash of a text -> another 32 bits of its hash, and its offset + 1 */
	struct mp_intmap places;
	struct mp_buf text; /* of a place */
	uint64_t n_logged;  /* events in the log, without the begins */
	uint64_t first_ns;
};

void mp_cpel_init(struct mp_cpel *c);
void mp_cpel_release(struct mp_cpel *c);

/*
 * Returns the offset of a text (without NUL) in the table of strings, which has each text once. A
 * table above 2 GiB ends the program.
 */
uint32_t mp_cpel_text(struct mp_cpel *c, struct mp_str text);

/*
 * Adds an event, not earlier than the previous one. The caller numbers tracks and types; `datum` is
 * a text, or MP_CPEL_OF_TRACK. More events than a section holds end the program.
 */
void mp_cpel_event(struct mp_cpel *c, uint64_t time_ns, uint32_t track, uint32_t type,
		   uint32_t datum);

/* Adds an event at any time up to that of the next mp_cpel_event(), which it belongs to. */
void mp_cpel_begin(struct mp_cpel *c, uint64_t time_ns, uint32_t track, uint32_t type,
		   uint32_t datum);

/* Writes the file. To be called once, at the end; there must have been an event. */
void mp_cpel_write(struct mp_cpel *c, const struct mp_cpel_result *r, struct mp_out *out);

/*
 * Stream text (escaped) as ASCII: other bytes become \xHH. With `percent` set, "%" becomes "%%", as
 * labels of tracks and names of events are formats of printf(3). At most `max` bytes as shown are
 * added, whole characters.
 */
void mp_cpel_ascii(struct mp_buf *to, struct mp_str text, size_t max, bool percent);

#endif
