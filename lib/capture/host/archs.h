/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of the architectures. Includes arch. */
#ifndef MP_CAPTURE_HOST_ARCHS_H
#define MP_CAPTURE_HOST_ARCHS_H

#include "lib/capture/host/arch.h"

extern const struct mp_arch mp_arch_x86_64, mp_arch_arm64, mp_arch_riscv64;

/*
 * The architecture of programs with this e_machine in their ELF headers; NULL if it is not
 * supported.
 */
const struct mp_arch *mp_arch_of(unsigned elf_machine);

/* The architecture for which this program was built; NULL if it is not supported. */
const struct mp_arch *mp_arch_here(void);

/* Whether the programs in bpf/ support this architecture. */
bool mp_arch_has_bpf(void);

#endif
