/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Weights of call stacks: adds them up by stack and writes the sums as mp-folded(5) or as stacks of
 * mp-stream(5). Memory grows with distinct stacks. Every transformation works on the distinct
 * stacks when they are visited or written, so adding is a hash, a lookup and a sum. Includes rec,
 * esc, glob, map, io, lines.
 */
#ifndef MP_FOLD_FOLD_H
#define MP_FOLD_FOLD_H

#include "lib/core/io.h"
#include "lib/core/map.h"
#include "lib/fold/lines.h"
#include "lib/stream/esc.h"
#include "lib/stream/glob.h"
#include "lib/stream/rec.h"

/* Scratch of a fold: the frames of one stack. */
struct mp_fold_frames {
	struct mp_frame *v;
	size_t n, cap;
	struct mp_buf raw; /* their names; reserved before the first frame is added */
	bool bad;	   /* a frame has a bad escape */
	bool excluded;	   /* the style excludes the stack */
};

struct mp_fold {
	/* fields of an event that become frames before those of its stack; borrowed */
	const struct mp_fields *by;
	struct mp_map events; /* key: values and frames, as they are in the line */
	struct mp_map stacks; /* key: the frames of stack lines and of folded text */
	struct mp_str *parts; /* scratch for by->n + 1 parts of a key */
	struct mp_fold_frames frames;
	struct mp_buf key;
	bool overflow; /* a weight exceeded 64 bits and stays at the limit */
	/* how many stacks were visited, and how many were not because of focus, ignore, show_from */
	uint64_t visited, excluded;
};

/* Globs for names of frames. */
struct mp_fold_globs {
	struct mp_glob *v;
	size_t n, cap;
};

/* How stacks are visited and written. Zeroed: folded text, all frames, no marks, by bytes. */
struct mp_fold_style {
	bool stream;   /* stack lines of mp-stream(5), with marks */
	bool annotate; /* folded text with marks */
	/* only stacks with a frame that one of these matches; empty: all stacks */
	struct mp_fold_globs focus;
	/* only stacks without a frame that one of these matches */
	struct mp_fold_globs ignore;
	/* only stacks with such a frame, from the first one on; empty: all stacks, whole */
	struct mp_fold_globs show_from;
	bool kernel_only, user_only;
	bool lines; /* frames keep their places, see mp-stream(5) */
	bool files; /* mp_frame.place is the escaped name of the file with its code, or "" */
	bool merge_unknown;   /* unknown frames of a file are one frame, without the address */
	bool common_names;    /* frames of stacks as mp_fold_common_name() has them */
	bool merge_recursive; /* equal neighbours become one frame */
	bool reverse;	      /* leaf first */
	bool by_weight;	      /* heaviest first */
	uint64_t depth;	      /* at most this many frames after the fields; 0: all */
	uint64_t min;	      /* lines below this weight are omitted... */
	double min_share;     /* ...or below this share of all weight, 0 to 1 */
	/* a frame before all others, raw; p == NULL: none. Its name matters only when it is written */
	struct mp_str first;
};

void mp_fold_init(struct mp_fold *f, const struct mp_fields *by);
void mp_fold_release(struct mp_fold *f);
void mp_fold_clear(struct mp_fold *f);

/*
 * Adds an event with its fields, or a stack or folded text as it is. A missing field becomes the
 * frame "[no NAME]"; an event without a stack has only the frames of its fields. Returns 0, or -1
 * with `*why`: a bad escape.
 */
int mp_fold_add(struct mp_fold *f, const struct mp_rec *rec, int64_t weight, const char **why);

/*
 * The same in two steps, for an event with these frames instead of its own stack: mp_fold_values()
 * appends the values of its fields, joined by TABs; returns 0, or -1 with `*why`: a bad escape.
 */
int mp_fold_values(struct mp_fold *f, const struct mp_rec *rec, struct mp_buf *to,
		   const char **why);
void mp_fold_add_values(struct mp_fold *f, struct mp_str values, struct mp_str frames,
			int64_t weight);

/* Adds a glob, which stays the caller's. */
void mp_fold_globs_add(struct mp_fold_globs *globs, const char *glob);

/*
 * Gets a stack with its weight; the frames are valid until it returns. They come as the style says
 * (show_from, kernel_only, user_only, merge_recursive, reverse, depth), after the fields of an
 * event, which the style does not concern. There is at least one frame, unless the style has a
 * first one, which is not among these.
 */
typedef void mp_fold_visit(void *arg, const struct mp_frame *frames, size_t n, int64_t weight);

/*
 * Calls `visit` for each distinct stack that the style does not exclude. After the style has removed frames, several of them may
 * have the same frames, and weights may be 0.
 */
void mp_fold_each(struct mp_fold *f, const struct mp_fold_style *style, mp_fold_visit *visit,
		  void *arg);

/*
 * Does this at once for a record, instead of adding it: for a caller that keeps stacks itself, and
 * less of them than their texts, or the times of events, whose weight is 1. Returns 0, or -1 with
 * `*why`.
 */
int mp_fold_pass(struct mp_fold *f, const struct mp_fold_style *style, const struct mp_rec *rec,
		 mp_fold_visit *visit, void *arg, const char **why);

/* After the last visit: reports that the style excluded all stacks, if it did. */
void mp_fold_report(const struct mp_fold *f);

/* The result of a call to write all stacks. */
struct mp_fold_result {
	uint64_t lines;
	uint64_t below_min; /* number of stacks omitted */
};

/*
 * Moves all stacks, as the style writes them, to `lines`, a bounded memory. The caller does it when
 * mp_fold_lines_is_full() says so for the mp_fold_bytes() that the stacks take.
 */
void mp_fold_pour(struct mp_fold *f, const struct mp_fold_style *style,
		  struct mp_fold_lines *lines);
size_t mp_fold_bytes(const struct mp_fold *f);

/* Writes all stacks, those in `lines` as well, whose weight is not 0; both are empty afterwards. */
struct mp_fold_result mp_fold_write(struct mp_fold *f, const struct mp_fold_style *style,
				    struct mp_fold_lines *lines, struct mp_out *out);

#endif
