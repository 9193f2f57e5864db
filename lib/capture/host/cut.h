/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the kernel side (event/, ring/, poll/, bpf/), which opens events and loads programs, and the
 * file side (object/, stack/, format/, aggregate/), which reads what other users wrote, exchange:
 * requests, answers and records. They are plain: no pointer leads to what the other side changes,
 * so that they could go through a pipe between two processes as well. session/ connects the two
 * sides. Besides these structs, records of the rings and of the programs (bpf/unwind.h,
 * bpf/aggregate.h) go through the queue. Includes base and types of bpf/ only.
 */
#ifndef MP_CAPTURE_HOST_CUT_H
#define MP_CAPTURE_HOST_CUT_H

#include "bpf/aggregate.h"
#include "bpf/unwind.h"
#include "lib/core/base.h"

/* --- places of probes: asked of the file side ------------------------------------------------------------ */

/*
 * `what`: for functions a glob, "NAME+0xOFF" or "0xADDR"; for static probes "[PROVIDER:]NAME", a
 * glob, too.
 */
struct mp_cut_place_request {
	const char *file; /* as the user named it: a path, a process, a library, or a program */
	const char *what;
	bool markers; /* static probes (USDT), not functions */
	bool entry;   /* of functions the entry, or shortly after it if a probe costs less there */
};

struct mp_cut_place {
	char *provider; /* of a static probe; NULL: a function */
	char *name;
	uint64_t offset;    /* in the file */
	uint64_t semaphore; /* offset in the file of what the kernel counts up; 0: none */
	char *args;	    /* of a static probe, for tracefs: " arg1=%di:u64"; NULL: a function */
};

/* The receiver frees everything. */
struct mp_cut_places {
	char *path; /* of the file */
	struct mp_cut_place *v;
	size_t n, cap;
};

void mp_cut_places_release(struct mp_cut_places *places);

/* What answers for the file side. */
struct mp_cut_files {
	/* 0, or -1 with `*error` (owned by the caller): no such file, no such place. */
	int (*places)(const struct mp_cut_place_request *request, struct mp_cut_places *answer,
		      char **error);
	/*
	 * The address of a function or variable of the kernel; 0: there is none, or the kernel
	 * hides it.
	 */
	uint64_t (*kernel_address)(const char *symbol);
};

/* --- walks of user stacks in the kernel ------------------------------------------------------------------ */

/* A mapping of code. */
struct mp_cut_mapping {
	uint64_t start, end;
	uint64_t bias; /* an address less this is the file's own address */
	uint32_t file; /* the number of the file with rows for it; 0: there are none */
};

/* To the kernel side: the mappings of a process. */
struct mp_cut_space {
	uint32_t pid;
	uint64_t time_ns; /* since when the process has them */
	uint64_t number;  /* of the address space, which processes may share; not used again */
	uint64_t state;	  /* a new one with each change; not used again */
	const struct mp_cut_mapping *v; /* in order of address; valid during the call */
	size_t n;
};

/* How the file side says that mappings have changed, or that an address space no longer exists. */
struct mp_cut_walker {
	void *arg;
	void (*update)(void *arg, const struct mp_cut_space *space);
	void (*forget)(void *arg, uint64_t number);
};

/*
 * From the file side: how to unwind the code of a file, in order of address. The receiver frees
 * them.
 */
struct mp_cut_rows {
	struct mp_bpf_row *v;
	size_t n;
};

/* Asks for the rows of a file by its number. */
typedef void mp_cut_rows_fn(void *arg, uint32_t file, struct mp_cut_rows *answer);

/* --- in-kernel aggregation: from the kernel side -------------------------------------------------------- */

/* How long ago something was allocated that is still held: `key.other` of a total. */
enum mp_cut_age {
	MP_CUT_AGE_NONE,
	MP_CUT_AGE_BELOW_1_S,
	MP_CUT_AGE_BELOW_10_S,
	MP_CUT_AGE_BELOW_100_S,
	MP_CUT_AGE_ABOVE_100_S,
	MP_CUT_AGES,
};

/* The weight that an aggregate has at a stack, to be added to what is known of it. */
struct mp_cut_total {
	struct mp_agg_key key;
	struct mp_agg_total total;
};

/* Passes some totals, at most some thousand, which are valid during the call. */
typedef void mp_cut_totals_fn(void *arg, const struct mp_cut_total *totals, size_t n);

/* After the last total. */
struct mp_cut_aggregate_end {
	uint64_t stopped_ns;
	uint64_t unsent; /* stacks that did not fit into the ring buffer at first */
	struct mp_agg_total dropped[MP_AGG_RULES]; /* did not fit into a table, by aggregate */
};

#endif
