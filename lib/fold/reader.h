/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What programs read that fold stacks: events, chosen, keyed and weighed by the options that they
 * share, stacks and folded text. A program puts the rows below into its table of options, hands
 * each option to mp_fold_reader_option(), and then:
 *
 *	mp_fold_reader_begin(&r);
 *	while (mp_input_next(&in, &rec))
 *		if (rec.kind == MP_CONTROL)
 *			mp_fold_reader_control(&r, &in.ctl);
 *		else if ((taken = mp_fold_reader_take(&r, &rec, &weight, &why)) < 0 ||
 *			 (taken && mp_fold_add(&r.fold, &rec, weight, &why) < 0))
 *			mp_input_bad(&in, why);
 *
 * Includes fold, choice.
 */
#ifndef MP_FOLD_READER_H
#define MP_FOLD_READER_H

#include "lib/fold/fold.h"
#include "lib/stream/choice.h"

enum {
	MP_FOLD_KERNEL = MP_OPT_LONG + 64,
	MP_FOLD_USER,
	MP_FOLD_DEPTH,
	MP_FOLD_MERGE_RECURSIVE,
	MP_FOLD_NO_COMM,
	MP_FOLD_REVERSE,
	MP_FOLD_FOCUS,
	MP_FOLD_IGNORE,
	MP_FOLD_SHOW_FROM,
	MP_FOLD_UNKNOWN,
	MP_FOLD_SAMPLES,
	MP_FOLD_EXACT,
};

/* Rows for a table of options. */
#define MP_FOLD_READER_EVENTS                                                               \
	MP_CHOICE_BY("put FIELDS in front of the frames (default: comm)"),                  \
		{ MP_FOLD_NO_COMM, "no-comm", NULL, "put nothing in front of the frames" }, \
		MP_CHOICE_EVENT(MP_CHOICE_ADDED),                                           \
		MP_CHOICE_WEIGHT("weight of an event, such as .bytes, dur or period "       \
				 "(default: 1 for each)")
#define MP_FOLD_READER_FRAMES                                                                 \
	{ MP_FOLD_FOCUS, "focus", "GLOB",                                                     \
	  "only stacks with a frame that matches; may be repeated" },                         \
		{ MP_FOLD_IGNORE, "ignore", "GLOB",                                           \
		  "only stacks without a frame that matches; may be repeated" },              \
		{ MP_FOLD_SHOW_FROM, "show-from", "GLOB",                                     \
		  "only stacks with a frame that matches, and from it on; may be repeated" }, \
		{ MP_FOLD_KERNEL, "kernel", NULL, "keep only kernel frames" },                \
		{ MP_FOLD_USER, "user", NULL, "keep only user frames" },                      \
		{ MP_FOLD_DEPTH, "depth", "N", "keep at most N frames, from the root" },      \
		{ MP_FOLD_UNKNOWN, "unknown", "HOW",                                          \
		  "frames without a symbol: address (default), or merge: "                    \
		  "those of a file become one" },                                             \
	{                                                                                     \
		MP_FOLD_MERGE_RECURSIVE, "merge-recursive", NULL,                             \
			"fold a function that calls itself into one frame"                    \
	}
#define MP_FOLD_READER_REVERSE                                 \
	{                                                      \
		MP_FOLD_REVERSE, "reverse", NULL, "leaf first" \
	}

/* Rows for a program that compares its inputs. */
#define MP_FOLD_READER_SAMPLES                                                               \
	{                                                                                    \
		MP_FOLD_SAMPLES, "samples", NULL,                                            \
			"weights of unknown meaning (in folded text, by -w) are numbers of " \
			"samples"                                                            \
	}
#define MP_FOLD_READER_EXACT                                                              \
	{                                                                                 \
		MP_FOLD_EXACT, "exact", NULL, "compare frames by their names as they are" \
	}

struct mp_fold_reader {
	struct mp_choice choice;
	struct mp_fold_style style; /* the members that say which frames a stack has */
	struct mp_fold fold;
	json_t *origin;	    /* as of mp_ctl_origin(); NULL: there was no header */
	json_t *aggregates; /* header of the first section of in-kernel aggregates, or NULL */
	json_t *stacks;	    /* first header of a section of stacks that was taken, or NULL */
	bool no_comm;
	bool samples;	     /* a weight of unknown meaning is a number of samples */
	bool uncounted;	     /* a weight was taken that is not a number of samples or events */
	bool skip_stacks;    /* the current section is one that -e excludes */
	bool known_stacks;   /* the header of the current section says what its weights are */
	bool counted_stacks; /* and they are numbers of samples or events */
};

/* Before the options. */
void mp_fold_reader_init(struct mp_fold_reader *r);

/* Handles one of the options above. Returns false if it is another. Misuse ends the program. */
bool mp_fold_reader_option(struct mp_fold_reader *r, const struct mp_program *program, int code,
			   const char *arg);

/* After the options: checks them together. Misuse ends the program. */
void mp_fold_reader_begin(struct mp_fold_reader *r);

/* Handles a control line. Returns true if it ends an interval, as mp_choice_control() does. */
bool mp_fold_reader_control(struct mp_fold_reader *r, const struct mp_ctl *ctl);

/*
 * The next record is of another input, to which the header of the current section does not apply.
 */
void mp_fold_reader_next_input(struct mp_fold_reader *r);

/* Whether a record is wanted: 1 with its weight, 0, or -1 with `*why`. */
int mp_fold_reader_take(struct mp_fold_reader *r, const struct mp_rec *rec, int64_t *weight,
			const char **why);

/*
 * What the weights count: the name of a field, or "count". The unit of these weights as the headers
 * or the name of the field say, "" if they do not. Borrowed.
 */
struct mp_str mp_fold_reader_weight(const struct mp_fold_reader *r);
const char *mp_fold_reader_unit(const struct mp_fold_reader *r);

#endif
