/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a filter reads: its FILE operands one after the other, record by record, with everything
 * that mp-stream(5) asks of a reader. A filter is a loop:
 *
 *	mp_input_init(&in, argv + optind, MP_EVENT | MP_STACK, &out);
 *	while (mp_input_next(&in, &rec))
 *		if (work(&rec, &why) < 0)
 *			mp_input_bad(&in, why);
 *	status = mp_input_finish(&in);
 *
 * Includes io, rec, ctl.
 */
#ifndef MP_STREAM_INPUT_H
#define MP_STREAM_INPUT_H

#include "lib/core/io.h"
#include "lib/stream/ctl.h"
#include "lib/stream/rec.h"

/* A section: from a header to its trailer. */
struct mp_section {
	bool open;	    /* header seen, trailer not yet */
	uint64_t lost;	    /* sum of its loss lines, in events */
	uint64_t foreign;   /* those of `lost` that the filter does not need */
	struct mp_buf host; /* the header's, escaped; empty: it has none */
};

struct mp_input {
	/* members for the filter to read */
	struct mp_ctl ctl; /* the control line last returned; valid until the next call */
	const char *name;  /* name of the current input, for messages */

	/* set by the filter, borrowed */
	/*
	 * Whether the output would differ if the lost events were present; NULL: it always would.
	 * Other losses are neither reported nor counted in `lost`.
	 */
	bool (*concerns)(void *arg, const struct mp_ctl *loss);
	void *arg;
	/* Frames keep their places; else stacks have names alone, see mp-stream(5). */
	bool places;
	/* what the losses did to the output, such as "2 begins forgotten"; NULL: nothing to add */
	const char *consequence;

	/* private */
	struct mp_in in;
	char **operands;
	size_t next;
	unsigned kinds;
	struct mp_out *tied;
	bool reading;
	bool started; /* a line of this input was read */
	struct mp_section event, point, stack;
	uint64_t bad;	   /* lines skipped, all inputs */
	uint64_t reported; /* those of `bad` that were reported one by one */
	uint64_t unwanted; /* lines of a datatype that the filter does not take */
	enum mp_kind unwanted_kind;
	uint64_t
		cut; /* sections without trailer, and compressed files that end early, all inputs */
	uint64_t lost; /* events, in complete sections */
	uint64_t empty;
	uint64_t refused;
};

/*
 * `operands` ends with NULL and stays the caller's; none: stdin; "-": stdin. `kinds`: what the
 * filter takes; MP_CONTROL among them gives it control lines too, parsed in `ctl`. `tied` as in
 * mp_in_init(), may be NULL. A file that cannot be opened or read ends the program.
 */
void mp_input_init(struct mp_input *in, char **operands, unsigned kinds, struct mp_out *tied);

/*
 * To be called before the file `output` is emptied: ends the program if an operand cannot be
 * opened, or is that file.
 */
void mp_input_before_output(char **operands, const char *output);

/*
 * As mp_input_init(), for one open input, on which mp_in_peek() may have been called: takes
 * ownership of `opened`.
 */
void mp_input_adopt(struct mp_input *in, const struct mp_in *opened, unsigned kinds);

/* The next record, valid until the next call. Returns 1, or 0 after the last input. */
int mp_input_next(struct mp_input *in, struct mp_rec *rec);

/* Which of the operands the current record is of, from 0. */
static inline size_t mp_input_index(const struct mp_input *in)
{
	return in->next - 1;
}

/* Counts the current record as bad. The first few bad records are reported with file and line. */
void mp_input_bad(struct mp_input *in, const char *why);

/* Ends the input early: the rest stays unread, and does not count as truncated. */
void mp_input_stop(struct mp_input *in);

/* Reports what was skipped, lost and truncated. Returns the status for main. */
enum mp_status mp_input_finish(struct mp_input *in);

/*
 * Opens FILE ("-" is stdin) to read, for callers that have inputs of their own. A failure ends the
 * program.
 */
int mp_input_open(const char *path);

/* the number of first bytes by which a file that is not text is recognized */
enum { MP_MAGIC_MAX = 10 };

/*
 * What the first bytes of an input look like if they are not text: "a perf.data file", "xz data"
 * and so on with a remedy; NULL if they are text.
 */
const char *mp_input_binary_kind(const char *data, size_t len);

#endif
