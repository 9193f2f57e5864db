// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/archs.h"

#include <elf.h>

static const struct mp_arch *const archs[] = {
	&mp_arch_x86_64,
	&mp_arch_arm64,
	&mp_arch_riscv64,
};

/* The linker defines this symbol at the beginning of the program. */
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

const struct mp_arch *mp_arch_of(unsigned elf_machine)
{
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(archs); i++)
		if (archs[i]->elf_machine == elf_machine)
			return archs[i];
	return NULL;
}

const struct mp_arch *mp_arch_here(void)
{
	return mp_arch_of(__ehdr_start.e_machine);
}

bool mp_arch_has_bpf(void)
{
	return mp_arch_here() && mp_arch_here()->bpf;
}
