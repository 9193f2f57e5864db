/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Spans as lines of mp-stream(5): what is kept of an event that begins, and the line that it makes
 * together with the event that ends. Includes pairspec, split.
 */
#ifndef MP_PAIR_SPAN_H
#define MP_PAIR_SPAN_H

#include "lib/pair/pairspec.h"
#include "lib/pair/split.h"

enum mp_span_stack { MP_SPAN_STACK_BEGIN, MP_SPAN_STACK_END, MP_SPAN_STACK_NONE };

/* Kept of an event. Zeroed memory is valid and empty; mp_endpoint_release() frees the text. */
struct mp_endpoint {
	uint64_t time_ns;
	uint64_t number;		 /* of its line, see recent.h; 0 where that is not wanted */
	const struct mp_map_entry *type; /* borrowed */
	const struct mp_shape *shape;
	char *text; /* length of each part, then the parts: fields with a TAB behind each */
	uint32_t len, cap;
};

void mp_endpoint_release(struct mp_endpoint *m);

struct mp_spans {
	const struct mp_pair_specs *specs;
	enum mp_span_stack stack;
	bool open; /* for mp_endpoint_put(), not mp_span_put() */
	size_t n_parts;
	struct mp_shapes shapes;
	uint8_t *part_of[MP_SHAPES_MAX];	    /* shape -> part of each field */
	struct mp_span_plan **plans[MP_SHAPES_MAX]; /* begin shape -> end shape -> plan */
	struct mp_span_plan *plan;		    /* for shapes that are not kept */
	struct mp_span_place {			    /* of each take, in the latest shape */
		const struct mp_shape *shape;
		size_t at;
		bool asked, found; /* ever */
	} places[MP_PAIR_TAKES_MAX];
	struct mp_map names; /* types of begin and end -> name of the span */
	const struct mp_map_entry *last_begin, *last_end;
	struct mp_str last_name;
};

/* `specs` are borrowed: they say which fields a span has. `open`: see there. */
void mp_spans_init(struct mp_spans *s, const struct mp_pair_specs *specs, enum mp_span_stack stack,
		   bool open);
void mp_spans_release(struct mp_spans *s);

/* Says on stderr which chosen fields no event had, of those that were asked. */
void mp_spans_report(const struct mp_spans *s);

/* Keeps of an event what a span wants to know of its begin. */
void mp_endpoint_set(struct mp_spans *s, struct mp_endpoint *m, const struct mp_rec *rec,
		     const struct mp_split *split, const struct mp_map_entry *type);

/* "A=>B", at most 255 bytes; valid as long as the spans. */
struct mp_str mp_span_name(struct mp_spans *s, const struct mp_map_entry *begin,
			   const struct mp_map_entry *end);

/*
 * Adds the line of a span, without LF, to `line`: from what was kept of its begin, and the end.
 * `extra` (may be empty) are derived fields to go behind dur, each with a TAB in front.
 * Without `with_stack` the stack is left out.
 */
void mp_span_put(struct mp_spans *s, struct mp_buf *line, struct mp_str name,
		 const struct mp_endpoint *begin, const struct mp_rec *end,
		 const struct mp_split *split, struct mp_str extra, bool with_stack);

/* Adds the line of an event that has no end, with `extra`, which is not empty. */
void mp_endpoint_put(struct mp_spans *s, struct mp_buf *line, const struct mp_endpoint *m,
		     struct mp_str extra, bool with_stack);

#endif
