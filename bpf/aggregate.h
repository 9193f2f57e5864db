/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What bpf/aggregate.bpf.c shares with user space: rules, which say what is aggregated, totals by
 * stack, and the records that carry stacks. An aggregate is all that is added up under one name,
 * such as "sum:blocked".
 */
#ifndef MP_BPF_AGGREGATE_H
#define MP_BPF_AGGREGATE_H

#include "bpf/unwind.h"

#define MP_AGG_RULES 64u  /* number of rules for probes */
#define MP_AGG_SAMPLED 4u /* number of rules for sampled events */
/* most totals in a table, which is read and emptied regularly */
#define MP_AGG_STACKS (64u << 10)
/* most of them by one user, if the whole system is recorded */
#define MP_AGG_STACKS_A_USER (MP_AGG_STACKS / 2)
#define MP_AGG_BLOCKED (64u << 10) /* most tasks that are blocked at a time */
#define MP_AGG_HELD (512u << 10)   /* most allocations that have not been freed yet */
/* number of buffers for stacks on each CPU: so many programs may interrupt each other */
#define MP_AGG_BUFFERS 5u
#define MP_AGG_KERNEL MP_BPF_FRAMES /* maximum number of kernel frames */

/* The sources of a number: a factor of a weight, or a pointer. */
enum mp_agg_value {
	MP_AGG_NONE,
	MP_AGG_ARG1, /* arguments of the function */
	MP_AGG_ARG2,
	MP_AGG_ARG3,
	MP_AGG_ARG4,
	MP_AGG_ARG5,
	MP_AGG_ARG6,
	MP_AGG_RETVAL,
	MP_AGG_PERIOD, /* period of the sample */
	MP_AGG_COUNT,  /* 1 */
};

/* What a program does when an event occurs. Members that are 0 have no effect. */
struct mp_agg_rule {
	__u32 aggregate;   /* number of the aggregate */
	__u8 kernel, user; /* whether to record this part of the stack */
	__u8 freed;	   /* source of the pointer to the memory that the thread frees */
	/* source of the pointer to the memory that the thread asked for, and gets now */
	__u8 got;
	__u8 into;	/* with `ask`: source of the place where that pointer will be stored */
	__u8 ask[2];	/* factors of the weight of the memory that the thread asks for */
	__u8 weight[2]; /* factors of the weight that is added immediately */
	__u8 unused[3];
	/* mean weight between two samples (amount.h); 0 and 1: record each occurrence */
	__u64 every;
};

/* What the programs for the memory of the kernel handle. */
enum mp_agg_memory {
	MP_AGG_KMALLOC,
	MP_AGG_KFREE,
	MP_AGG_CACHE_ALLOC,
	MP_AGG_CACHE_FREE,
	MP_AGG_PAGES_ALLOC,
	MP_AGG_PAGES_FREE,
	MP_AGG_MEMORY_EVENTS
};

/* User space sets this before it loads the program. */
struct mp_agg_setup {
	struct mp_agg_rule rules[MP_AGG_RULES];	    /* indexed by the cookie of a probe */
	struct mp_agg_rule sampled[MP_AGG_SAMPLED]; /* indexed by the number of the program */
	struct mp_agg_rule blocked, memory, pages;
	/* numbers of the arguments that have the size; 0: there is none */
	__u32 kmalloc_size, cache_size;
	__u8 with_waker, unused[7]; /* the key includes the stack of the waker */
};

struct mp_agg_total {
	__u64 weight, count;
};

/* Shared with user space while the programs run. */
struct mp_agg_state {
	__u32 enabled;
	__u32 current; /* number of the table of totals that is being filled: two take turns */
	/*
	 * number of stacks that did not fit into the ring buffer; they are sent when they occur
	 * again
	 */
	__u64 unsent;
	__u64 nested[MP_AGG_MEMORY_EVENTS]; /* events that a second program has handled */
	/* by aggregate: what did not fit into a table, or found all buffers in use */
	struct mp_agg_total dropped[MP_AGG_RULES];
};

/* The key of a total. `other` is the id of the stack of a blocked task's waker; 0: none. */
struct mp_agg_key {
	__u64 id, other;
	__u64 aggregate;
};

struct mp_agg_pointer {
	__u64 address;
	__u32 pid; /* process; 0: the kernel */
	__u32 aggregate;
};

struct mp_agg_held {
	__u64 weight, time_ns, id;
};

struct mp_agg_blocked {
	__u64 time_ns, id;
};

/*
 * Begins as struct mp_bpf_record does, and ends with the time, as do all records that are not
 * samples.
 */
struct mp_agg_stack {
	__u32 type;
	__u16 misc;
	__u16 size;
	__u32 tid, end; /* `end`: an enum mp_bpf_end */
	__u64 time_ns;
	__u64 id;
	__u32 pid, n_kernel, n_user, unused; /* n_kernel, n_user: numbers of frames */
	char comm[16];
	__u64 kernel[MP_AGG_KERNEL + 1];
	__u64 user[MP_BPF_FRAMES + 1];
	__u64 time_again_ns, zero;
};

#define MP_AGG_STACK 0x6d71 /* type of the record */

_Static_assert(sizeof(struct mp_agg_rule) == 24, "both sides agree");
_Static_assert(sizeof(struct mp_agg_stack) % 8 == 0, "records are multiples of 8 bytes");

#endif
