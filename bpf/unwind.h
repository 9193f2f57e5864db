/* SPDX-License-Identifier: GPL-2.0-only */
/* What bpf/unwind.bpf.c shares with user space: tables and records. */
#ifndef MP_BPF_UNWIND_H
#define MP_BPF_UNWIND_H

#include <linux/types.h>

#define MP_BPF_ROWS (4u << 20)	  /* 32 MiB */
#define MP_BPF_PAGES (512u << 10) /* 4 MiB */
#define MP_BPF_SPACES 2048u	  /* address spaces, 24 MiB */
#define MP_BPF_MAPPINGS 256u	  /* a power of two, as are the next three */
#define MP_BPF_HINTS 32u
#define MP_BPF_LAST 32u
#define MP_BPF_FOUND 256u
#define MP_BPF_FRAMES 127u
#define MP_BPF_PAGE_SHIFT 10 /* pages of the search, not of memory */
#define MP_BPF_CS_32 0x23    /* code segment of 32-bit programs */
#define MP_BPF_SYSCALLS 1024u
#define MP_BPF_PROBE_SLOTS 32u /* tasks within the program on a probe; a power of two */

/* How the CFA is found. */
enum mp_bpf_kind {
	MP_BPF_NOTHING,	 /* no tables: along frame pointers */
	MP_BPF_SP,	 /* stack pointer + cfa */
	MP_BPF_FP,	 /* frame pointer + cfa */
	MP_BPF_FP_DEREF, /* what is at frame pointer + cfa */
	MP_BPF_PLT,	 /* a stub: stack pointer + 8, or + 16 after its push */
	MP_BPF_SIGNAL,	 /* x86-64: a ucontext at the stack pointer */
	MP_BPF_RA_DI,	 /* stack pointer + cfa; the return address is in rdi, as in vfork */
	MP_BPF_SWITCH,	 /* as MP_BPF_FP, but the caller is on another stack */
	MP_BPF_ROOT,	 /* threads begin here */
	MP_BPF_OTHER,	 /* a rule that these tables cannot express */
};

/* From `pc` on, in the file's addresses, up to the next row. */
struct mp_bpf_row {
	__u32 pc;
	__s16 cfa; /* bytes / 8 */
	__u8 kind;
	/*
	 * where the frame pointer is saved, from the CFA, bytes / 8; 0: it is unchanged; 1: where
	 * it points to
	 */
	__s8 fp;
};

struct mp_bpf_mapping {
	__u64 start, end;
	__u64 bias;  /* an address less this is the file's own */
	__u32 first; /* row */
	/*
	 * for each page of the file from page_base on: how many rows precede it; and one entry more
	 */
	__u32 pages, page_base;
	__u32 n_pages; /* 0: there are no rows */
};

struct mp_bpf_space {
	__u32 n;
	__u32 sequence; /* of this use of the place; 0: it is not in use, or being changed */
	__u32 copies;	/* of stacks for which these tables did not suffice, once they are old */
	__u32 unused;
	__u64 made_ns; /* the tables */
	__u64 unused_too;
	__u8 hints[MP_BPF_HINTS];  /* by MiB of the address: the mapping last found there */
	__u16 last[MP_BPF_LAST];   /* the entries of `found` that the last walk used, by frame */
	__u64 found[MP_BPF_FOUND]; /* rows of addresses of recent walks */
	struct mp_bpf_mapping v[MP_BPF_MAPPINGS]; /* in order of address */
};

/*
 * Where the tables of a process are. They are stale once the space has another sequence, and from
 * an execve() on until user space has handled it.
 */
struct mp_bpf_task {
	__u32 space, sequence; /* 0: it has none */
	__u64 time_ns;	       /* the tables are those of this time */
	__u64 exec_ns; /* when the process last called execve(); 0: not while it was recorded */
};

/* Settings of the programs. */
struct mp_bpf_settings {
	__u32 everyone; /* all processes are recorded, not only those that have a struct mp_bpf_task */
	__u32 probe_buffers; /* the first buffer for a copy that belongs to a slot of probes */
	/* by number, a bit each: the system calls whose entry or return is recorded */
	__u64 sys_enter[MP_BPF_SYSCALLS / 64], sys_exit[MP_BPF_SYSCALLS / 64];
};

/* How a walk ended; user space translates it to enum mp_unwind_end. */
enum mp_bpf_end {
	MP_BPF_COMPLETE,
	MP_BPF_NO_STACK, /* the task has no memory any more */
	MP_BPF_END_FRAMES,
	MP_BPF_END_MAPPING,
	MP_BPF_END_FP,
	MP_BPF_END_UNKNOWN, /* the frame pointer or a return address is 0, perhaps at the root */
	MP_BPF_END_STACK,   /* where another stack begins, to which nothing leads */
	MP_BPF_END_CFI,
	MP_BPF_END_ABI,	  /* a 32-bit program */
	MP_BPF_NO_TABLES, /* the process has no tables yet */
	MP_BPF_COPIED,	  /* a copy of the stack was sent instead */
};

/*
 * Records begin as perf's do. Their time is 16 bytes before the end, as in perf's records that are
 * not samples.
 */
struct mp_bpf_head {
	__u32 type;
	__u16 misc;
	__u16 size;
	__u32 tid;
	__u32 end; /* of a walk */
	__u64 time_ns;
	__u32 cpu, drops; /* records that did not fit, of this CPU before this one */
};

/* A user stack. */
struct mp_bpf_record {
	struct mp_bpf_head head;
	__u64 ip, sp; /* registers */
	__u64 ips[MP_BPF_FRAMES +
		  2]; /* after the frames: the time by which records are ordered, 0 */
};

#define MP_BPF_REGS 17u
#define MP_BPF_REG_SP 7u
#define MP_BPF_REG_IP 8u
#define MP_BPF_COPY_CONTEXTS 4u /* of the programs of bpf/unwind.bpf.c that are not for probes */
#define MP_BPF_COPY_PAGE 4096u
#define MP_BPF_COPY_BYTES (60u << 10) /* a record has less than 64 KiB */

/* What user space walks if the tables do not suffice. */
struct mp_bpf_copy {
	struct mp_bpf_head head;
	__u64 abi;		 /* PERF_SAMPLE_REGS_ABI_ */
	__u64 regs[MP_BPF_REGS]; /* in the order of mp_arch_x86_64.perf_regs */
	__u32 len;		 /* bytes of the stack */
	__u32 asked;		 /* more than `len`: the rest is not in memory */
	char stack[MP_BPF_COPY_BYTES +
		   16]; /* after the bytes: the time by which records are ordered, 0 */
};

#define MP_BPF_RECORD 0x6d70 /* types */
#define MP_BPF_COPY 0x6d72
/*
 * The time by which records are ordered is so much before the time of the record: the sample must
 * not precede it, and perf may take the time of the sample first, and copy stacks for others then.
 */
#define MP_BPF_EARLIER_NS 100000

_Static_assert(sizeof(struct mp_bpf_row) == 8, "rows take the most memory");
_Static_assert(sizeof(struct mp_bpf_mapping) == 40, "both sides agree");
_Static_assert(MP_BPF_MAPPINGS == 256, "a hint has 8 bits");
_Static_assert(sizeof(struct mp_bpf_space) % 64 == 0, "whole cache lines");
_Static_assert(sizeof(struct mp_bpf_copy) < 1 << 16, "its size is 16 bits");

#endif
