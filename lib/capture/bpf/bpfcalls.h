/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The BPF program (bpf/calls.bpf.c) that records entries to system calls with the texts that their
 * arguments point to, see call.h. It is loaded before the events are opened, since they remain
 * tracepoints if this machine does not accept it. Includes bpftarget, event, ring.
 */
#ifndef MP_CAPTURE_BPF_BPFCALLS_H
#define MP_CAPTURE_BPF_BPFCALLS_H

#include "lib/capture/bpf/bpftarget.h"
#include "lib/capture/event/event.h"

struct mp_bpf_calls;

/*
 * Loads the program for those of the events that have such arguments, and makes it record them.
 * Returns NULL if there are none, or if the program cannot be loaded; the latter is reported unless
 * `quiet` is set.
 */
struct mp_bpf_calls *mp_bpf_calls_load(struct mp_events *events, const struct mp_bpf_target *target,
				       bool quiet);
void mp_bpf_calls_free(struct mp_bpf_calls *calls);

#endif
