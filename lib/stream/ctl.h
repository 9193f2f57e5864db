/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Control lines of mp-stream(5): header, watermark, loss, trailer. Reads and writes them.
 * Includes str, rec and jansson.
 */
#ifndef MP_STREAM_CTL_H
#define MP_STREAM_CTL_H

#include <jansson.h>

#include "lib/stream/rec.h"

enum { MP_STREAM_VERSION = 1 };

enum mp_ctl_what {
	MP_CTL_HEADER,
	MP_CTL_WATERMARK,
	MP_CTL_LOST,
	MP_CTL_END,
	MP_CTL_OTHER, /* valid, but not known to this version: ignored, or passed on */
};

/*
 * A parsed control line. The capital letters below are those of its form in mp-stream(5).
 * mp_ctl_release() frees `json`.
 */
struct mp_ctl {
	enum mp_ctl_what what;
	/* of a header or a trailer: MP_EVENT, MP_POINT or MP_STACK; 0: not known to this version */
	enum mp_kind datatype;
	int version;	  /* header */
	uint64_t time_ns; /* T of a watermark; B of a loss */
	uint64_t from_ns; /* lost: A, 0 if not given */
	int cpu;	  /* lost: C, -1 if not given */
	const char *type; /* lost: TYPE, of `json`; NULL if not given */
	uint64_t lost;	  /* N of a loss; M of a trailer */
	uint64_t records; /* end */
	bool has_anchor;  /* header: it has clock_ns and realtime_ns */
	uint64_t clock_ns, realtime_ns;
	json_t *json;	  /* the complete object; NULL for a watermark */
	const char *sole; /* set by input.h: name of the input if it is the only one, else NULL */
};

/* Parses a control line. Returns 0, or -1 with `*why`. */
int mp_ctl_parse(struct mp_ctl *ctl, struct mp_str line, const char **why);
void mp_ctl_release(struct mp_ctl *ctl);

/* Converts "event", "point" or "stack" to the kind, and back; 0 or NULL for others. */
enum mp_kind mp_datatype_kind(const char *name);
const char *mp_datatype_name(enum mp_kind kind);

/* A string for JSON: bytes that are not UTF-8 become U+FFFD. New reference. */
json_t *mp_ctl_string(struct mp_str bytes);

/*
 * Appends the object as a line with its LF, with its keys in the order in which they were set;
 * takes the reference.
 */
void mp_ctl_add(struct mp_buf *to, json_t *object);

/* A watermark or a loss, with LF. Values of a loss that are not given are omitted. */
void mp_ctl_add_watermark(struct mp_buf *to, uint64_t time_ns);
void mp_ctl_add_lost(struct mp_buf *to, const struct mp_ctl *loss);

/*
 * A header with what every section carries: mp, datatype, interface, start, and the clock's name
 * with the two times read together. More keys are set by the caller. New reference.
 */
json_t *mp_ctl_header(enum mp_kind datatype, const char *interface, const char *clock,
		      uint64_t clock_ns, uint64_t realtime_ns);

/*
 * What an aggregate has of the headers of its input, of which `header` is the next one: the first one,
 * `*origin`, without "host" if another one has another host, or none. `*origin` is NULL at first; the
 * caller owns it.
 */
void mp_ctl_origin(json_t **origin, const struct mp_ctl *header);

/* A trailer; more keys are set by the caller. New reference. */
json_t *mp_ctl_trailer(enum mp_kind datatype, uint64_t records, uint64_t lost);

#endif
