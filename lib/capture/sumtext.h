/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks of sums in words: by their number, as they were when they were seen first, and the lines
 * made of them. Includes esc, map, stacks, task, taskname, userchain.
 */
#ifndef MP_CAPTURE_SUMTEXT_H
#define MP_CAPTURE_SUMTEXT_H

#include "bpf/sum.h"
#include "lib/capture/sum.h"
#include "lib/map.h"

enum { MP_SUMTEXT_USER = 1024 }; /* frames of a copy; of what BPF walks, 127 */

struct mp_sumtexts {
	struct mp_map ids;   /* number -> struct known */
	struct mp_map texts; /* each once: stacks of different processes read alike */
	struct mp_buf buf, renamed, raw;
	uint64_t ips[MP_SUM_KERNEL + MP_SUMTEXT_USER + 4];
};

void mp_sumtexts_init(struct mp_sumtexts *t);
void mp_sumtexts_release(struct mp_sumtexts *t);

/* One that the program has sent; checked by the caller. `max_frames` 0: all of them. */
void mp_sumtexts_put(struct mp_sumtexts *t, const struct mp_sum_stack *stack,
		     const struct mp_process *process, const struct mp_sums_words *words,
		     unsigned max_frames);

/* Class of an age, for struct mp_sum_key's `other`. */
uint64_t mp_sumtexts_age(uint64_t age_ns);

/* Lines of a section: stack -> weight. */
struct mp_sumlines {
	struct mp_map map;
	struct mp_buf buf;
	uint64_t added; /* occurrences */
};

void mp_sumlines_init(struct mp_sumlines *l);
void mp_sumlines_release(struct mp_sumlines *l);

/*
 * Adds a total to the line of its stack; `held`: the other number is the class of an age. How its
 * user part ended is counted in `unwound`, if that is not NULL. False: the stack is not known, and
 * the line is that of "[unknown]".
 */
bool mp_sumtexts_line(struct mp_sumtexts *t, const struct mp_sum_key *key, bool held,
		      const struct mp_sum_total *total, struct mp_unwound *unwound,
		      struct mp_sumlines *to);

/* Sorted by stack. */
void mp_sumlines_write(struct mp_sumlines *l, mp_sums_put_fn *put, void *arg);

#endif
