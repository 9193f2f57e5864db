/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbolizes the stacks of aggregates as soon as they are received, while their processes exist,
 * and makes lines of them. Includes format, intmap, ledger, map, taskname.
 */
#ifndef MP_CAPTURE_AGGREGATE_SYMBOLIZE_H
#define MP_CAPTURE_AGGREGATE_SYMBOLIZE_H

#include "bpf/aggregate.h"
#include "lib/capture/aggregate/ledger.h"
#include "lib/capture/format/format.h"
#include "lib/core/intmap.h"
#include "lib/core/map.h"
#include "lib/stream/taskname.h"

/* What is needed to symbolize stacks. */
struct mp_agg_symbols {
	struct mp_formatter *formatter; /* keeps the copies of stacks, and walks them */
	struct mp_tasks *tasks;
	struct mp_tasknames *names; /* names from the user's table; NULL: tasks keep theirs */
};

/* Writes a line. */
typedef void mp_agg_put_fn(void *arg, struct mp_str line);

/* maximum number of frames of a copied stack; BPF walks at most 127 */
enum { MP_AGG_TEXT_USER = 1024 };

/* What is kept of a stack. */
struct mp_agg_text_known {
	uint32_t text; /* number of its text */
	uint8_t end;   /* enum mp_unwind_end */
};

struct mp_agg_texts {
	struct mp_intmap known; /* id of a stack -> its text, and how the walk ended */
	/* each distinct text once, since stacks of many processes are equal */
	struct mp_map texts;
	struct mp_map_entry **by_number; /* entries of `texts` by number */
	size_t n_texts, cap_texts;
	size_t n_restored;	      /* those that another writer has made */
	struct mp_agg_ledger *ledger; /* borrowed; keeps what is known, for another writer */
	struct mp_buf buf, raw;
	uint64_t ips[MP_AGG_KERNEL + MP_AGG_TEXT_USER + 4];
};

void mp_agg_texts_init(struct mp_agg_texts *t, struct mp_agg_ledger *ledger);
void mp_agg_texts_release(struct mp_agg_texts *t);

/* Gets what another writer has left in the ledger. Appends the control lines of modules. */
void mp_agg_texts_restore(struct mp_agg_texts *t, struct mp_buf *modules);

/*
 * Symbolizes a stack that a program has sent and the caller has checked, unless another writer did.
 * If `max_frames` is 0, it gets all frames.
 */
void mp_agg_texts_put(struct mp_agg_texts *t, const struct mp_agg_stack *stack,
		      struct mp_process *process, const struct mp_agg_symbols *symbols,
		      unsigned max_frames);

/* Finds a stack. Returns false if it has not been received. */
bool mp_agg_texts_find(const struct mp_agg_texts *t, uint64_t id, struct mp_agg_text_known *known);

/* Stands for the text of a stack that has not been received. */
#define MP_AGG_TEXT_UNKNOWN UINT32_MAX

/* Identifies the line to which a total belongs. */
struct mp_agg_line_key {
	uint32_t aggregate, text;
	uint32_t other; /* if `held`, an enum mp_cut_age; else the waker's text + 1, 0: no waker */
	bool held;	/* the line is of memory that is still allocated */
};

/* Lines of a section: stack -> weight. */
struct mp_agg_lines {
	struct mp_map map;
	struct mp_buf buf;
	uint64_t added; /* occurrences that were added */
};

void mp_agg_lines_init(struct mp_agg_lines *l);
void mp_agg_lines_release(struct mp_agg_lines *l);

/* Adds a total to the line of its stack, which is "[unknown]" if it was not received. */
void mp_agg_lines_add(struct mp_agg_lines *l, const struct mp_agg_texts *t,
		      const struct mp_agg_line_key *key, const struct mp_agg_total *total);

/* Writes the lines, sorted by stack. */
void mp_agg_lines_write(struct mp_agg_lines *l, mp_agg_put_fn *put, void *arg);

#endif
