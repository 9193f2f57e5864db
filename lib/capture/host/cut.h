/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The requests, answers and records that the two sides of the recorder exchange: the kernel side
 * (event/, ring/, poll/, bpf/), which opens events and loads programs, and the file side (object/,
 * stack/, format/, aggregate/), which reads what other users wrote. No pointer in them leads to
 * memory that the other side changes, so that they can be sent from one process to another.
 * session/ connects the two sides. Besides these structs, the records of the rings and of the
 * programs (bpf/unwind.h, bpf/aggregate.h) go through the queue. Includes base and types of bpf/
 * only.
 */
#ifndef MP_CAPTURE_HOST_CUT_H
#define MP_CAPTURE_HOST_CUT_H

#include "bpf/aggregate.h"
#include "bpf/unwind.h"
#include "lib/core/base.h"

/* --- places of probes: asked of the file side ------------------------------------------------- */

/*
 * `what`: for functions a glob, "NAME+0xOFF" or "0xADDR"; for static probes "[PROVIDER:]NAME", also
 * a glob.
 */
struct mp_cut_place_request {
	/* the file as the user named it: a path, a process, a library, or a program */
	const char *file;
	const char *what;
	bool markers; /* find static probes (USDT), not functions */
	/* find the entry of each function, or a place shortly after it where a probe costs less */
	bool entry;
};

struct mp_cut_place {
	char *provider; /* provider of a static probe; NULL: the place is a function */
	char *name;
	uint64_t offset; /* offset in the file */
	/* offset of the counter that the kernel increments while the probe is in use; 0: none */
	uint64_t semaphore;
	/*
	 * arguments of a static probe in tracefs notation: " arg1=%di:u64"; NULL: the place is a
	 * function
	 */
	char *args;
};

/* The receiver frees everything. */
struct mp_cut_places {
	char *path; /* path of the file */
	struct mp_cut_place *v;
	size_t n, cap;
};

void mp_cut_places_release(struct mp_cut_places *places);

/* The functions of the file side that answer requests. */
struct mp_cut_files {
	/*
	 * Finds places. Returns 0, or -1 with `*error` (owned by the caller) if there is no such
	 * file or place.
	 */
	int (*places)(const struct mp_cut_place_request *request, struct mp_cut_places *answer,
		      char **error);
	/*
	 * The address of a function or variable of the kernel; 0: there is none, or the kernel
	 * hides it.
	 */
	uint64_t (*kernel_address)(const char *symbol);
};

/* --- walks of user stacks in the kernel ------------------------------------------------------- */

/* A mapping of code. */
struct mp_cut_mapping {
	uint64_t start, end;
	uint64_t bias; /* subtract it from an address to get the address in the file */
	uint32_t file; /* number of the file for mp_cut_rows_fn; 0: the file has no rows */
};

/* The mappings of a process, sent to the kernel side. */
struct mp_cut_space {
	uint32_t pid;
	uint64_t time_ns; /* time from which the process has these mappings */
	/* number of the address space, which processes may share; from 1, never reused */
	uint64_t number;
	uint64_t state; /* number of its state: each change gives it a new one; never reused */
	/* the mappings in order of address; valid during the call */
	const struct mp_cut_mapping *v;
	size_t n;
};

/*
 * The functions by which the file side reports changed mappings, and address spaces and files that
 * no longer exist. No address space has a file that no longer exists; the number of that file may
 * be reused.
 */
struct mp_cut_walker {
	void *arg;
	void (*update)(void *arg, const struct mp_cut_space *space);
	void (*forget)(void *arg, uint64_t number);
	void (*forget_file)(void *arg, uint32_t file);
};

/*
 * The rows for unwinding the code of a file, in order of address, sent by the file side. The
 * receiver frees them.
 */
struct mp_cut_rows {
	struct mp_bpf_row *v;
	size_t n;
};

/* Asks for the rows of a file by its number. */
typedef void mp_cut_rows_fn(void *arg, uint32_t file, struct mp_cut_rows *answer);

/* --- in-kernel aggregation: from the kernel side ---------------------------------------------- */

/* Age of memory that is not freed yet, since its allocation: `key.other` of a total. */
enum mp_cut_age {
	MP_CUT_AGE_NONE,
	MP_CUT_AGE_BELOW_1_S,
	MP_CUT_AGE_BELOW_10_S,
	MP_CUT_AGE_BELOW_100_S,
	MP_CUT_AGE_ABOVE_100_S,
	MP_CUT_AGES,
};

/* The weight that was added to an aggregate at a stack since the previous total of the same key. */
struct mp_cut_total {
	struct mp_agg_key key;
	struct mp_agg_total total;
};

/* Passes totals, at most a few thousand in a call, during which they are valid. */
typedef void mp_cut_totals_fn(void *arg, const struct mp_cut_total *totals, size_t n);

/* What is known after the last total. */
struct mp_cut_aggregate_end {
	uint64_t stopped_ns;
	uint64_t unsent; /* number of stacks that at first did not fit into the ring buffer */
	/* by aggregate: what did not fit into a table, or no program could handle */
	struct mp_agg_total dropped[MP_AGG_RULES];
};

/* --- records of the kernel side, in streams of readings --------------------------------------- */

/*
 * Types of these records; host/sampled.h has the preceding number. Each ends with a struct
 * mp_cut_tail.
 */
enum mp_cut_record {
	MP_CUT_CHECK = 0x6d74, /* struct mp_cut_check */
	MP_CUT_STOP,	       /* only the tail: the events were disabled at its time */
	MP_CUT_TOTALS,	       /* struct mp_cut_total, as many as there are */
	MP_CUT_TOTALS_END,     /* struct mp_cut_aggregate_end, after the last of them */
};

struct mp_cut_tail {
	uint64_t time_ns; /* here mp_record_time() finds the time */
	uint64_t unused;
};

/* Values of the kernel's counters of an event. */
struct mp_counts {
	uint64_t count; /* number of occurrences */
	uint64_t lost;	/* those whose samples did not fit into the ring */
};

/* The counters of a ring; with `n` 0, it announces that they are being read. */
struct mp_cut_check {
	uint32_t ring;
	uint32_t n;
	struct mp_counts counts[];
};

struct perf_event_header;

/* The maximum length of a body. Bodies are multiples of 8 bytes. */
enum { MP_CUT_BODY_MAX = (UINT16_MAX & ~7) - 8 - sizeof(struct mp_cut_tail) };

/* The length of a record whose body has `len` bytes. */
static inline size_t mp_cut_record_size(size_t len)
{
	return 8 + len + sizeof(struct mp_cut_tail);
}

/* Makes a record at `to`, which has room for it. */
void mp_cut_record_put(void *to, enum mp_cut_record type, const void *body, size_t len,
		       uint64_t time_ns);

/* The body of a record. `*len` is its length; 0: the record is damaged. */
const void *mp_cut_record_body(const struct perf_event_header *record, size_t *len);

#endif
