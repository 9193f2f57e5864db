/* SPDX-License-Identifier: GPL-2.0-only */
/* What bpf/unwind.bpf.c and lib/capture/bpfstack.c share: tables and records. */
#ifndef MP_BPF_UNWIND_H
#define MP_BPF_UNWIND_H

#include <linux/types.h>

#define MP_BPF_ROWS (4u << 20)	  /* 32 MiB */
#define MP_BPF_PAGES (512u << 10) /* 4 MiB */
#define MP_BPF_SPACES 2048u	  /* address spaces, 20 MiB */
#define MP_BPF_MAPPINGS 256u	  /* a power of two */
#define MP_BPF_FRAMES 127u
#define MP_BPF_PAGE_SHIFT 12

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
	__u64 bias;	/* address - bias: the file's address */
	__u32 first, n; /* its rows; 0: there are none */
	/* for each page of the file, from page_base on, the number of rows before it; one more at the end */
	__u32 pages, page_base;
};

struct mp_bpf_space {
	__u32 n;
	__u32 sequence; /* of this use of the place */
	__u64 unused[3];
	struct mp_bpf_mapping v[MP_BPF_MAPPINGS]; /* in order of address */
};

/* Where a process finds its tables: stale once the space has another sequence. */
struct mp_bpf_task {
	__u32 space, sequence;
};

/* How a walk ended; enum mp_unwind_end says more. */
enum mp_bpf_end {
	MP_BPF_WHOLE,
	MP_BPF_NO_STACK, /* its memory is given up */
	MP_BPF_END_FRAMES,
	MP_BPF_END_MAPPING,
	MP_BPF_END_FP,
	MP_BPF_END_CFI,
	MP_BPF_NO_TABLES, /* of a process whose tables have not been made */
};

/* As perf's records that are no samples: header first, time 16 bytes before the end. */
struct mp_bpf_record {
	__u32 type;
	__u16 misc;
	__u16 size;
	__u32 tid, end;
	__u64 time_ns;
	__u64 ips[MP_BPF_FRAMES + 2]; /* behind the frames: time for the order, 0 */
};

#define MP_BPF_RECORD 0x6d70 /* type */
#define MP_BPF_EARLIER_NS \
	20000 /* the time for the order is so much before: the sample's is never earlier */

_Static_assert(sizeof(struct mp_bpf_row) == 8, "rows are many");
_Static_assert(sizeof(struct mp_bpf_mapping) == 40, "the same on both sides");

#endif
