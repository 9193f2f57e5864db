/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state machine of the scheduler. It turns events, in order of time, into spans: the times that
 * a task spent in one state, or that a CPU was idle. One machine is for one host.
 *
 * Two things always hold (tests/fuzz/sched/sched.c asserts them). The spans of a CPU follow one
 * another without gap or overlap from the first event to the end. So do the spans of a task from
 * its first one to its last. Unknown time is a span, too: MP_SCHED_UNKNOWN. Includes
 * schedstate.
 */
#ifndef MP_SCHED_SCHED_H
#define MP_SCHED_SCHED_H

#include "lib/sched/schedstate.h"

void mp_sched_init(struct mp_sched *s, const struct mp_sched_sink *sink);
void mp_sched_release(struct mp_sched *s); /* call mp_sched_end() first */

/*
 * Announces that of the events of this kind only those that the filter selects were recorded. To be
 * called before mp_sched_expect() and the first event. The filter is borrowed until mp_sched_end().
 *
 * If these events are the switches, nothing is concluded from absent events, unless the filters
 * select all such events of the task (schedfilter.h): a state is known if its end would have been
 * recorded. Other tasks have no spans, and the time of a CPU is unknown where no selected task
 * runs.
 */
void mp_sched_filter(struct mp_sched *s, enum mp_sched_what what, const char *filter);

/* Announces that the input has events of this kind, before the first one. */
void mp_sched_expect(struct mp_sched *s, enum mp_sched_what what);

/* Handles an event. Returns 0, or -1 with `*why`: nothing was changed. */
int mp_sched_event(struct mp_sched *s, const struct mp_sched_event *e, const char **why);

/*
 * Ends the capture, at `time_ns` or with its last event, whichever is later: writes the spans that
 * have not ended, by CPU and then by tid, and forgets everything but the counts. The next event
 * begins another capture.
 */
void mp_sched_end(struct mp_sched *s, uint64_t time_ns);

/* Convert a state to its name, "run", "wait" ..., and back: 0, or -1 if there is no such state. */
const char *mp_sched_state_name(enum mp_sched_state state);
int mp_sched_state_parse(struct mp_str name, enum mp_sched_state *state);

#endif
