/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of bpf/, which mp-record contains. Uses libbpf. Includes ring. */
#ifndef MP_CAPTURE_BPF_BPF_H
#define MP_CAPTURE_BPF_BPF_H

#include "lib/capture/ring/ring.h"

/* Whether mp-record contains the programs; it does not if it was built without clang. */
bool mp_bpf_built(void);

/*
 * Opens the programs of bpf/NAME.bpf.c, to be loaded and closed by the caller. Returns NULL with
 * errno if there are no programs, or libbpf cannot open them. After the first call libbpf prints no
 * messages.
 */
struct bpf_object;
struct bpf_object *mp_bpf_open(const char *name);

/*
 * The number of runs that the kernel has skipped since the program was loaded, because the program
 * ran already on that CPU. Kernels before 5.12 do not count them: 0.
 */
struct bpf_program;
uint64_t mp_bpf_skipped(const struct bpf_program *p);

/*
 * Opens a probe of tracefs once more, to attach a program to it: the program runs for all events of
 * the probe, but the kernel detaches it when a task that has inherited the program's event ends. No
 * task inherits the event that this function opens. Returns a file descriptor, or -1 with `*error`
 * (owned by the caller).
 */
int mp_bpf_hold_probe(const struct mp_event *e, char **error);

#endif
