// SPDX-License-Identifier: GPL-2.0-only
#include "lib/capture/format/datasrc.h"

#include <linux/perf_event.h>
#include <string.h>

/* A bit of a field of the value, and the name for it. */
struct bit {
	unsigned bit;
	const char *name;
};

static const struct bit ops[] = {
	{ PERF_MEM_OP_LOAD, "load" },
	{ PERF_MEM_OP_STORE, "store" },
	{ PERF_MEM_OP_PFETCH, "prefetch" },
	{ PERF_MEM_OP_EXEC, "exec" },
};

/* Names for bits that older kernels set instead of a number. */
static const struct bit levels[] = {
	{ PERF_MEM_LVL_L1, "L1" },
	{ PERF_MEM_LVL_LFB, "LFB" },
	{ PERF_MEM_LVL_L2, "L2" },
	{ PERF_MEM_LVL_L3, "L3" },
	{ PERF_MEM_LVL_LOC_RAM, "RAM" },
	{ PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2, "remote-RAM" },
	{ PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2, "remote-cache" },
	{ PERF_MEM_LVL_IO, "IO" },
	{ PERF_MEM_LVL_UNC, "uncached" },
};

/* Names by PERF_MEM_LVLNUM_. Linux 6.1 has no macros for some of these numbers. */
static const char *const level_numbers[16] = {
	[PERF_MEM_LVLNUM_L1] = "L1",
	[PERF_MEM_LVLNUM_L2] = "L2",
	[PERF_MEM_LVLNUM_L3] = "L3",
	[PERF_MEM_LVLNUM_L4] = "L4",
	[0x05] = "L2-MHB",
	[0x06] = "MSC",
	[0x08] = "uncached",
	[0x09] = "CXL",
	[0x0a] = "IO",
	[PERF_MEM_LVLNUM_ANY_CACHE] = "cache",
	[PERF_MEM_LVLNUM_LFB] = "LFB",
	[PERF_MEM_LVLNUM_RAM] = "RAM",
	[PERF_MEM_LVLNUM_PMEM] = "PMEM",
};

static const struct bit snoops[] = {
	{ PERF_MEM_SNOOP_NONE, "none" },
	{ PERF_MEM_SNOOP_HIT, "hit" },
	{ PERF_MEM_SNOOP_MISS, "miss" },
	{ PERF_MEM_SNOOP_HITM, "hitm" },
};

static const struct bit more_snoops[] = {
	{ PERF_MEM_SNOOPX_FWD, "forward" },
	{ PERF_MEM_SNOOPX_PEER, "peer" },
};

static const struct bit tlbs[] = {
	{ PERF_MEM_TLB_L1, "L1" },
	{ PERF_MEM_TLB_L2, "L2" },
	{ PERF_MEM_TLB_WK, "walk" },
	{ PERF_MEM_TLB_OS, "fault" },
};

static unsigned part(uint64_t source, unsigned shift, unsigned bits)
{
	return source >> shift & ((1u << bits) - 1);
}

static const char *name_of(const struct bit *v, size_t n, unsigned bits)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (bits & v[i].bit)
			return v[i].name;
	return NULL;
}

static char *put_field(char *to, const char *key, const char *name)
{
	if (!name)
		return to;
	to = stpcpy(stpcpy(to, key), name);
	*to++ = '\t';
	return to;
}

char *mp_datasrc_op_put(char *to, uint64_t source)
{
	unsigned op = part(source, PERF_MEM_OP_SHIFT, 5);

	return put_field(to, "op=", name_of(ops, MP_ARRAY_SIZE(ops), op));
}

/* The number of the level has priority, but only the older bits say that the access missed. */
char *mp_datasrc_level_put(char *to, uint64_t source)
{
	unsigned bits = part(source, PERF_MEM_LVL_SHIFT, 14);
	const char *name = level_numbers[part(source, PERF_MEM_LVLNUM_SHIFT, 4)];
	bool remote = name && part(source, PERF_MEM_REMOTE_SHIFT, 1);
	bool missed = bits & PERF_MEM_LVL_MISS && !(bits & PERF_MEM_LVL_HIT);

	if (!name)
		name = name_of(levels, MP_ARRAY_SIZE(levels), bits);
	if (!name)
		return to;
	to = stpcpy(stpcpy(to, "level="), remote ? "remote-" : "");
	to = stpcpy(stpcpy(to, name), missed ? "-miss" : "");
	*to++ = '\t';
	return to;
}

char *mp_datasrc_snoop_put(char *to, uint64_t source)
{
	unsigned bits = part(source, PERF_MEM_SNOOP_SHIFT, 5);
	unsigned more = part(source, PERF_MEM_SNOOPX_SHIFT, 2);
	const char *name = name_of(more_snoops, MP_ARRAY_SIZE(more_snoops), more);

	return put_field(to, "snoop=", name ? name : name_of(snoops, MP_ARRAY_SIZE(snoops), bits));
}

/* Writes text such as "L1/L2", which means one of the two, or "L2-miss". */
char *mp_datasrc_tlb_put(char *to, uint64_t source)
{
	unsigned bits = part(source, PERF_MEM_TLB_SHIFT, 7);
	bool missed = bits & PERF_MEM_TLB_MISS && !(bits & PERF_MEM_TLB_HIT), any = false;
	size_t i;

	for (i = 0; i < MP_ARRAY_SIZE(tlbs); i++) {
		if (!(bits & tlbs[i].bit))
			continue;
		to = stpcpy(stpcpy(to, any ? "/" : "tlb="), tlbs[i].name);
		any = true;
	}
	if (!any)
		return to;
	to = stpcpy(to, missed ? "-miss" : "");
	*to++ = '\t';
	return to;
}

char *mp_datasrc_lock_put(char *to, uint64_t source)
{
	bool locked = part(source, PERF_MEM_LOCK_SHIFT, 2) & PERF_MEM_LOCK_LOCKED;

	return put_field(to, "lock=", locked ? "1" : NULL);
}
