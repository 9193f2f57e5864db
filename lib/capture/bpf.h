/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BPF programs (libbpf), embedded as objects; with bpfstack the only user of libbpf. Where clang was missing at
 * build time, or the kernel does not permit BPF, everything works without: see each function.
 * Includes ring.
 */
#ifndef MP_CAPTURE_BPF_H
#define MP_CAPTURE_BPF_H

#include "lib/capture/ring.h"

struct mp_bpf;

/*
 * Has the kernel leave processes out of all sampled events, so that they take no room in the rings.
 * NULL if it cannot: then the caller drops their samples, and counts them. mp_bpf_free() ends it.
 */
struct mp_bpf *mp_bpf_exclude(const struct mp_rings *rings, const struct mp_events *events,
			      const struct mp_pids *pids);
void mp_bpf_free(struct mp_bpf *b);

#endif
