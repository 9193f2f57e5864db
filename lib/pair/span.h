/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes spans as lines of mp-stream(5): keeps what a span needs of its begin event, and makes the
 * line from that and the end event. Includes pairspec, split.
 */
#ifndef MP_PAIR_SPAN_H
#define MP_PAIR_SPAN_H

#include "lib/pair/pairspec.h"
#include "lib/pair/split.h"

enum mp_span_stack { MP_SPAN_STACK_BEGIN, MP_SPAN_STACK_END, MP_SPAN_STACK_NONE };

/*
 * What is kept of an event. Zeroed memory is valid and empty; mp_endpoint_release() frees the text.
 */
struct mp_endpoint {
	uint64_t time_ns;
	uint64_t number;		 /* number of its line, see recent.h; 0 without --context */
	const struct mp_map_entry *type; /* borrowed */
	const struct mp_shape *shape;
	/* offsets of the ends of the parts, then the parts: fields, each followed by a TAB */
	char *text;
	uint32_t len, cap;
};

void mp_endpoint_release(struct mp_endpoint *m);

struct mp_spans {
	const struct mp_pair_specs *specs;
	enum mp_span_stack stack;
	bool open; /* begins without end are written, with mp_endpoint_put() */
	bool all;  /* they are written besides the spans; the caller adds "ended" to both */
	size_t n_parts;
	struct mp_shapes shapes;
	uint8_t *part_of[MP_SHAPES_MAX]; /* shape -> part of each field */
	/* plans by shape: [shape of the begin][shape of the end] */
	struct mp_span_plan **plans[MP_SHAPES_MAX];
	struct mp_span_plan *plan; /* the plan for events without a shape */
	/* the place of each field of specs->takes */
	struct mp_split_place takes[MP_PAIR_TAKES_MAX];
	struct mp_map names; /* types of begin and end -> name of the span */
	const struct mp_map_entry *last_begin, *last_end;
	struct mp_str last_name;
};

/* `specs` are borrowed: they define the fields of a span. `open`: see struct mp_spans. */
void mp_spans_init(struct mp_spans *s, const struct mp_pair_specs *specs, enum mp_span_stack stack,
		   bool open);
void mp_spans_release(struct mp_spans *s);

/* Keeps what a span needs of its begin event. */
void mp_endpoint_set(struct mp_spans *s, struct mp_endpoint *m, const struct mp_rec *rec,
		     const struct mp_split *split, const struct mp_map_entry *type);

/* Keeps a text with an event, after mp_endpoint_set(), and returns it; empty if there is none. */
void mp_endpoint_add(struct mp_endpoint *m, struct mp_str text);
struct mp_str mp_endpoint_added(const struct mp_spans *s, const struct mp_endpoint *m);

/* The type of a span, see span_name.h; valid as long as the spans. */
struct mp_str mp_span_name(struct mp_spans *s, const struct mp_map_entry *begin,
			   const struct mp_map_entry *end);

/*
 * Adds the line of a span, without LF, to `line`. `extra` (may be empty) are derived fields to
 * follow dur, each preceded by a TAB. The line has a stack only if `with_stack` is true.
 */
void mp_span_put(struct mp_spans *s, struct mp_buf *line, struct mp_str name,
		 const struct mp_endpoint *begin, const struct mp_rec *end,
		 const struct mp_split *split, struct mp_str extra, bool with_stack);

/*
 * Adds the line of an event that has no end, at a time, as an event of a type, with `extra`, which
 * is not empty.
 */
void mp_endpoint_put(struct mp_spans *s, struct mp_buf *line, const struct mp_endpoint *m,
		     uint64_t time_ns, struct mp_str type, struct mp_str extra, bool with_stack);

#endif
