/* SPDX-License-Identifier: GPL-2.0-only */
/* What bpf/unwind.bpf.c and lib/capture/bpf/bpfstack.c share: tables and records. */
#ifndef MP_BPF_UNWIND_H
#define MP_BPF_UNWIND_H

#include <linux/types.h>

#define MP_BPF_ROWS (4u << 20)	  /* 32 MiB */
#define MP_BPF_PAGES (512u << 10) /* 4 MiB */
#define MP_BPF_SPACES 2048u	  /* address spaces, 24 MiB */
#define MP_BPF_MAPPINGS 256u	  /* a power of two, as the next three */
#define MP_BPF_HINTS 32u
#define MP_BPF_LAST 32u
#define MP_BPF_FOUND 256u
#define MP_BPF_FRAMES 127u
#define MP_BPF_PAGE_SHIFT 10 /* for the search; not those of memory */
#define MP_BPF_CS_32 0x23    /* code segment of 32-bit programs */

/* How the CFA is found. */
enum mp_bpf_kind {
	MP_BPF_NOTHING,	 /* no tables: along frame pointers */
	MP_BPF_SP,	 /* stack pointer + cfa */
	MP_BPF_FP,	 /* frame pointer + cfa */
	MP_BPF_FP_DEREF, /* what is at frame pointer + cfa */
	MP_BPF_PLT,	 /* a stub: stack pointer + 8, or 16 behind its push */
	MP_BPF_SIGNAL,	 /* x86-64: a ucontext at the stack pointer */
	MP_BPF_RA_DI,	 /* stack pointer + cfa; the return address is in rdi, as in vfork */
	MP_BPF_ROOT,	 /* threads begin here */
	MP_BPF_OTHER,	 /* something that these tables cannot say */
};

/* From `pc` on, in the file's addresses, up to the next row. */
struct mp_bpf_row {
	__u32 pc;
	__s16 cfa; /* bytes / 8 */
	__u8 kind;
	/* where the frame pointer was saved, from the CFA, bytes / 8; 0: it is unchanged; 1: where it points */
	__s8 fp;
};

struct mp_bpf_mapping {
	__u64 start, end;
	__u64 bias;  /* address - bias: the file's address */
	__u32 first; /* row */
	/* for each page of the file, from page_base on, the number of rows before it; one more at the end */
	__u32 pages, page_base;
	__u32 n_pages; /* 0: there are no rows */
};

struct mp_bpf_space {
	__u32 n;
	__u32 sequence; /* of this use of the place */
	__u32 copies;	/* of stacks that these tables did not do for */
	__u32 unused[5];
	__u8 hints[MP_BPF_HINTS];  /* by MiB of the address: a mapping that was found there */
	__u16 last[MP_BPF_LAST];   /* what the last walk took of `found`, by frame */
	__u64 found[MP_BPF_FOUND]; /* rows of addresses that were walked lately */
	struct mp_bpf_mapping v[MP_BPF_MAPPINGS]; /* in order of address */
};

/*
 * Where a process finds its tables: stale once the space has another sequence, and from an execve() up
 * to when user space has heard of that.
 */
struct mp_bpf_task {
	__u32 space, sequence; /* 0: it has none */
	__u64 time_ns;	       /* the tables are those of this time */
	__u64 exec_ns; /* when the process last called execve(); 0: not since it is recorded */
};

/* What the programs are told. */
struct mp_bpf_settings {
	__u32 everyone; /* all processes are recorded, not only those that have a struct mp_bpf_task */
};

/* How a walk ended; enum mp_unwind_end says more. */
enum mp_bpf_end {
	MP_BPF_WHOLE,
	MP_BPF_NO_STACK, /* its memory is given up */
	MP_BPF_END_FRAMES,
	MP_BPF_END_MAPPING,
	MP_BPF_END_FP,
	MP_BPF_END_CFI,
	MP_BPF_END_ABI,	  /* a 32-bit program */
	MP_BPF_NO_TABLES, /* of a process whose tables have not been made */
	MP_BPF_COPIED,	  /* there is a copy of the stack instead */
};

/* Records begin as perf's do, and as those that are no samples have their time 16 bytes before the end. */
struct mp_bpf_head {
	__u32 type;
	__u16 misc;
	__u16 size;
	__u32 tid;
	__u32 end; /* of a walk */
	__u64 time_ns;
};

/* A user stack. */
struct mp_bpf_record {
	struct mp_bpf_head head;
	__u64 ips[MP_BPF_FRAMES + 2]; /* behind the frames: time for the order, 0 */
};

#define MP_BPF_REGS 17u
#define MP_BPF_COPY_CONTEXTS 2u /* of the programs that take stacks for samples */
#define MP_BPF_COPY_PAGE 4096u
#define MP_BPF_COPY_BYTES (60u << 10) /* a record has less than 64 KiB */

/* What a user stack can be made of, of a task without tables. */
struct mp_bpf_copy {
	struct mp_bpf_head head;
	__u64 abi;			    /* PERF_SAMPLE_REGS_ABI_ */
	__u64 regs[MP_BPF_REGS];	    /* in the order of mp_arch_x86_64.perf_regs */
	__u32 len;			    /* bytes of the stack */
	__u32 asked;			    /* less were there if len is below */
	char stack[MP_BPF_COPY_BYTES + 16]; /* behind the bytes: time for the order, 0 */
};

#define MP_BPF_RECORD 0x6d70 /* types */
#define MP_BPF_COPY 0x6d72
/*
 * The time for the order is so much before, so that the sample does not come earlier: on its tracepoint
 * perf may be first, and take its time for all who record it.
 */
#define MP_BPF_EARLIER_NS 100000

_Static_assert(sizeof(struct mp_bpf_row) == 8, "rows are many");
_Static_assert(sizeof(struct mp_bpf_mapping) == 40, "the same on both sides");
_Static_assert(MP_BPF_MAPPINGS == 256, "a hint has 8 bits");
_Static_assert(sizeof(struct mp_bpf_space) % 64 == 0, "lines of the cache");
_Static_assert(sizeof(struct mp_bpf_copy) < 1 << 16, "its size is 16 bits");

#endif
