/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes where the data of an access to memory came from (PERF_SAMPLE_DATA_SRC, perf_event_open(2))
 * as fields of the stream. Includes base only.
 */
#ifndef MP_CAPTURE_FORMAT_DATASRC_H
#define MP_CAPTURE_FORMAT_DATASRC_H

#include "lib/core/base.h"

enum { MP_DATA_SOURCE_MAX = 160 }; /* bytes of all fields */

/*
 * These functions write a field and a TAB to `to`, or nothing if the processor did not report it,
 * and return the end: "op=load", "level=L3", "snoop=hitm", "tlb=L1/L2", "lock=1".
 */
char *mp_datasrc_op_put(char *to, uint64_t source);
char *mp_datasrc_level_put(char *to, uint64_t source);
char *mp_datasrc_snoop_put(char *to, uint64_t source);
char *mp_datasrc_tlb_put(char *to, uint64_t source);
char *mp_datasrc_lock_put(char *to, uint64_t source);

#endif
