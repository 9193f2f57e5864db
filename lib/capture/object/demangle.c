// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/object/demangle.h"

#include <libiberty/demangle.h>
#include <string.h>

char *mp_demangle(const char *name)
{
	if (name[0] != '_' || !name[1] || !strchr("ZRD", name[1]) || strlen(name) > 8192)
		return NULL;
	return cplus_demangle(name, DMGL_AUTO);
}
