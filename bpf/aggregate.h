/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What bpf/aggregate.bpf.c shares with user space: rules, which say what is aggregated, totals by
 * stack, and the records that have the stacks. An aggregate is what one name stands for, such as
 * "sum:blocked".
 */
#ifndef MP_BPF_AGGREGATE_H
#define MP_BPF_AGGREGATE_H

#include "bpf/unwind.h"

#define MP_AGG_RULES 64u	    /* probes */
#define MP_AGG_SAMPLED 4u	    /* sampled events */
#define MP_AGG_STACKS (64u << 10)   /* totals between two readings */
#define MP_AGG_BLOCKED (64u << 10)  /* tasks */
#define MP_AGG_HELD (512u << 10)    /* allocations that have not been freed */
#define MP_AGG_CONTEXTS 5u	    /* of programs that may interrupt each other */
#define MP_AGG_KERNEL MP_BPF_FRAMES /* frames of the kernel */

/* Where a number comes from that is a factor of a weight, or a pointer. */
enum mp_agg_value {
	MP_AGG_NONE,
	MP_AGG_ARG1, /* of a function */
	MP_AGG_ARG2,
	MP_AGG_ARG3,
	MP_AGG_ARG4,
	MP_AGG_ARG5,
	MP_AGG_ARG6,
	MP_AGG_RETVAL,
	MP_AGG_PERIOD, /* of a sample */
	MP_AGG_COUNT,  /* 1 */
};

/* What a program does where an event happens. Parts that are 0 are skipped. */
struct mp_agg_rule {
	__u32 aggregate;   /* its number */
	__u8 kernel, user; /* parts of the stack */
	__u8 freed;	   /* pointer to what the thread frees */
	__u8 got;	   /* pointer to what the thread asked for, and gets now */
	__u8 into;	   /* of `ask`: where that pointer will be stored */
	__u8 ask[2];	   /* weight of what the thread asks for */
	__u8 weight[2];	   /* weight that is added at once */
	__u8 unused[3];
	__u64 every; /* mean weight between two samples (amount.h); 0, 1: record each stack */
};

/* Set before the program is loaded. */
struct mp_agg_setup {
	struct mp_agg_rule rules[MP_AGG_RULES];	    /* by the cookie of a probe */
	struct mp_agg_rule sampled[MP_AGG_SAMPLED]; /* by program */
	struct mp_agg_rule blocked, memory, pages;
	__u32 kmalloc_size, cache_size; /* arguments that have the size; 0: none has */
	__u8 with_waker, unused[7];	/* the key has the waker's stack, too */
};

struct mp_agg_total {
	__u64 weight, count;
};

/* Shared while the programs run. */
struct mp_agg_state {
	__u32 enabled;
	__u32 current; /* which of the two tables is being filled */
	__u64 unsent; /* stacks that did not fit into the ring buffer; sent when they occur again */
	struct mp_agg_total dropped[MP_AGG_RULES]; /* did not fit into a table, by aggregate */
};

/* `other` is the stack of the waker of a blocked task; 0: none. */
struct mp_agg_key {
	__u64 id, other;
	__u64 aggregate;
};

struct mp_agg_pointer {
	__u64 address;
	__u32 pid; /* 0: the kernel's */
	__u32 aggregate;
};

struct mp_agg_held {
	__u64 weight, time_ns, id;
};

struct mp_agg_blocked {
	__u64 time_ns, id;
};

/*
 * Begins as struct mp_bpf_record does, and ends with the time, as all records that are not samples
 * do.
 */
struct mp_agg_stack {
	__u32 type;
	__u16 misc;
	__u16 size;
	__u32 tid, end; /* enum mp_bpf_end */
	__u64 time_ns;
	__u64 id;
	__u32 pid, n_kernel, n_user, unused; /* n_: numbers of frames */
	char comm[16];
	__u64 kernel[MP_AGG_KERNEL + 1];
	__u64 user[MP_BPF_FRAMES + 1];
	__u64 time_again_ns, zero;
};

#define MP_AGG_STACK 0x6d71 /* type */

_Static_assert(sizeof(struct mp_agg_rule) == 24, "both sides agree");
_Static_assert(sizeof(struct mp_agg_stack) % 8 == 0, "records are multiples of 8 bytes");

#endif
