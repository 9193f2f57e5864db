// SPDX-License-Identifier: GPL-2.0-only
/* Tests that each row of the table of architectures is consistent in itself. */
#include <elf.h>
#include <string.h>
#include <sys/utsname.h>

#include "lib/capture/host/archs.h"
#include "lib/capture/object/cfi.h"
#include "tests/unit/tap.h"

/*
 * Every register of a sample has a number of its own; the stack pointer and the program counter are
 * among them, and BPF records these two alone.
 */
static bool registers_agree(const struct mp_arch *a)
{
	uint64_t seen = 0, place = 0;
	size_t i, at = 0;

	for (i = 0; i < a->n_regs; i++, at++) {
		while (at < 64 && !(a->perf_regs >> at & 1))
			at++;
		if (at == 64 || a->dwarf[i] >= MP_CFI_REGS || seen >> a->dwarf[i] & 1)
			return false;
		seen |= 1ull << a->dwarf[i];
		if (a->dwarf[i] == a->pc || a->dwarf[i] == a->sp)
			place |= 1ull << at;
	}
	if (a->bpf && a->bpf->perf_place != place)
		return false;
	return (size_t)__builtin_popcountll(a->perf_regs) == a->n_regs && seen >> a->sp & 1 &&
	       seen >> a->fp & 1 && seen >> a->pc & 1;
}

static bool is_complete(const struct mp_arch *a)
{
	return a->cfi_regs <= MP_CFI_REGS && a->sp < a->cfi_regs && a->fp < a->cfi_regs &&
	       a->code_mask && a->record_ra != a->record_fp && a->plt_head && a->plt_entry &&
	       a->bp_exec_len && a->n_arg_regs && a->put_register &&
	       !a->signal_return == !a->signal_regs && !a->cfa_sign == !a->sign_key;
}

int main(void)
{
	size_t n = 0;
	struct utsname host;
	unsigned machine;

	for (machine = 0; machine < 1 << 16; machine++) {
		const struct mp_arch *a = mp_arch_of(machine);

		if (!a)
			continue;
		ok(registers_agree(a), "%s: registers of samples", a->name);
		ok(is_complete(a), "%s: no fact is missing", a->name);
		n++;
	}
	ok(n == 3 && mp_arch_of(EM_X86_64) == &mp_arch_x86_64 && !mp_arch_of(EM_386),
	   "found by the e_machine of a program");
	uname(&host);
	ok(mp_arch_here() && strcmp(mp_arch_here()->name, host.machine) == 0,
	   "that of this program: %s", host.machine);
	return tap_done();
}
