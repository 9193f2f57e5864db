/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of the sources of events, and the list of those that a recording uses. Includes
 * recording, source.
 */
#ifndef MP_CAPTURE_SESSION_SOURCES_H
#define MP_CAPTURE_SESSION_SOURCES_H

#include "lib/capture/event/source.h"
#include "lib/capture/ring/recording.h"

/* In the order in which they are asked for a name; ends with NULL. */
extern const struct cap_source *const cap_sources[];

/* A source in use, with its state. */
struct cap_opened {
	const struct cap_source *source;
	void *state;
};

struct cap_opened_sources {
	struct cap_opened *v;
	size_t n, cap;
};

/* These call the functions of struct cap_source for all opened sources. */
size_t cap_sources_parse(const char *text);
int cap_sources_try(const struct mp_events *events, char **error);
int cap_sources_open(struct cap_opened_sources *o, const struct cap_recording *recording,
		     char **error);
void cap_sources_start(const struct cap_opened_sources *o);
void cap_sources_begin(const struct cap_opened_sources *o);
void cap_sources_stop(const struct cap_opened_sources *o);
void cap_sources_finish(const struct cap_opened_sources *o);
uint64_t cap_sources_bound(const struct cap_opened_sources *o);
void cap_sources_tick(const struct cap_opened_sources *o, uint64_t settled_ns);
uint64_t cap_sources_account(const struct cap_opened_sources *o, size_t event, int cpu);
void cap_sources_trailer(const struct cap_opened_sources *o, json_t *trailer);
void cap_sources_report(const struct cap_opened_sources *o, bool verbose);
void cap_sources_close(struct cap_opened_sources *o);

#endif
