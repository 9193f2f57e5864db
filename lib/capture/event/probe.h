/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes events for a recording: probes on functions of programs, on their static probes, on
 * functions of the kernel, and breakpoints on memory.
 *
 *	uprobe:FILE:FUNCTION[+OFFSET][(ARG,...)]	uretprobe:FILE:FUNCTION[(ARG,...)]
 *	usdt:FILE:[PROVIDER:]NAME			kprobe:FUNCTION[+OFFSET][(ARG,...)]
 *	kretprobe:FUNCTION[(ARG,...)]			mem:ADDRESS[/LEN][:rwx]
 *
 * A probe without arguments is an event of the uprobe or kprobe PMU, which ends with its last file
 * descriptor. One with arguments is made in tracefs, in a group that names our process; it is
 * removed at the end, or by the next recording if this one was killed. Includes cut, pmu, tracefs.
 */
#ifndef MP_CAPTURE_EVENT_PROBE_H
#define MP_CAPTURE_EVENT_PROBE_H

#include "lib/capture/event/pmu.h"
#include "lib/capture/event/tracefs.h"
#include "lib/capture/host/cut.h"

struct mp_probes {
	struct mp_probe_made *made; /* the probes that were made in tracefs */
	size_t n_made, cap_made;
	char **texts;
	size_t n_texts, cap_texts;
};

/* One event of a probe. Strings are valid until mp_probes_remove(). */
struct mp_probe {
	const char *type; /* TYPE of the stream, raw: uprobe:libc.so.6:malloc */
	/*
	 * names of a probe that was made in tracefs; NULL: it is an event of a PMU, or a breakpoint
	 */
	const char *system, *name;
	/* used for an event of a PMU, or for a breakpoint */
	struct mp_pmu_event event;
	uint32_t bp_type; /* HW_BREAKPOINT_ bits; 0: it is not a breakpoint */
	uint64_t bp_addr, bp_len;
};

/* What mp_probes_make() needs to make probes. */
struct mp_probe_means {
	/* the tracefs; NULL: only probes that do not need it can be made */
	struct mp_tracefs *tracefs;
	/* make probes without arguments in tracefs, too, so that a filter can be set */
	bool tracefs_wanted;
	const struct mp_cut_files *files;
};

/*
 * Makes the probes that `name` describes and calls `each` for them. Returns 0, or -1 with `*error`
 * (owned by the caller).
 */
typedef void mp_probe_fn(void *arg, const struct mp_probe *probe);

int mp_probes_make(struct mp_probes *p, const struct mp_probe_means *means, const char *name,
		   mp_probe_fn *each, void *arg, char **error);

/*
 * Removes the probes that were made, after the events are closed, and those that killed recordings
 * have left.
 */
void mp_probes_remove(struct mp_probes *p, struct mp_tracefs *t);
void mp_probes_sweep(struct mp_tracefs *t);

/* Moves all probes of `from` to `to`, which removes them. */
void mp_probes_merge(struct mp_probes *to, struct mp_probes *from);

/*
 * Parses the name of a probe: 0, or -1 with `*error`. Public for tests. mp_probe_text_release()
 * frees the strings.
 */
struct mp_probe_text {
	char kind[12];	/* kind of the probe: "uprobe" ... */
	char *file;	/* path of the file; NULL: the probe is in the kernel */
	char *what;	/* name of the function or marker, or an address */
	char *args;	/* arguments for tracefs: " size=%di:u64 ..."; "" if there are none */
	uint64_t len;	/* for mem: number of bytes that are watched */
	char access[4]; /* for mem: the kinds of access: some of the letters r, w, x */
};

int mp_probe_parse(struct mp_probe_text *text, const char *name, char **error);
void mp_probe_text_release(struct mp_probe_text *text);

#endif
