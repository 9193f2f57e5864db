/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sets which tasks are recorded by programs that include bpf/target.h. Includes recording, target.
 */
#ifndef MP_CAPTURE_BPF_BPFTARGET_H
#define MP_CAPTURE_BPF_BPFTARGET_H

#include "lib/capture/host/target.h"
#include "lib/capture/ring/recording.h"

struct mp_bpf_target {
	/* processes that are recorded with their children; NULL: the whole system */
	const struct mp_pids *processes;
	bool threads;  /* `processes` are threads, recorded without children */
	pid_t command; /* a process that becomes a target at its execve(2); 0: none */
	const struct mp_cgroup *cgroups;
	size_t n_cgroups;
	const struct mp_pids *exclude; /* processes that are not recorded */
};

/* The target of a recording, whose members it borrows. */
struct mp_bpf_target mp_bpf_target_of(const struct cap_recording *r);

struct bpf_object;

/*
 * Sets the target before an object is loaded. `wide`: its programs record the whole system,
 * whatever the target is. Returns 0, or -1 with errno.
 */
int mp_bpf_target_set(struct bpf_object *object, const struct mp_bpf_target *t, bool wide);

/*
 * The names of the programs of an object that follow processes to their children, ended by NULL.
 * They have to be attached first, so that no child is missed.
 */
const char *const *mp_bpf_target_programs(const struct mp_bpf_target *t);

/*
 * Fills the maps, after the object was loaded and those programs were attached. Returns 0, or -1
 * with errno.
 */
int mp_bpf_target_fill(struct bpf_object *object, const struct mp_bpf_target *t);

/*
 * Adds processes to a map of an object whose keys are processes. Returns 0, or -1 with errno if it
 * is full.
 */
int mp_bpf_add_pids(struct bpf_object *object, const char *map, const struct mp_pids *pids);

#endif
