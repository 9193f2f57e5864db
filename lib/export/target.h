/* SPDX-License-Identifier: GPL-2.0-only */
/* The table of the formats that mp-export writes, a file for each. Includes export. */
#ifndef MP_EXPORT_TARGET_H
#define MP_EXPORT_TARGET_H

#include "lib/export/export.h"

struct mp_export_target {
	const char *name;
	unsigned kinds; /* what it takes, without control lines */
	bool binary;	/* not for a terminal */
	bool threads;	/* it keeps threads apart, so that their names need not be frames */
	/* reads all input with mp_export_next() and writes all output */
	void (*write)(struct mp_export *ex);
};

/* The target with this number, from 0; NULL after the last one. */
const struct mp_export_target *mp_export_target(size_t i);

#endif
