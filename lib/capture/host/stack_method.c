// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/host/stack_method.h"

static const char *const names[MP_METHODS] = {
	[MP_METHOD_AUTO] = "auto",
	[MP_METHOD_CFI] = "cfi",
	[MP_METHOD_BPF] = "bpf",
	[MP_METHOD_FP] = "fp",
};

const char *mp_stack_method_name(enum mp_stack_method method)
{
	return names[method];
}

enum mp_stack_method mp_stack_method_find(struct mp_str name)
{
	int i;

	if (mp_str_eq(name, MP_STR("dwarf"))) /* perf's name for cfi */
		return MP_METHOD_CFI;
	for (i = 0; i < MP_METHODS; i++)
		if (mp_str_eq(name, mp_str(names[i])))
			return (enum mp_stack_method)i;
	return MP_METHOD_UNSET;
}
