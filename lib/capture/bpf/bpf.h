/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of bpf/, which mp-record contains. Uses libbpf. Includes base only. */
#ifndef MP_CAPTURE_BPF_BPF_H
#define MP_CAPTURE_BPF_BPF_H

#include "lib/core/base.h"

/* False: mp-record was built without clang and contains no programs. */
bool mp_bpf_built(void);

/*
 * Opens the programs of bpf/NAME.bpf.c, to be loaded and closed by the caller. NULL with errno: there are
 * none, or libbpf cannot; it prints nothing by itself from here on.
 */
struct bpf_object;
struct bpf_object *mp_bpf_open(const char *name);

#endif
